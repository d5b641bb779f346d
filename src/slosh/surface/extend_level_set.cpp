#include <cmath>
#include <vector>

#include "slosh/grid/tile.h"
#include "slosh/particles/lanes.h"
#include "slosh/surface/byte_rows.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

template <int D>
using Values = Tile<float, D, 2>;
template <int D>
using Marks = Tile<std::uint8_t, D, 2>;
constexpr float kFarthest = 1e30f;

/// Offset in a tile of halo 2 of the neighbour with a code.
template <int D>
constexpr int neighbour_step(int code) {
    const Index<D> o = neighbour_offset<D>(code);
    int s = 0;
    for (int d = 0; d < D; ++d) s += o[d] * Values<D>::step(d);
    return s;
}

/// phi at a neighbour, continued linearly over the given offset with the gradient known there; a
/// level set rises by at most one a cell.
template <int D>
float continued(const Values<D>& phi, const Marks<D>& known, int at, const Index<D>& offset) {
    float g[D], square = 0;
    for (int d = 0; d < D; ++d) {
        const int s = Values<D>::step(d);
        const bool lo = known.v[at - s], hi = known.v[at + s];
        const float rise = (hi ? phi.v[at + s] : phi.v[at]) - (lo ? phi.v[at - s] : phi.v[at]);
        g[d] = lo && hi ? 0.5f * rise : rise;
        square += g[d] * g[d];
    }
    const float shrink = square > 1 ? 1 / std::sqrt(square) : 1;
    float value = phi.v[at];
    for (int d = 0; d < D; ++d) value -= shrink * g[d] * static_cast<float>(offset[d]);
    return value;
}

/// The least and the most of phi at the known ones among the cells around each cell of a block and
/// itself, a row at a time: first along x, then y, then z.
template <int D>
class KnownRange {
public:
    struct Range {
        Floats least, most;
    };

    KnownRange(const Values<D>& phi, const Marks<D>& known) {
        constexpr int kDeep = D == 3 ? kSide + 2 : 1;
        Range along_x[kDeep][kSide + 2];
        for (int z = 0; z < kDeep; ++z)
            for (int y = 0; y < kSide + 2; ++y) {
                Index<D> first;
                first[1] = y - 1;
                if constexpr (D == 3) first[2] = z - 1;
                const int t = Values<D>::offset(first);
                along_x[z][y] =
                    unite(at(phi, known, t - 1), at(phi, known, t), at(phi, known, t + 1));
            }
        for (int z = 0; z < kDeep; ++z)
            for (int y = 0; y < kSide; ++y) {
                const Range* x = along_x[z] + y;
                along_y_[z][y] = unite(x[0], x[1], x[2]);
            }
    }
    Range row(int y, int z) const {
        if constexpr (D == 2) return along_y_[0][y];
        return unite(along_y_[z][y], along_y_[z + 1][y], along_y_[z + 2][y]);
    }

private:
    static Range unite(const Range& a, const Range& b, const Range& c) {
        return {min_lanes(a.least, min_lanes(b.least, c.least)),
                max_lanes(a.most, max_lanes(b.most, c.most))};
    }
    static Range at(const Values<D>& phi, const Marks<D>& known, int t) {
        const __m128i marks = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(known.v + t));
        const Ints is_known = Ints(_mm256_cvtepu8_epi32(marks)) != 0;
        const Floats value = Floats(_mm256_loadu_ps(phi.v + t));
        return {choose(is_known, value, all_lanes(kFarthest)),
                choose(is_known, value, all_lanes(-kFarthest))};
    }

    Range along_y_[D == 3 ? kSide + 2 : 1][kSide];
};

/// The value of a solid-centred cell from its known neighbours, of which it has some.
template <int D>
float continue_near(const Values<D>& phi, const Marks<D>& known, const Values<D>& solid, int t) {
    float normal[D];
    for (int d = 0; d < D; ++d)
        normal[d] = solid.v[t + Values<D>::step(d)] - solid.v[t - Values<D>::step(d)];
    float sum = 0, weights = 0;
    for (int code = 0; code < kNeighbours<D>; ++code) {
        const int at = t + neighbour_step<D>(code);
        if (!known.v[at]) continue;
        const Index<D> offset = neighbour_offset<D>(code);
        float along = 0, square = 0;
        for (int d = 0; d < D; ++d) {
            along += normal[d] * static_cast<float>(offset[d]);
            square += static_cast<float>(offset[d] * offset[d]);
        }
        // Neighbours straight out of the wall count most; the small rest keeps corners defined.
        const float out = std::max(along, 0.0f);
        const float w = (out * out + 1e-3f) / (square * square);
        sum += w * continued<D>(phi, known, at, offset);
        weights += w;
    }
    const float value = sum / weights;
    // Liquid behind a face and no air behind another: liquid, as deep as the liquid it touches.
    float deepest = 0;
    bool air = false;
    for (int d = 0; d < D; ++d)
        for (int s : {-Values<D>::step(d), Values<D>::step(d)}) {
            if (!known.v[t + s] || solid.v[t + s] < 0) continue;
            deepest = std::min(deepest, phi.v[t + s]);
            air |= phi.v[t + s] >= 0;
        }
    return deepest < 0 && !air && value >= 0 ? deepest : value;
}

/// Whether phi is one and the same in a block and in all blocks around it, by block: there it is
/// what it would become.
template <int D>
std::vector<std::uint8_t> find_uniform(const Field<float, D>& phi) {
    const Blocks<D>& blocks = phi.blocks();
    const auto n = static_cast<std::size_t>(blocks.size());
    std::vector<std::uint8_t> alone(n + 1), around(n);
    parallel_for(n + 1, 16, [&](std::size_t b) {
        const float* v = phi.block(static_cast<int>(b));
        int differ = 0;
        for (int o = 0; o < kBlockCells<D>; ++o) differ |= v[o] != v[0];
        alone[b] = !differ;
    });
    parallel_for(n, 64, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        around[i] = 1;
        for (int near : blocks.neighbours(b))
            around[i] &= alone[near] && *phi.block(near) == *phi.block(b);
    });
    return around;
}

}  // namespace

template <int D>
void extend_into_solids(Field<float, D>& phi, const Field<float, D>& solid, int layers) {
    const BlocksPtr<D>& blocks = phi.blocks_ptr();
    Field<std::uint8_t, D> known(blocks, 0);
    std::vector<std::uint8_t> has_solid(blocks->size());
    parallel_for(blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const float* s = solid.block(b);
        std::uint8_t* k = known.block(b);
        std::uint8_t all = 1;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            k[o] = s[o] >= 0;
            all &= k[o];
        }
        has_solid[b] = !all;
    });
    const std::vector<std::uint8_t> uniform = find_uniform(phi);
    std::vector<int> work;
    for (int b = 0; b < blocks->size(); ++b)
        if (has_solid[b] && !uniform[b]) work.push_back(b);

    struct Change {
        int offset;
        float value;
    };
    std::vector<std::vector<Change>> changes(work.size());
    for (int layer = 0; layer < layers; ++layer) {
        // Read the layers before, then write: a layer never sees itself.
        parallel_for(work.size(), 4, [&](std::size_t i) {
            changes[i].clear();
            Marks<D> k;
            k.load(known, work[i]);
            alignas(8) std::uint8_t near[kBlockCells<D>];
            dilate<D, 1, 2>(k, near);
            const std::uint8_t* own = known.block(work[i]);
            const float* depth = solid.block(work[i]);
            for (int o = 0; o < kBlockCells<D>; ++o)
                near[o] = near[o] && !own[o] && depth[o] >= -static_cast<float>(layers) - 1;
            if (!any_marked(near, kBlockCells<D>)) return;
            Values<D> p, s;
            p.load(phi, work[i]);
            s.load(solid, work[i]);
            const KnownRange<D> ranges(p, k);
            for (int o = 0; o < kBlockCells<D>; o += kSide) {
                if (load_row(near + o) == 0) continue;
                const int t = Values<D>::offset(local_cell<D>(o));
                // Far from the surface: whatever the neighbours say.
                const auto range = ranges.row(o / kSide % kSide, o / (kSide * kSide));
                const Ints in_air = range.least > 2;
                const Floats value = choose(in_air, range.least, range.most);
                const int far = bits(in_air | (range.most < -2));
                for (int x = 0; x < kSide; ++x)
                    if (near[o + x])
                        changes[i].push_back(
                            {o + x, far >> x & 1 ? value[x] : continue_near<D>(p, k, s, t + x)});
            }
        });
        parallel_for(work.size(), 16, [&](std::size_t i) {
            for (const Change& c : changes[i]) {
                phi.block(work[i])[c.offset] = c.value;
                known.block(work[i])[c.offset] = 1;
            }
        });
    }
}

template void extend_into_solids<2>(Field<float, 2>&, const Field<float, 2>&, int);
template void extend_into_solids<3>(Field<float, 3>&, const Field<float, 3>&, int);

}  // namespace slosh
