// The words by which pressure solvers are called, everywhere the same.
#pragma once

#include <string_view>

namespace slosh {

/// `linear` and `linear-mic` are for sticky walls, `auto` for all, the others for separating ones.
constexpr const char* kSolverWords[] = {"auto",      "linear",      "linear-mic", "pgs",
                                        "fmg",       "fas",         "policy-pcg", "policy-mg",
                                        "penalty-pcg", "penalty-mg", "newton",     "mprgp"};

constexpr bool is_linear_solver(std::string_view word) {
    return word == "linear" || word == "linear-mic";
}

}  // namespace slosh
