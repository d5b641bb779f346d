// One pressure solve by its solver word, whichever walls there are.
#pragma once

#include <memory>
#include <string>

#include "slosh/lcp/problem.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

struct PressureOptions {
    std::string solver = "auto";  ///< A solver word (lcp/words.h).
    bool sticky = true;           ///< No cell is constrained: the problem is linear.
    bool bodies = false;          ///< Bodies are coupled; see knows_bodies().
    double tolerance = 1e-6;      ///< Relative residual.
    int max_iterations = 200;
    bool history = false;  ///< Whether to record the residual after each iteration.
};

/// The last pressure, from which the next solve starts.
template <int D>
struct WarmStart {
    Field<double, D> q;  ///< dt p / (rho dx); no blocks: nothing is known.
    Field<std::uint8_t, D> active;
    double dt = 0;  ///< s

    void clear() { *this = {}; }
    /// The first guess for a step of `dt` of the problem `lcp`: the same pressure, mended at the
    /// surface (surface_guess.h), and of the cells that left their wall those that still touch one.
    void guess(const BlockLcp<D>& lcp, double dt, Field<double, D>& q,
               Field<std::uint8_t, D>& active) const;
};

/// What `auto` means for these walls; every other word means itself.
std::string meant_solver(const PressureOptions& options);
/// What to try when that word failed: slower, and as sure as can be.
std::string next_solver(const PressureOptions& options);

/// Solves for q from the guess q; `active`, the guess of which cells leave their wall, becomes the
/// set that does. `lcp` must be consistent. A solver that builds a `hierarchy`
/// leaves it for other right-hand sides.
template <int D>
LcpReport solve_pressure(const BlockLcp<D>& lcp, const std::string& solver,
                         const PressureOptions& options, Field<double, D>& q,
                         Field<std::uint8_t, D>& active, std::unique_ptr<Multigrid<D>>& hierarchy);

}  // namespace slosh
