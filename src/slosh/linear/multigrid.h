// A hierarchy of 2D+1-point operators over a BlockSystem, and the multigrid cycle on it.
//
// Transfer is piecewise constant: the residual is summed over the children, the correction is
// copied to them. With that transfer the Galerkin operator would give a coarse face the sum of its
// 2^(D-1) fine faces, which overestimates the stiffness of smooth functions by two; so a coarse
// face gets *half* the sum. Smoothing is red-black Gauss-Seidel, red first on the way down and red
// last on the way up, so that the cycle is a symmetric operator and may precondition conjugate
// gradients.
//
// Units: each level's operator is divided by its `weight`, the coefficient of a face fully inside
// the liquid, so that inside all coefficients are 1.
//
// Most vectors of eight cells (split.h) lie inside: they are *plain* and store nothing. Vectors
// that touch a wall or the surface are *mixed* and keep their coefficients in a compact list, in
// 16 bits: reading them is the larger part of a sweep's traffic, and a preconditioner does not need
// more. All other vectors hold no unknown and stay zero for ever.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "slosh/linear/slabs.h"
#include "slosh/linear/split.h"
#include "slosh/linear/system.h"

namespace slosh {

struct MultigridOptions {
    int sweeps = 2;         ///< Smoothing sweeps before and after the coarse correction.
    int coarse_sweeps = 1;  ///< The same on coarser levels.
    int edge_sweeps = 1;    ///< More sweeps, on the finest level, at walls and at the surface:
                            ///< there the residual is largest.
    std::size_t edge_from = 250000;  ///< Unknowns from which on they pay. On fewer a cycle costs as
                                     ///< little as they do: 64^3 take up to a seventh less time
                                     ///< without, for at most a cycle more.
    float omega = 1.2f;        ///< Over-relaxation of all half-sweeps but the first and the last
                               ///< before (after) the coarse correction: for the same work the
                               ///< residual falls 1.2 times as far in a cycle [Yavneh1996].
    int visits = 2;            ///< Of each coarser level: 1 is a V-cycle, 2 a W-cycle, which keeps
                               ///< the number of iterations from growing with resolution.
    int coarsest_sweeps = 16;  ///< Pairs of symmetric sweeps on the coarsest level, where it is not
                               ///< solved at once (coarsest.h).
    int coarsest_cells = 64;   ///< Coarsen until a level has at most this many unknowns.
};

/// Coefficients of a vector of eight cells that is not plain, for smoothing.
template <int D>
struct alignas(32) MixedVector {
    std::uint32_t c[D][8];  ///< Face coefficients, two in a word, in the order of Neighbours: the
                            ///< upper half of a float each, that of the first side below.
    float inverse[8];       ///< 1 / diagonal; 0 where there is no unknown.

    float coefficient(int side, int lane) const {
        const std::uint32_t pair = c[side / 2][lane];
        return std::bit_cast<float>(side % 2 ? pair & 0xffff0000u : pair << 16);
    }
};

/// The same in full, for residuals.
template <int D>
struct alignas(32) ExactVector {
    float c[2 * D][8];
    float excess[8];
};

/// Lower bounds of the cells of mixed vectors on the finest level; minus infinity where there is
/// none.
struct alignas(32) BoundVector {
    float v[8];
};
class LowerBounds {
public:
    LowerBounds() = default;
    LowerBounds(std::size_t vectors, int blocks) : vectors_(vectors), near_(blocks, 0) {}
    BoundVector& operator[](std::size_t mixed) { return vectors_[mixed]; }
    const BoundVector& operator[](std::size_t mixed) const { return vectors_[mixed]; }
    std::size_t bytes() const { return vectors_.bytes() + near_.size(); }

    /// Whether a correction may meet a bound in the block. Where not, sweeps do without them.
    bool is_near(int block) const { return near_[block] != 0; }
    void set_near(int block, bool near) { near_[block] = near; }

private:
    PageArray<BoundVector> vectors_;
    std::vector<std::uint8_t> near_;
};

/// Which vectors of a block are what, by colour.
struct BlockKinds {
    std::uint32_t plain[2] = {0, 0};
    std::uint32_t mixed[2] = {0, 0};
    std::uint32_t first[2] = {0, 0};  ///< Number of the first mixed vector in the level's lists,
                                      ///< which hold all red ones, then all black ones.
    std::uint32_t live(int colour) const { return plain[colour] | mixed[colour]; }
    std::uint32_t mixed_count() const {
        return static_cast<std::uint32_t>(std::popcount(mixed[0]) + std::popcount(mixed[1]));
    }
    std::uint32_t mixed_count(int colour) const {
        return static_cast<std::uint32_t>(std::popcount(mixed[colour]));
    }
};

template <int D>
struct MultigridLevel {
    BlocksPtr<D> blocks;
    float weight = 1;  ///< The coefficient of plain faces; the unit of all others.
    std::size_t unknowns = 0;
    std::vector<int> live;  ///< Blocks that may hold unknowns, in their order.
    /// Face neighbours of live blocks; where they are not live, the block of zeros.
    std::vector<std::array<int, 2 * D>> faces;
    std::vector<BlockKinds> kinds;
    /// Where each block's room in the mixed lists ends, by colour.
    std::vector<std::array<std::uint32_t, 2>> end;
    Slabs slabs;  ///< The live blocks.
    PageArray<MixedVector<D>> mixed;
    PageArray<ExactVector<D>> exact;  ///< Finest level only.
    Coarsening<D> coarsening;         ///< To the next level; empty on the coarsest.
    SplitField<D> x, b;               ///< Workspace; the finest level works on the caller's.

    static constexpr std::uint32_t kAll = D == 3 ? 0xffffffffu : 0xfu;
    int size() const { return static_cast<int>(kinds.size()); }
    bool is_empty(int block) const { return (kinds[block].live(0) | kinds[block].live(1)) == 0; }
    bool is_plain(int block) const {
        return kinds[block].plain[0] == kAll && kinds[block].plain[1] == kAll;
    }
    /// A field over the level that is zero where there is no unknown in live blocks. In plain ones
    /// it holds anything (all of their cells are unknowns), and in others it is never looked at.
    SplitField<D> zeros() const;
    std::size_t bytes() const;
};

/// Coefficients and excess of a coarser level, as they are summed up from the finer one.
template <int D>
struct CoarseArrays {
    FaceField<float, D> coefficient;
    Field<float, D> excess;
};

template <int D>
class CycleBodies;
template <int D>
class Coarsest;
template <int D>
class HeldRows;

template <int D>
class Multigrid {
public:
    ~Multigrid();
    explicit Multigrid(const BlockSystem<D>& system, const MultigridOptions& options = {});
    /// The finest level of a system in which cells marked in `constrained` may get bounds. The
    /// coarser levels follow with the first set_active().
    Multigrid(const BlockSystem<D>& system, const MultigridOptions& options,
              const Field<std::uint8_t, D>& constrained);

    /// One cycle for (A / finest().weight) x = rhs from x = 0. `x` must be zero outside the
    /// unknowns (a new SplitField is) and stays so. Returns rhs.x.
    double cycle(SplitField<D>& rhs, SplitField<D>& x);
    /// The same with x >= low on the finest level: projected sweeps, and a coarse correction for
    /// the cells above their bound only [truncated non-smooth Newton multigrid, Graeser2009].
    double cycle(SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low);
    /// Its two halves: the sweeps before the coarse correction, and all the rest. Between them the
    /// set of cells at their bound may be looked at and handed to set_active(). Together they take
    /// one journey over the finest level more than cycle().
    void smooth(const SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low);
    double finish(SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low);

    /// Lets the cycle know of the system's bodies from now on (cycle_bodies.h).
    void set_bodies(const LowRank<D>& F);
    const CycleBodies<D>* bodies() const { return bodies_.get(); }

    /// Lets the coarser levels know which cells are at their bound now: they see them as fixed, as
    /// what air at their centre would be. `blocks`, each once, are those that hold or touch a cell
    /// for which that changed since last time.
    bool has_active() const { return coarsened_; }
    void set_active(const BlockSystem<D>& system, const Field<std::uint8_t, D>& active,
                    const std::vector<int>& blocks);

    /// Empties the rows of these cells on the finest level, each in a mixed vector, until
    /// release(): cycles without bounds leave them at zero.
    void hold(const std::vector<SplitPlace<D>>& cells);
    void release();

    /// The system on cells twice the size, as the next level sees it while no cell is at its bound.
    BlockSystem<D> coarser(const BlockSystem<D>& system);

    const std::vector<MultigridLevel<D>>& levels() const { return levels_; }
    const MultigridLevel<D>& finest() const { return levels_.front(); }
    std::size_t bytes() const;

private:
    void build_finest(const BlockSystem<D>& system, const Field<std::uint8_t, D>* constrained);
    void build_coarser(const BlockSystem<D>& system, const Field<std::uint8_t, D>* active);
    void correct(std::size_t l);
    double correct_and_ascend(SplitField<D>& rhs, SplitField<D>& x, const LowerBounds* low);
    void coarsen_bodies(const Field<std::uint8_t, D>* active);
    void descend(std::size_t l, const SplitField<D>& b, SplitField<D>& x, bool from_zero,
                 const LowerBounds* low, int first_pass = 0, int last_pass = 1 << 30);
    void ascend(std::size_t l, const SplitField<D>& b, SplitField<D>& x, const LowerBounds* low);
    bool is_coarsest(std::size_t l) const;
    int sweeps(std::size_t l) const;
    int edge_passes(std::size_t l) const;
    float weight_of(int pass, int last, bool coarsest) const;

    MultigridOptions options_;
    std::vector<MultigridLevel<D>> levels_;
    std::vector<CoarseArrays<D>> arrays_;  // of levels 1, 2 ...; kept for set_active()
    bool coarsened_ = false;               // whether the coarser levels are there
    std::unique_ptr<CycleBodies<D>> bodies_;
    std::unique_ptr<Coarsest<D>> coarsest_;
    std::unique_ptr<HeldRows<D>> held_;
    std::vector<double> partial_;  // sums by block
};

/// As in system.h, with a choice of cycle.
template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, const SolveOptions& options,
                            const MultigridOptions& cycle, Field<double, D>& x);

/// Solves with a hierarchy that was built from this system's matrix: several right-hand sides share
/// one set-up. `x` is the first guess on entry, the solution on return.
template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, Multigrid<D>& multigrid,
                            const SolveOptions& options, Field<double, D>& x);

extern template class Multigrid<2>;
extern template class Multigrid<3>;

}  // namespace slosh
