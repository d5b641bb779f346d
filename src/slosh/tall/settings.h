// The scenes of tall-cell water, as the paper's Table 2 sizes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slosh/tall/water.h"

namespace slosh::tall {

/// A scene: water, and what drives it over time.
struct Setting {
    std::string name;
    std::unique_ptr<Water> water;
    std::function<void(Water&)> drive;  ///< Called before every step; may be empty.

    /// One driven step.
    WaterReport step(double dt) {
        if (drive) drive(*water);
        return water->step(dt);
    }
};

/// Names that make_setting knows: manip, tank, flood, lighthouse, lake, bore.
const std::vector<std::string>& setting_names();

/// A scene by its name. `depth` multiplies the depth of the water at the start of `tank`.
Setting make_setting(const std::string& name, double depth = 1);

}  // namespace slosh::tall
