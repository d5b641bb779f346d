#include <cstring>
#include <vector>

#include "slosh/surface/extend.h"

namespace slosh {

namespace {

constexpr std::uint64_t kAllKnown = 0x0101010101010101ull;

std::uint64_t load_row(const std::uint8_t* p) {
    std::uint64_t row;
    std::memcpy(&row, p, 8);
    return row;
}

/// New values of one block: rows that changed, their new marks and values.
template <int D>
struct Staged {
    alignas(64) float value[kBlockCells<D>];
    std::uint64_t
        gained[kBlockCells<D> / kSide];  ///< Per row: a byte 1 for each face that got a value.
    int block = 0, count = 0;
};

/// One layer for one block of one component, a row of eight faces at a time. Rows are reached by
/// pointer, in this block or its neighbour, so a row with nothing to do costs a few instructions.
template <int D>
void stage_layer(const Field<float, D>& u, const Field<std::uint8_t, D>& known, int b,
                 Staged<D>& out) {
    const auto& near = u.blocks().neighbours(b);
    const std::uint8_t* own = known.block(b);
    auto side_block = [&](int axis, int side) {
        return near[neighbour_code<D>(unit<D>(axis) * side)];
    };
    const int left = side_block(0, -1), right = side_block(0, 1);
    out.block = b;
    out.count = 0;
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        out.gained[row] = 0;
        const int o = row * kSide;
        const std::uint64_t k = load_row(own + o);
        if (k == kAllKnown) continue;
        const std::uint8_t before = known.block(left)[o + kSide - 1], after = known.block(right)[o];
        const std::uint64_t from_left = k << 8 | before;
        const std::uint64_t from_right = k >> 8 | static_cast<std::uint64_t>(after) << 56;
        std::uint64_t reach = from_left | from_right;
        // The rows on both sides along y and z.
        const float* value[2 * (D - 1)];
        std::uint64_t mark[2 * (D - 1)];
        for (int axis = 1; axis < D; ++axis) {
            const int stride = axis == 1 ? kSide : kSide * kSide;
            const int place = axis == 1 ? row % kSide : row / kSide;
            for (int side = 0; side < 2; ++side) {
                const bool inside = side ? place < kSide - 1 : place > 0;
                const int from = inside ? b : side_block(axis, side ? 1 : -1);
                const int at = (inside ? o
                                : side ? o - kSide * stride
                                       : o + kSide * stride) +
                               (side ? stride : -stride);
                const int n = 2 * (axis - 1) + side;
                value[n] = u.block(from) + at;
                mark[n] = load_row(known.block(from) + at);
                reach |= mark[n];
            }
        }
        const std::uint64_t gained = reach & ~k;
        if (gained == 0) continue;

        float line[kSide + 2];  // the row with its two neighbours along x
        std::uint8_t line_mark[kSide + 2];
        line[0] = u.block(left)[o + kSide - 1];
        line[kSide + 1] = u.block(right)[o];
        std::memcpy(line + 1, u.block(b) + o, sizeof(float) * kSide);
        line_mark[0] = before;
        line_mark[kSide + 1] = after;
        std::memcpy(line_mark + 1, own + o, kSide);
        float sum[kSide], number[kSide];
        for (int x = 0; x < kSide; ++x) {
            sum[x] = (line_mark[x] ? line[x] : 0.0f) + (line_mark[x + 2] ? line[x + 2] : 0.0f);
            number[x] = static_cast<float>(line_mark[x] + line_mark[x + 2]);
        }
        for (int n = 0; n < 2 * (D - 1); ++n) {
            std::uint8_t m[kSide];
            std::memcpy(m, &mark[n], kSide);
            for (int x = 0; x < kSide; ++x) {
                sum[x] += m[x] ? value[n][x] : 0.0f;
                number[x] += static_cast<float>(m[x]);
            }
        }
        for (int x = 0; x < kSide; ++x) out.value[o + x] = sum[x] / std::max(number[x], 1.0f);
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
