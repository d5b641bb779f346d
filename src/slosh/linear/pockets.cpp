#include "slosh/linear/pockets.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace slosh {

namespace {

template <int D>
struct BlockParts {
    CellMask<D> open[D];  // cells joined to their lower neighbour
    std::vector<CellMask<D>> parts;
    std::vector<bool> excess;
};

/// One plane of a flood: spreads `m` within itself until it stops growing.
template <int D>
std::uint64_t spread(std::uint64_t m, std::uint64_t open_x, std::uint64_t open_y) {
    for (;;) {
        std::uint64_t g = m;
        g |= (g << 1) & open_x & ~kColumn0;
        g |= (g & open_x & ~kColumn0) >> 1;
        g |= (g << 8) & open_y;
        g |= (g & open_y) >> 8;
        if (g == m) return m;
        m = g;
    }
}

/// All cells of the block that the cells of `m` reach within it.
template <int D>
void flood(const BlockParts<D>& b, CellMask<D>& m) {
    for (;;) {
        const CellMask<D> before = m;
        for (int z = 0; z < kPlanes<D>; ++z) {
            if constexpr (D == 3)
                if (z > 0) m[z] |= m[z - 1] & b.open[2][z];
            m[z] = spread<D>(m[z], b.open[0][z], b.open[1][z]);
        }
        if constexpr (D == 3)
            for (int z = kSide - 2; z >= 0; --z) {
                m[z] |= m[z + 1] & b.open[2][z + 1];
                m[z] = spread<D>(m[z], b.open[0][z], b.open[1][z]);
            }
        if (m == before) return;
    }
}

template <int D>
BlockParts<D> split_block(const BlockSystem<D>& system, int block) {
    BlockParts<D> r;
    CellMask<D> left = nonzero<D>(system.unknown.block(block));
    if (!any<D>(left)) return r;
    const CellMask<D> excess = compare<D, _CMP_GT_OQ>(system.excess.block(block), 0);
    for (int d = 0; d < D; ++d) {
        r.open[d] = compare<D, _CMP_GT_OQ>(system.coefficient.axis(d).block(block), 0);
        for (int z = 0; z < kPlanes<D>; ++z) r.open[d][z] &= left[z];
    }
    const CellMask<D> unknown = left;
    std::uint64_t joined = ~0ull;
    for (int z = 0; z < kPlanes<D>; ++z)
        for (int d = 0; d < D; ++d) joined &= r.open[d][z];
    while (any<D>(left)) {
        CellMask<D> part = unknown;
        if (joined != ~0ull) {  // else all cells are unknowns, each joined to the next
            part = {};
            int z = 0;
            while (left[z] == 0) ++z;
            part[z] = left[z] & -left[z];
            flood(r, part);
        }
        bool wet = false;
        for (int i = 0; i < kPlanes<D>; ++i) {
            part[i] &= unknown[i];
            left[i] &= ~part[i];
            wet = wet || (part[i] & excess[i]) != 0;
        }
        r.parts.push_back(part);
        r.excess.push_back(wet);
    }
    return r;
}

/// Does an open lower face along `axis` join part `a` of a block to part `below` of the block
/// below?
template <int D>
bool touches(const BlockParts<D>& block, int axis, const CellMask<D>& a, const CellMask<D>& below) {
    std::uint64_t hit = 0;
    if (axis == 2) return (a[0] & block.open[D - 1][0] & below[kPlanes<D> - 1]) != 0;
    for (int z = 0; z < kPlanes<D>; ++z) {
        const std::uint64_t open = a[z] & block.open[axis][z];
        hit |= axis == 0 ? open & kColumn0 & (below[z] >> 7) : open & 0xff & (below[z] >> 56);
    }
    return hit != 0;
}

class UnionFind {
public:
    explicit UnionFind(int n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
    int find(int i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// The smaller number becomes the root: numbering does not depend on the order of joins.
    void join(int a, int b) {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<int> parent_;
};

}  // namespace

template <int D>
Pockets<D> find_pockets(const BlockSystem<D>& system) {
    const Blocks<D>& blocks = *system.blocks;
    const int n = blocks.size();
    std::vector<BlockParts<D>> split(n);
    parallel_for(n, 16,
                 [&](std::size_t b) { split[b] = split_block(system, static_cast<int>(b)); });
    std::vector<int> first(n + 1, 0);
    for (int b = 0; b < n; ++b) first[b + 1] = first[b] + static_cast<int>(split[b].parts.size());

    UnionFind joined(first[n]);
    for (int b = 0; b < n; ++b)
        for (int axis = 0; axis < D; ++axis) {
            const int lower = blocks.neighbour(b, face_code<D>(2 * axis));
            if (lower == n) continue;
            for (std::size_t i = 0; i < split[b].parts.size(); ++i)
                for (std::size_t j = 0; j < split[lower].parts.size(); ++j)
                    if (touches(split[b], axis, split[b].parts[i], split[lower].parts[j]))
                        joined.join(first[b] + static_cast<int>(i),
                                    first[lower] + static_cast<int>(j));
        }

    std::vector<std::uint8_t> wet(first[n], 0);
    for (int b = 0; b < n; ++b)
        for (std::size_t i = 0; i < split[b].parts.size(); ++i)
            if (split[b].excess[i]) wet[joined.find(first[b] + static_cast<int>(i))] = 1;
    Pockets<D> r;
    std::vector<int> number(first[n], -1);
    for (int b = 0; b < n; ++b)
        for (std::size_t i = 0; i < split[b].parts.size(); ++i) {
            const int root = joined.find(first[b] + static_cast<int>(i));
            if (wet[root]) continue;
            if (number[root] < 0) number[root] = r.count++;
            r.parts.push_back({b, number[root], split[b].parts[i]});
        }
    return r;
}

template <int D>
int make_consistent(BlockSystem<D>& system) {
    const Pockets<D> pockets = find_pockets(system);
    std::vector<double> sum(pockets.count, 0), cells(pockets.count, 0);
    const auto each_cell = [](const CellMask<D>& m, const auto& body) {
        for (int z = 0; z < kPlanes<D>; ++z)
            for (std::uint64_t bits = m[z]; bits; bits &= bits - 1)
                body(64 * z + std::countr_zero(bits));
    };
    for (const auto& part : pockets.parts) {
        const double* f = system.rhs.block(part.block);
        each_cell(part.cells, [&](int o) {
            sum[part.pocket] += f[o];
            cells[part.pocket] += 1;
        });
    }
    // Taking out the share of one combination must not bring back that of another.
    auto null = null_combinations(pockets, system.bodies.get());
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double s = 0;
        for (int p = 0; p < pockets.count; ++p) s += a[p] * b[p] * cells[p];
        return s;
    };
    std::vector<double> take(pockets.count, 0);  // from every cell of each pocket
    for (std::size_t i = 0; i < null.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double along = product(null[i], null[j]) / product(null[j], null[j]);
            for (int p = 0; p < pockets.count; ++p) null[i][p] -= along * null[j][p];
        }
        double share = 0;
        for (int p = 0; p < pockets.count; ++p) share += null[i][p] * sum[p];
        share /= product(null[i], null[i]);
        for (int p = 0; p < pockets.count; ++p) take[p] += share * null[i][p];
    }
    for (const auto& part : pockets.parts) {
        double* f = system.rhs.block(part.block);
        each_cell(part.cells, [&](int o) { f[o] -= take[part.pocket]; });
    }
    return pockets.count;
}

template Pockets<2> find_pockets<2>(const BlockSystem<2>&);
template Pockets<3> find_pockets<3>(const BlockSystem<3>&);
template int make_consistent<2>(BlockSystem<2>&);
template int make_consistent<3>(BlockSystem<3>&);

}  // namespace slosh
