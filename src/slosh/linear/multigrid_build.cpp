// Builds the hierarchy of multigrid.h, level by level, each from the plain arrays of the last.
#include <algorithm>
#include <bit>

#include "slosh/linear/block_rows.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

namespace {

/// An operator as plain arrays: lower-face coefficients and excess.
template <int D>
struct PlainArrays {
    const FaceField<float, D>* coefficient;
    const Field<float, D>* excess;
    const Field<std::uint8_t, D>* unknown = nullptr;  // null: every cell with a diagonal
};

/// The rows of one block: both faces of each cell along each axis.
template <int D>
struct BlockStencil {
    static constexpr int N = kBlockCells<D>;
    alignas(64) float c[2 * D][N];  // lower and upper coefficient by axis
    alignas(64) float excess[N];
    alignas(64) float diagonal[N];
    alignas(64) std::uint8_t plain[N];

    void load(const PlainArrays<D>& A, int b, float weight) {
        for (int axis = 0; axis < D; ++axis) {
            const Field<float, D>& f = A.coefficient->axis(axis);
            const float* lower = f.block(b);
            const float* next = f.block(f.blocks().neighbour(b, face_code<D>(2 * axis + 1)));
            const int step = axis == 0 ? 1 : axis == 1 ? kSide : kSide * kSide;
            float* up = c[2 * axis + 1];
            std::copy_n(lower, N, c[2 * axis]);
            if (axis == 0) {
                for (int o = 0; o < N; o += kSide) {
                    std::copy_n(lower + o + 1, kSide - 1, up + o);
                    up[o + kSide - 1] = next[o];
                }
            } else {
                const int slab = kSide * step;
                for (int o = 0; o < N; o += slab) {
                    std::copy_n(lower + o + step, slab - step, up + o);
                    std::copy_n(next + o, step, up + o + slab - step);
                }
            }
        }
        std::copy_n(A.excess->block(b), N, excess);
        if (A.unknown) {
            const std::uint8_t* u = A.unknown->block(b);
            for (int o = 0; o < N; ++o) {
                const float keep = u[o] ? 1.f : 0.f;
                for (int side = 0; side < 2 * D; ++side) c[side][o] *= keep;
                excess[o] *= keep;
            }
        }
        for (int o = 0; o < N; ++o) {
            float d = excess[o];
            bool same = excess[o] == 0;
            for (int side = 0; side < 2 * D; ++side) {
                d += c[side][o];
                same &= c[side][o] == weight;
            }
            diagonal[o] = d;
            plain[o] = same;
        }
    }
};

template <int D>
bool all_plain(const PlainArrays<D>& A, int b, float weight) {
    constexpr int N = kBlockCells<D>;
    const float* e = A.excess->block(b);
    int bad = 0;
    for (int o = 0; o < N; ++o) bad += e[o] != 0;
    if (bad) return false;
    for (int axis = 0; axis < D; ++axis) {
        const Field<float, D>& f = A.coefficient->axis(axis);
        const float* c = f.block(b);
        for (int o = 0; o < N; ++o) bad += c[o] != weight;
        if (bad) return false;
        const float* next = f.block(f.blocks().neighbour(b, face_code<D>(2 * axis + 1)));
        const int step = axis == 0 ? 1 : axis == 1 ? kSide : kSide * kSide;
        for (int o = 0; o < N; ++o) bad += (o / step) % kSide == 0 && next[o] != weight;
    }
    return bad == 0;
}

template <int D>
struct CellTable {
    std::uint16_t at[2][kVectors<D>][8];
    constexpr CellTable() : at() {
        for (int t = 0; t < 2; ++t)
            for (int v = 0; v < kVectors<D>; ++v)
                for (int l = 0; l < 8; ++l)
                    at[t][v][l] = static_cast<std::uint16_t>(split_cell<D>(t, v, l));
    }
};
template <int D>
constexpr CellTable<D> kCells;

/// Sorts the vectors of a block; returns the number of unknowns.
template <int D>
int classify(const BlockStencil<D>& s, BlockKinds& kinds) {
    int unknowns = 0;
    for (int t = 0; t < 2; ++t)
        for (int v = 0; v < kVectors<D>; ++v) {
            int plain = 0, live = 0;
            for (int l = 0; l < 8; ++l) {
                const int o = kCells<D>.at[t][v][l];
                plain += s.plain[o];
                live += s.diagonal[o] > 0;
            }
            unknowns += live;
            if (plain == 8)
                kinds.plain[t] |= 1u << v;
            else if (live > 0)
                kinds.mixed[t] |= 1u << v;
        }
    return unknowns;
}

template <int D>
void fill_mixed(const BlockStencil<D>& s, int t, int v, MixedVector<D>& m) {
    for (int l = 0; l < 8; ++l) {
        const int o = kCells<D>.at[t][v][l];
        const bool left = (o & 1) == 0;  // its shifted neighbour is the one at x - 1
        m.c[0][l] = s.c[left ? 1 : 0][o];
        m.c[1][l] = s.c[left ? 0 : 1][o];
        for (int side = 2; side < 2 * D; ++side) m.c[side][l] = s.c[side][o];
        m.inverse[l] = s.diagonal[o] > 0 ? 1 / s.diagonal[o] : 0;
        m.excess[l] = s.excess[o];
    }
}

template <int D>
void build_level(const PlainArrays<D>& A, float weight, MultigridLevel<D>& level) {
    const Blocks<D>& blocks = *level.blocks;
    const int n = blocks.size();
    level.weight = weight;
    level.faces.resize(n);
    level.kinds.resize(n);
    std::vector<int> unknowns(n);
    parallel_for(n, 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int side = 0; side < 2 * D; ++side)
            level.faces[b][side] = blocks.neighbour(b, face_code<D>(side));
        BlockKinds& k = level.kinds[b];
        if (all_plain(A, b, weight)) {
            k.plain[0] = k.plain[1] = D == 3 ? 0xffffffffu : 0xfu;
            unknowns[b] = kBlockCells<D>;
        } else {
            BlockStencil<D> s;
            s.load(A, b, weight);
            unknowns[b] = classify(s, k);
        }
    });
    std::uint32_t next = 0;
    for (int b = 0; b < n; ++b) {
        level.unknowns += unknowns[b];
        for (int t = 0; t < 2; ++t) {
            level.kinds[b].first[t] = next;
            next += std::popcount(level.kinds[b].mixed[t]);
        }
    }
    level.mixed.resize(next);
    parallel_for(n, 16, [&](std::size_t i) {
        const BlockKinds& k = level.kinds[i];
        if ((k.mixed[0] | k.mixed[1]) == 0) return;
        BlockStencil<D> s;
        s.load(A, static_cast<int>(i), weight);
        for (int t = 0; t < 2; ++t) {
            MixedVector<D>* out = level.mixed.data() + k.first[t];
            for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1)
                fill_mixed(s, t, std::countr_zero(bits), *out++);
        }
    });
}

/// The excess a cell passes on to its coarse cell. A surface that touches the cell's centre
/// (e = infinity) is about half a fine cell from the coarse centre, which bounds what may be
/// passed. Passing half of it, as for faces, costs twice the iterations.
inline float carried(float e, float weight) {
    return e / (1 + e / (4 * weight));
}

/// The next level's arrays: half the sum of the fine faces, the carried excess of the children.
template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    FaceField<float, D>& coefficient, Field<float, D>& excess) {
    const Coarsening<D>& up = level.coarsening;
    const float plain = level.weight * (D == 3 ? 2 : 1);
    parallel_for(up.coarse->size(), 4, [&](std::size_t i) {
        const int B = static_cast<int>(i);
        for (int octant = 0; octant < kChildren<D>; ++octant) {
            const int b = up.children[B][octant];
            if (b == level.size()) continue;
            const bool is_plain = level.is_plain(b);
            for (int z = 0; z < (D == 3 ? 4 : 1); ++z)
                for (int y = 0; y < 4; ++y) {
                    const int to = 4 * (octant & 1) + kSide * (y + 4 * (octant >> 1 & 1)) +
                                   64 * (z + 4 * (octant >> 2 & 1));
                    if (is_plain) {
                        for (int d = 0; d < D; ++d)
                            std::fill_n(coefficient.axis(d).block(B) + to, 4, plain);
                        continue;
                    }
                    const int from = 2 * kSide * y + 2 * 64 * z;
                    for (int x = 0; x < 4; ++x) {
                        float e = 0, c[D] = {};
                        for (int child = 0; child < kChildren<D>; ++child) {
                            const int o = from + 2 * x + (child & 1) + kSide * (child >> 1 & 1) +
                                          64 * (child >> 2 & 1);
                            if (fine.unknown && !fine.unknown->block(b)[o]) continue;
                            e += carried(fine.excess->block(b)[o], level.weight);
                            for (int d = 0; d < D; ++d)
                                if (!(child >> d & 1))
                                    c[d] += fine.coefficient->axis(d).block(b)[o];
                        }
                        excess.block(B)[to + x] = e;
                        for (int d = 0; d < D; ++d)
                            coefficient.axis(d).block(B)[to + x] = 0.5f * c[d];
                    }
                }
        }
    });
}

}  // namespace

template <int D>
std::size_t MultigridLevel<D>::bytes() const {
    return faces.size() * sizeof(faces[0]) + kinds.size() * sizeof(BlockKinds) +
           mixed.size() * sizeof(MixedVector<D>) + x.bytes() + b.bytes() +
           coarsening.parent.size() * (sizeof(int) + 1) +
           coarsening.children.size() * sizeof(int) * kChildren<D> +
           (coarsening.coarse ? coarsening.coarse->bytes() : 0);
}

template <int D>
std::size_t Multigrid<D>::bytes() const {
    std::size_t n = 0;
    for (const auto& level : levels_) n += level.bytes();
    return n;
}

template <int D>
Multigrid<D>::Multigrid(const BlockSystem<D>& system, const MultigridOptions& options)
    : options_(options) {
    // Inside the liquid all faces are fully open: the largest coefficient is the common one.
    float weight = static_cast<float>(parallel_max(system.blocks->size(), [&](std::size_t b) {
        float m[8] = {};
        for (int d = 0; d < D; ++d) {
            const float* c = system.coefficient.axis(d).block(static_cast<int>(b));
            for (int o = 0; o < kBlockCells<D>; ++o) m[o & 7] = std::max(m[o & 7], c[o]);
        }
        return *std::max_element(m, m + 8);
    }));
    if (weight == 0) weight = 1;  // no faces at all: nothing is plain
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown};
    levels_.emplace_back();
    levels_[0].blocks = system.blocks;
    build_level(arrays, weight, levels_[0]);

    FaceField<float, D> coefficient;
    Field<float, D> excess;
    // Coordinates have 20 bits, so 20 levels bring everything together.
    while (levels_.back().unknowns > static_cast<std::size_t>(options_.coarsest_cells) &&
           levels_.size() < 20) {
        MultigridLevel<D>& fine = levels_.back();
        fine.coarsening = coarsen(*fine.blocks);
        MultigridLevel<D> coarse;
        coarse.blocks = fine.coarsening.coarse;
        FaceField<float, D> c(coarse.blocks);
        Field<float, D> e(coarse.blocks);
        coarsen_arrays(arrays, fine, c, e);
        coefficient = std::move(c);
        excess = std::move(e);
        arrays = {&coefficient, &excess};
        build_level(arrays, fine.weight * (D == 3 ? 2 : 1), coarse);
        if (coarse.unknowns == 0) {  // only clusters of a few cells left, which sweeps solve
            fine.coarsening = {};
            break;
        }
        coarse.x = SplitField<D>(coarse.size());
        coarse.b = SplitField<D>(coarse.size());
        levels_.push_back(std::move(coarse));
    }
}

template struct MultigridLevel<2>;
template struct MultigridLevel<3>;
template Multigrid<2>::Multigrid(const BlockSystem<2>&, const MultigridOptions&);
template Multigrid<3>::Multigrid(const BlockSystem<3>&, const MultigridOptions&);
template std::size_t Multigrid<2>::bytes() const;
template std::size_t Multigrid<3>::bytes() const;

}  // namespace slosh
