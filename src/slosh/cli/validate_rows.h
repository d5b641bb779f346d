// Kinds of rows beside "measured against a reference": bounds from below and from above.
#pragma once

#include <algorithm>
#include <cmath>

#include "slosh/cli/validate.h"

namespace slosh::cli {

/// A quantity whose reference is zero, in units of its natural scale.
inline void add_small(ValidateReport& report, const std::string& name, const std::string& quantity,
                      double value, double bound) {
    report.compare(name, quantity, value, 0, bound, 1);
}

/// A quantity that must reach `bound`; the error is how far it falls short, relative to it.
inline void add_at_least(ValidateReport& report, const std::string& name,
                         const std::string& quantity, double value, double bound) {
    const double short_by = std::max(0.0, bound - value) / std::max(std::abs(bound), 1e-300);
    report.add({name, quantity, value, bound, short_by, 0, value >= bound});
}

}  // namespace slosh::cli
