// One level of the pressure system on a tall-cell grid [CM11, sec. 3.7].
//
// For a liquid cell c with the six world neighbours n, and P = dt p / (rho dx),
//
//     sum_n w_n (P_n - P_c)  =  b_c,        b = sum over axes of u+ - u-               (12), (13)
//
// where w = 1 - s is the open fraction of a cell (0 in terrain and walls). A neighbour in air has
// P_n = P_c phi_n / phi_c, the ghost-fluid value that makes P vanish on the surface (16). The
// weight of a neighbour depends on the neighbour alone, so with q = w P the row needs one number:
//
//     d_c q_c - sum_n q_n = -b_c,           d_c = (sum_n w_n or w_n (1 - phi_n / phi_c)) / w_c
//
// q = 0 in air and solid. Along a column this is tridiagonal with off-diagonals -1, tall cell
// included (the cells between its top and bottom are interpolated, not unknown), so a column is
// solved at once: with the pivots' reciprocals m_i = 1 / (d_i - m_{i-1}), elimination is
// z_i = (N_i + z_{i-1}) m_i, substitution q_i = z_i + m_i q_{i+1}. The paper smooths by red-black
// points; whole columns cost the same on a CPU and tie the two ends of a tall cell.
#pragma once

#include <vector>

#include "slosh/tall/columns.h"

namespace slosh::tall {

/// The flow between the ends of a tall cell, k (P_top - P_bottom) with k = w / (top - bottom), the
/// same in both rows. On the finest level that is the row of the text: the cell below the top lies
/// on the line between the ends.
struct TallPair {
    float bottom_top = 0;  ///< k / w_top: what the row of the bottom has on q_top.
    float top_bottom = 0;  ///< k / w_bottom: what the row of the top has on q_bottom.
    float pivot = 0;       ///< 1 / d_bottom
    float top = 0;         ///< d of the top, beside what else its row needs.
};

/// Where a column finds its four neighbours, left, right, before, behind: one line of cache.
struct alignas(64) Beside {
    static constexpr int kApart = 1 << 30;
    /// From the column's own values to the neighbour's at the same height; kApart in the first if
    /// a neighbour's top is too far off to be read so.
    int shift[4] = {};
    /// The neighbour's value at the height of the bottom: an entry of its values (from the column's
    /// own), and the shares of that and of its bottom. Both are 0 in terrain.
    int value[4] = {};
    float value_share[4] = {}, bottom_share[4] = {};

    bool apart() const { return shift[0] == kApart; }
};

/// How the bottom of a column is interpolated from the four coarse columns around it.
struct FromCoarse {
    float top[4] = {}, bottom[4] = {};  ///< Shares of the ends of their tall cells.
    bool ends = false;                  ///< Those are all: none is regular at that height.
};

/// Up to eight columns of one row and colour that are solved together, a lane each.
struct Batch {
    static constexpr int kLanes = 8;
    int column[kLanes] = {};  ///< Lanes without a column repeat the last one.
    int count = 0;
    int first = 0, last = 0;  ///< Offsets of all their unknowns but the bottoms; whole vectors.
    bool apart = false;       ///< Some neighbour is too far off.
    std::size_t pivots = 0;   ///< Of the pivots m, lane by lane: pivots + 8 (i - first).
};

struct Level {
    static constexpr float kPlain = 6;  ///< d of a cell with water and nothing else around it.
    Grid grid;
    Columns<float> phi;   ///< Negative in liquid, in any unit. Above the grid: air.
    Columns<float> open;  ///< w = 1 - s in [0, 1].
    Columns<float> q, b;
    Columns<float> diagonal;  ///< d; 0 where there is no unknown.
    Columns<float> spread;    ///< w over the interpolated w of the coarser level; 0: no unknown.
    std::vector<TallPair> pair;
    std::vector<FromCoarse> from_coarse;
    std::vector<Beside, AlignedAllocator<Beside>> beside;
    std::vector<Batch> batches;    ///< By rows, colour 0 of a row before colour 1.
    std::vector<int> row_batches;  ///< Those of row z and a colour start at entry 2 z + colour.
    std::vector<float, AlignedAllocator<float>> pivots;
    /// How much the residual of a bottom counts on the coarser level, see level_merit.cpp.
    std::vector<float> merit;
    /// Offsets [first, last) hold all unknowns of a column but its bottom; whole vectors.
    std::vector<short> first, last;
    /// A bit for each of eight cells: it and its six neighbours are all water and wholly open.
    std::vector<unsigned char> plain;
    bool is_plain(int c, int i) const {
        return plain[static_cast<std::size_t>(c) * (grid.length() / 8) + i / 8] >> (i % 8) & 1;
    }
    /// Of offsets i ... i + 7, i a multiple of eight. But for the top, offset 0, d is kPlain then.
    bool all_plain(int c, int i) const {
        return plain[static_cast<std::size_t>(c) * (grid.length() / 8) + i / 8] == 0xff;
    }
    /// Weight of the neighbours beside a bottom. Its row balances one cell of the *finest* level,
    /// so on level l it is 2^-l: a coarse bottom has the flow along the whole tall cell from below,
    /// but only the finest cell's share from beside.
    float beside_bottom = 1;
    /// The method as the paper prints it, to compare with: red-black points are swept, and a coarse
    /// bottom hears only of fine bottoms in its own cell. beside_bottom is 1 then.
    bool as_printed = false;
    /// Whether water may let go of solids on this level: q >= lower in `bounded` (separation.h).
    bool separates = false;
    Columns<float> lower;  ///< Smallest q of a cell; kUnbounded where it is free.
    /// Offsets of a column between which some cells are bounded, whole vectors; empty: none.
    struct Range {
        short first = 0, last = 0;
    };
    std::vector<Range> bounded;

    /// Room for a level; phi above the grid is `air`.
    void resize(const Grid& grid, float air);
    bool has_unknowns(int c) const { return first[c] < last[c] || diagonal.bottom(c) > 0; }
};

/// Smallest distance from a cell to the surface, in cells, that the ghost value uses. It bounds d.
inline constexpr float kMinTheta = 0.01f;

/// Computes diagonal, pair and ranges from phi and open, whose cells below must be fresh, and
/// what sweeps need. q is zero after it.
void build_rows(Level& level);

/// Puts columns into batches and computes their pivots; part of build_rows.
void build_batches(Level& level);

/// q = 0 in a column.
void zero_pressure(Level& level, int c);

/// Computes merit; part of build_rows.
void build_merit(Level& level);

/// phi and open of `coarse` from `fine`, then its rows, then fine.spread. Mixed cells become air if
/// `keep_air`: bubbles must not vanish on the finest levels. [CM11, sec. 3.7.1]
void coarsen(Level& fine, Level& coarse, bool keep_air);

/// Solves the columns of one colour (x + z even: 0) in row z for q, their neighbours held fixed.
void smooth_row(Level& level, int z, int colour);

/// b of row z of `coarse` from the residual of rows 2z, 2z + 1 of `fine`, whose columns of colour 1
/// were solved last and have none. Zeroes coarse.q in that row.
void restrict_row(const Level& fine, Level& coarse, int z);
/// b of `coarse` from the residual of `fine`, whatever was solved last. Zeroes coarse.q.
void restrict_residual(const Level& fine, Level& coarse);
/// b of `coarse` from b of `fine`. Zeroes coarse.q.
void restrict_right_side(const Level& fine, Level& coarse);

/// Row z of fine.q += what the coarse q interpolates to.
void prolong_row(const Level& coarse, Level& fine, int z);

/// out[i] = sum of q beside cell i of column c, less b, for i in [first, last), whole vectors; out
/// is 32-byte aligned.
void beside_less_b(const Level& level, int c, int first, int last, float* out);
/// Sum of q over the four world neighbours of a bottom, at its own height.
float bottom_neighbours(const Level& level, int c);

/// Residual b - A q of a column into r[first ... last), 32-byte aligned, and of its bottom. Zero
/// where no unknown is, and where a bound holds q.
float column_residual(const Level& level, int c, float* r);

/// Root mean square and largest magnitude of the residual.
struct ResidualNorm {
    double l2 = 0, max = 0;
    std::size_t unknowns = 0;
};
ResidualNorm residual_norm(const Level& level);

}  // namespace slosh::tall
