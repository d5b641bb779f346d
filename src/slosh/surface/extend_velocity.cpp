// Which faces get a value in a layer is found for a whole block at once, from bits; only the rows
// of eight that gain some are then looked at.
#include <vector>

#include "slosh/grid/cell_mask.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

// A row as one vector.
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Floats8 = float __attribute__((vector_size(32)));

inline Floats8 load(const float* row) {
    return Floats8(_mm256_loadu_ps(row));
}
/// A row moved by one cell: value i is that of x = i - 1, or of x = i + 1.
inline Floats8 from_left(Floats8 row, float left) {
    const __m256i order = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
    const __m256 moved = _mm256_permutevar8x32_ps(__m256(row), order);
    return Floats8(_mm256_blend_ps(moved, _mm256_set1_ps(left), 0x01));
}
inline Floats8 from_right(Floats8 row, float right) {
    const __m256i order = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
    const __m256 moved = _mm256_permutevar8x32_ps(__m256(row), order);
    return Floats8(_mm256_blend_ps(moved, _mm256_set1_ps(right), 0x80));
}

/// Adds the marked ones of eight values and counts them. Unmarked values may be anything, even NaN.
inline void add_marked(Floats8 value, std::uint64_t marks, Floats8& sum, Ints8& number) {
    const Ints8 m = Ints8(__m256i(lanes_of(marks)));
    sum += Floats8(_mm256_and_ps(__m256(value), __m256(m)));
    number -= m;
}

/// New values of the rows of one block that gain some, one after the other, and the faces that get
/// them.
template <int D>
struct Staged {
    alignas(64) float value[kBlockCells<D>];
    CellMask<D> gained;
    bool any = false;
};

template <int D>
std::uint64_t row_of(const CellMask<D>& m, int row) {
    return slosh::row_of(m[row / kSide], row % kSide);
}

/// One component, with the faces known so far as bits.
template <int D>
class Layers {
public:
    Layers(Field<float, D>& u, Field<std::uint8_t, D>& known, const Field<float, D>* solid)
        : u_(u),
          bytes_(known),
          solid_(solid),
          blocks_(u.blocks()),
          known_(blocks_.size() + 1),
          grown_(blocks_.size()) {
        parallel_for(blocks_.size(), 32, [&](std::size_t b) {
            known_[b] = nonzero<D>(known.block(static_cast<int>(b)));
        });
    }

    /// The blocks that a layer can change: not yet full, and something known here or beside.
    std::vector<int> active_blocks() const {
        std::vector<std::uint8_t> some(known_.size(), 0);
        for (int b = 0; b < blocks_.size(); ++b) some[b] = any<D>(known_[b]);
        std::vector<int> list;
        for (int b = 0; b < blocks_.size(); ++b) {
            if (is_full<D>(known_[b])) continue;
            std::uint8_t near = some[b];
            for (int d = 0; d < D; ++d)
                near |= some[neighbour(b, d, -1)] | some[neighbour(b, d, 1)];
            if (near) list.push_back(b);
        }
        return list;
    }

    void stage(int b, Staged<D>& out) const;
    void commit(int b, const Staged<D>& staged);
    /// Marks as known what has been gained.
    void finish() const;

private:
    int neighbour(int b, int axis, int side) const {
        return blocks_.neighbour(b, neighbour_code<D>(unit<D>(axis) * side));
    }

    Field<float, D>& u_;
    Field<std::uint8_t, D>& bytes_;
    const Field<float, D>* solid_;
    const Blocks<D>& blocks_;
    std::vector<CellMask<D>> known_;   // none in the background block
    std::vector<std::uint8_t> grown_;  // blocks that have gained
};

/// One layer for one block: a face gets the mean of its known neighbours.
template <int D>
void Layers<D>::stage(int b, Staged<D>& out) const {
    const CellMask<D>& own = known_[b];
    const float *self = u_.block(b), *near[2 * D];
    CellMask<D> mark[2 * D];  // whether the lower and upper neighbour along each axis is known
    out.gained = {};
    for (int d = 0; d < D; ++d) {
        const int below = neighbour(b, d, -1), above = neighbour(b, d, 1);
        near[2 * d] = u_.block(below);
        near[2 * d + 1] = u_.block(above);
        mark[2 * d] = from_below<D>(own, known_[below], d);
        mark[2 * d + 1] = from_above<D>(own, known_[above], d);
        for (int z = 0; z < kPlanes<D>; ++z) out.gained[z] |= mark[2 * d][z] | mark[2 * d + 1][z];
    }
    for (int z = 0; z < kPlanes<D>; ++z) out.gained[z] &= ~own[z];
    out.any = any<D>(out.gained);
    if (out.any && solid_) {
        const CellMask<D> wanted = compare<D, _CMP_GT_OQ>(solid_->block(b), -kDeepestRead);
        for (int z = 0; z < kPlanes<D>; ++z) out.gained[z] &= wanted[z];
        out.any = any<D>(out.gained);
    }
    if (!out.any) return;

    float* next = out.value;
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        if (row_of<D>(out.gained, row) == 0) continue;
        const int o = row * kSide;
        const Floats8 here = load(self + o);
        Floats8 sum = {};
        Ints8 number = {};
        add_marked(from_left(here, near[0][o + kSide - 1]), row_of<D>(mark[0], row), sum, number);
        add_marked(from_right(here, near[1][o]), row_of<D>(mark[1], row), sum, number);
        // The rows on both sides along y and z, in this block or its neighbour.
        const int place[2] = {row % kSide, row / kSide};
        for (int axis = 1; axis < D; ++axis) {
            const int stride = axis == 1 ? kSide : kSide * kSide, back = (kSide - 1) * stride;
            const float* lower =
                place[axis - 1] == 0 ? near[2 * axis] + o + back : self + o - stride;
            const float* upper =
                place[axis - 1] == kSide - 1 ? near[2 * axis + 1] + o - back : self + o + stride;
            add_marked(load(lower), row_of<D>(mark[2 * axis], row), sum, number);
            add_marked(load(upper), row_of<D>(mark[2 * axis + 1], row), sum, number);
        }
        const Ints8 one = {1, 1, 1, 1, 1, 1, 1, 1};
        sum /= __builtin_convertvector(number > one ? number : one, Floats8);
        _mm256_store_ps(next, __m256(sum));
        next += kSide;
    }
}

template <int D>
void Layers<D>::commit(int b, const Staged<D>& staged) {
    if (!staged.any) return;
    grown_[b] = 1;
    float* v = u_.block(b);
    const float* next = staged.value;
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        const std::uint64_t gained = row_of<D>(staged.gained, row);
        if (gained == 0) continue;
        _mm256_maskstore_ps(v + row * kSide, _mm256_castps_si256(lanes_of(gained)),
                            _mm256_load_ps(next));
        next += kSide;
    }
    for (int z = 0; z < kPlanes<D>; ++z) known_[b][z] |= staged.gained[z];
}

template <int D>
void Layers<D>::finish() const {
    parallel_for(blocks_.size(), 32, [&](std::size_t i) {
        if (grown_[i]) store_marks<D>(known_[i], bytes_.block(static_cast<int>(i)));
    });
}

}  // namespace

template <int D>
void extend_velocity(FaceField<float, D>& u, FaceField<std::uint8_t, D>& known, int layers,
                     const Field<float, D>* solid) {
    std::vector<Staged<D>> staged;
    for (int axis = 0; axis < D; ++axis) {
        Layers<D> component(u.axis(axis), known.axis(axis), solid);
        for (int layer = 0; layer < layers; ++layer) {
            const std::vector<int> work = component.active_blocks();
            if (work.empty()) break;
            if (staged.size() < work.size()) staged.resize(work.size());
            parallel_for(work.size(), 8,
                         [&](std::size_t i) { component.stage(work[i], staged[i]); });
            parallel_for(work.size(), 16,
                         [&](std::size_t i) { component.commit(work[i], staged[i]); });
        }
        component.finish();
    }
}

template void extend_velocity<2>(FaceField<float, 2>&, FaceField<std::uint8_t, 2>&, int,
                                 const Field<float, 2>*);
template void extend_velocity<3>(FaceField<float, 3>&, FaceField<std::uint8_t, 3>&, int,
                                 const Field<float, 3>*);

}  // namespace slosh
