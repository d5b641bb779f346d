// The words by which pressure solvers are called, everywhere the same.
#pragma once

#include <string_view>

namespace slosh {

/// `linear` and `linear-mic` are for sticky walls, `auto` for all, the others for separating ones.
constexpr const char* kSolverWords[] = {"auto",        "linear",     "linear-mic", "pgs",
                                        "fmg",         "fas",        "policy-pcg", "policy-mg",
                                        "penalty-pcg", "penalty-mg", "newton",     "mprgp"};

constexpr bool is_linear_solver(std::string_view word) {
    return word == "linear" || word == "linear-mic";
}

/// Whether a solver takes rigid bodies in the system. Those that relax rows one at a time, or
/// coarsen the matrix, cannot without forming what bodies add to it.
constexpr bool knows_bodies(std::string_view word) {
    return word == "auto" || is_linear_solver(word) || word == "policy-pcg" ||
           word == "penalty-pcg" || word == "newton" || word == "mprgp";
}

}  // namespace slosh
