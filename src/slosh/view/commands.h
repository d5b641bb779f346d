// What viewers may ask for. Every message is one JSON object {"do": WORD, ...} with exactly the
// keys of its word; anything else is refused, with the reason.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh::view {

enum class Do {
    Play,     ///< {}
    Pause,    ///< {}
    Step,     ///< {}: one frame
    Reset,    ///< {}: from the start
    Seek,     ///< frame
    Scene,    ///< name: a built-in scene
    Set,      ///< values: an object of parameters; starts anew
    Walls,    ///< separation, solver: from the next step on
    Compare,  ///< on: sticky beside separating walls
    Points,   ///< on: send particles
    Drag,     ///< body, grab, target
    Pour,     ///< at, velocity, radius
    Push,     ///< at, velocity, radius
    Release,  ///< {}: hands off
    Tilt,     ///< degrees: a rotation vector
    Shake,    ///< {}
    Video,    ///< {}: film what was computed
    Take,     ///< {}: the controls
};

struct Command {
    Do what = Do::Pause;
    int number = 0;  ///< frame, body
    bool on = false;
    std::string name, solver;  ///< name or separation; solver
    Point<3> at, vector;       ///< at or grab; velocity, target or degrees
    double radius = 0;
    std::vector<std::pair<std::string, std::string>> values;  ///< Path and JSON text.

    /// Only the newest of these counts: they say what hands do now.
    bool of_hands() const {
        return what == Do::Drag || what == Do::Pour || what == Do::Push || what == Do::Release ||
               what == Do::Tilt;
    }
};

/// InputError if the text is not one of the above.
Command parse_command(std::string_view text);

}  // namespace slosh::view
