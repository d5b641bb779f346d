#include <cstring>
#include <vector>

#include "slosh/surface/byte_rows.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

constexpr std::uint64_t kAllKnown = 0x0101010101010101ull;

// A row as one vector.
using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Floats8 = float __attribute__((vector_size(32)));

/// Adds the marked ones of eight values and counts them. Unmarked values may be anything, even NaN.
inline void add_marked(const float* value, std::uint64_t marks, Floats8& sum, Ints8& number) {
    Bytes8 bytes;
    std::memcpy(&bytes, &marks, sizeof bytes);
    Ints8 bits;
    std::memcpy(&bits, value, sizeof bits);
    const Ints8 m = __builtin_convertvector(bytes, Ints8);
    bits &= -m;
    Floats8 masked;
    std::memcpy(&masked, &bits, sizeof masked);
    sum += masked;
    number += m;
}

/// New values of one block: rows that changed, their new marks and values.
template <int D>
struct Staged {
    alignas(64) float value[kBlockCells<D>];
    std::uint64_t
        gained[kBlockCells<D> / kSide];  ///< Per row: a byte 1 for each face that got a value.
    int block = 0, count = 0;
};

/// A block of values and marks.
struct Source {
    const float* value;
    const std::uint8_t* mark;
};

/// One layer for one block of one component, a row of eight faces at a time. Rows are reached by
/// pointer, in this block or its neighbour, so a row with nothing to do costs a few instructions.
template <int D>
void stage_layer(const Field<float, D>& u, const Field<std::uint8_t, D>& known, int b,
                 Staged<D>& out) {
    Source side[2 * D];  // lower and upper neighbour along each axis
    for (int d = 0; d < D; ++d)
        for (int up = 0; up < 2; ++up) {
            const int nb = u.blocks().neighbour(b, neighbour_code<D>(unit<D>(d) * (2 * up - 1)));
            side[2 * d + up] = {u.block(nb), known.block(nb)};
        }
    const Source own = {u.block(b), known.block(b)};
    out.block = b;
    out.count = 0;
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        out.gained[row] = 0;
        const int o = row * kSide;
        const std::uint64_t k = load_row(own.mark + o);
        if (k == kAllKnown) continue;
        const std::uint64_t before = side[0].mark[o + kSide - 1], after = side[1].mark[o];
        std::uint64_t mark[2 * D] = {k << 8 | before, k >> 8 | after << 56};
        std::uint64_t reach = mark[0] | mark[1];
        // The rows on both sides along y and z.
        const float* value[2 * D];
        const int place[2] = {row % kSide, row / kSide};
        for (int axis = 1; axis < D; ++axis) {
            const int stride = axis == 1 ? kSide : kSide * kSide, back = (kSide - 1) * stride;
            const bool low = place[axis - 1] == 0, high = place[axis - 1] == kSide - 1;
            const Source& lower = low ? side[2 * axis] : own;
            const Source& upper = high ? side[2 * axis + 1] : own;
            const int at_lower = low ? o + back : o - stride,
                      at_upper = high ? o - back : o + stride;
            value[2 * axis] = lower.value + at_lower;
            mark[2 * axis] = load_row(lower.mark + at_lower);
            value[2 * axis + 1] = upper.value + at_upper;
            mark[2 * axis + 1] = load_row(upper.mark + at_upper);
            reach |= mark[2 * axis] | mark[2 * axis + 1];
        }
        const std::uint64_t gained = reach & ~k;
        if (gained == 0) continue;

        float line[kSide + 2];  // the row with its two neighbours along x
        line[0] = side[0].value[o + kSide - 1];
        line[kSide + 1] = side[1].value[o];
        std::memcpy(line + 1, own.value + o, sizeof(float) * kSide);
        value[0] = line;
        value[1] = line + 2;
        Floats8 sum = {};
        Ints8 number = {};
        for (int n = 0; n < 2 * D; ++n) add_marked(value[n], mark[n], sum, number);
        const Ints8 one = {1, 1, 1, 1, 1, 1, 1, 1};
        sum /= __builtin_convertvector(number > one ? number : one, Floats8);
        std::memcpy(out.value + o, &sum, sizeof sum);
        out.gained[row] = gained;
        out.count += __builtin_popcountll(gained);
    }
}

template <int D>
void commit_layer(const Staged<D>& staged, Field<float, D>& u, Field<std::uint8_t, D>& known) {
    float* v = u.block(staged.block);
    std::uint8_t* k = known.block(staged.block);
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        if (staged.gained[row] == 0) continue;
        std::uint8_t gained[kSide];
        std::memcpy(gained, &staged.gained[row], kSide);
        for (int x = 0; x < kSide; ++x) {
            const int o = row * kSide + x;
            v[o] = gained[x] ? staged.value[o] : v[o];
            k[o] |= gained[x];
        }
    }
}

/// The blocks that a layer can change: not yet full, and something known here or beside.
template <int D>
std::vector<int> active_blocks(const Blocks<D>& blocks, const std::vector<int>& count) {
    std::vector<int> list;
    for (int b = 0; b < blocks.size(); ++b) {
        if (count[b] == kBlockCells<D>) continue;
        bool near = count[b] > 0;
        for (int d = 0; d < D && !near; ++d)
            for (int side = -1; side <= 1; side += 2) {
                const int nb = blocks.neighbour(b, neighbour_code<D>(unit<D>(d) * side));
                near = near || (nb < blocks.size() && count[nb] > 0);
            }
        if (near) list.push_back(b);
    }
    return list;
}

}  // namespace

template <int D>
void extend_velocity(FaceField<float, D>& u, FaceField<std::uint8_t, D>& known, int layers) {
    const Blocks<D>& blocks = u.blocks();
    std::vector<Staged<D>> staged;
    for (int axis = 0; axis < D; ++axis) {
        Field<float, D>& v = u.axis(axis);
        Field<std::uint8_t, D>& k = known.axis(axis);
        std::vector<int> count(blocks.size());  // known faces of each block
        parallel_for(blocks.size(), 32, [&](std::size_t b) {
            int n = 0;
            for (int o = 0; o < kBlockCells<D>; ++o) n += k.block(static_cast<int>(b))[o];
            count[b] = n;
        });
        for (int layer = 0; layer < layers; ++layer) {
            const std::vector<int> work = active_blocks(blocks, count);
            if (work.empty()) break;
            if (staged.size() < work.size()) staged.resize(work.size());
            parallel_for(work.size(), 8,
                         [&](std::size_t i) { stage_layer(v, k, work[i], staged[i]); });
            parallel_for(work.size(), 16, [&](std::size_t i) {
                if (staged[i].count == 0) return;
                commit_layer(staged[i], v, k);
                count[work[i]] += staged[i].count;
            });
        }
    }
}

template void extend_velocity<2>(FaceField<float, 2>&, FaceField<std::uint8_t, 2>&, int);
template void extend_velocity<3>(FaceField<float, 3>&, FaceField<std::uint8_t, 3>&, int);

}  // namespace slosh
