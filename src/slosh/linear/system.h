// A symmetric positive semi-definite system with the 2D+1-point stencil on a sparse grid:
//
//     sum_f c_f (x_i - x_j) + e_i x_i = b_i        for every unknown cell i                    (L1)
//
// c_f >= 0 is the coefficient of the face between i and j, stored at the *lower* face of the upper
// cell; e_i >= 0 the Dirichlet excess (ghost fluid). Cells with `unknown` == 0 are no unknowns; a
// face between an unknown and another cell must have c_f = 0 (a Dirichlet neighbour goes into e).
// The matrix *is* what these floats say, evaluated in double: row sums are exact, so a pocket
// without any excess has exactly the constant vector as its null space.
//
// Where rigid bodies move with the liquid, the matrix is that of (L1) plus F F^T (low_rank.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "slosh/grid/field.h"
#include "slosh/linear/low_rank.h"

namespace slosh {

template <int D>
struct BlockSystem {
    BlocksPtr<D> blocks;
    FaceField<float, D> coefficient;           ///< c_f, background 0.
    Field<float, D> excess;                    ///< e_i, background 0.
    Field<std::uint8_t, D> unknown;            ///< 1 where there is an equation, background 0.
    Field<double, D> rhs;                      ///< b_i, zero where there is no unknown.
    std::shared_ptr<const LowRank<D>> bodies;  ///< F; none: no such term.

    explicit BlockSystem(const BlocksPtr<D>& topology)
        : blocks(topology),
          coefficient(topology),
          excess(topology),
          unknown(topology),
          rhs(topology) {}
    /// The same with coefficients, excess and unknowns all still to be written.
    BlockSystem(const BlocksPtr<D>& topology, Unfilled unfilled)
        : blocks(topology),
          coefficient(topology, unfilled),
          excess(topology, unfilled),
          unknown(topology, unfilled),
          rhs(topology) {}
    std::size_t unknowns() const;
};

/// b - F F^T x: with it in the place of b, the residual of the stencil is that of the whole.
template <int D>
class BodiesRhs {
public:
    explicit BodiesRhs(const BlockSystem<D>& system);
    /// Of this x from now on.
    void set(const Field<double, D>& x);
    /// A block of it: b itself, or, where bodies touch the block, `room` filled with it.
    using Room = double[kBlockCells<D>];
    const double* block(int b, Room& room) const;

private:
    struct Entry {
        std::uint32_t number;
        int group;
    };
    const BlockSystem<D>& system_;
    std::vector<Entry> entries_;        // of F, by block
    std::vector<std::uint32_t> first_;  // of each block
    std::vector<double> t_;             // F^T x
};

struct SolveOptions {
    double tolerance = 1e-6;                 ///< Stop once max|b - Ax| <= tolerance * max|b| ...
    double absolute = 0;                     ///< ... or <= this, in the units of b.
    int max_iterations = 200;                ///< Iterations before giving up.
    std::vector<double>* history = nullptr;  ///< Gets max|r| before the first and after each one.
};

/// What a solve did. Running out of iterations is an outcome, not an error: the caller decides.
struct [[nodiscard]] SolveReport {
    bool converged = false;
    int iterations = 0;
    double residual = 0;           ///< max|b - Ax| at the end, in double, on the true system.
    double relative_residual = 0;  ///< The same over max|b| (0 if b = 0).
    double setup_seconds = 0;      ///< Factorisation or hierarchy.
    double seconds = 0;            ///< Wall time, set-up included.
    double cpu_seconds = 0;        ///< CPU time, set-up included.
    std::size_t unknowns = 0;
    std::size_t bytes = 0;  ///< Memory of the solver's own data.
    int pockets = 0;        ///< Components without excess, solved up to a constant: what
                            ///< make_consistent() found, filled in by who called it.
};

/// r = b - A x in double. Returns max|r|.
template <int D>
double residual(const BlockSystem<D>& system, const Field<double, D>& x, Field<double, D>& r);

/// Connected pockets of unknowns (joined by c_f > 0) in which every excess is zero: there A is
/// singular. Takes the mean out of their right-hand side so that a solution exists. Returns their
/// number. An isolated unknown without any coefficient is such a pocket, with b = 0.
template <int D>
int make_consistent(BlockSystem<D>& system);

/// MIC(0)-preconditioned conjugate gradients on compact rows (`linear-mic`): the field's baseline.
/// `x` is the first guess on entry, the solution on return.
template <int D>
SolveReport solve_mic(const BlockSystem<D>& system, const SolveOptions& options,
                      Field<double, D>& x);

/// The same without the M: no fill is moved to the diagonal. Its iterations grow like 1/dx, those
/// of MIC(0) like the root of that. Only to compare with papers that count in it.
template <int D>
SolveReport solve_ic(const BlockSystem<D>& system, const SolveOptions& options,
                     Field<double, D>& x);

/// Multigrid-preconditioned conjugate gradients (`linear`): float cycles inside a double
/// iteration, matrix-free on blocks.
template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, const SolveOptions& options,
                            Field<double, D>& x);

}  // namespace slosh
