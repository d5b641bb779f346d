// How surface passes through a cube of grid values, for every pattern of signs at its corners.
#pragma once

#include <algorithm>
#include <cstdint>

#include "slosh/grid/blocks.h"

namespace slosh {

/// Number of the edge along `axis` whose lower corner has the bits `corner` (bit `axis` is 0).
template <int D>
constexpr int edge_number(int axis, int corner) {
    const int below = corner & ((1 << axis) - 1), above = corner >> (axis + 1);
    return axis * (kChildren<D> / 2) + (above << axis | below);
}
template <int D>
constexpr int kEdges = D* kChildren<D> / 2;

/// For each of the 2^(2^D) sign patterns of a cube's corners (bit set: inside): how many sheets of
/// surface pass, and which of them crosses each edge.
template <int D>
struct SheetTable {
    static constexpr int kPatterns = 1 << kChildren<D>;
    std::uint8_t sheets[kPatterns];
    std::uint8_t sheet_of[kPatterns][kEdges<D>];  ///< 255 where the edge is not crossed.
    struct Crossed {
        std::uint8_t axis, corner, sheet;
    };
    Crossed edge[kPatterns][kEdges<D>];  ///< The edges that are.
    std::uint8_t crossings[kPatterns];   ///< Their number.

    SheetTable() {
        for (int pattern = 0; pattern < kPatterns; ++pattern) build(pattern);
    }

private:
    void build(int pattern) {
        int root[kEdges<D>];
        for (int e = 0; e < kEdges<D>; ++e) root[e] = e;
        auto find = [&](int e) {
            while (root[e] != e) e = root[e];
            return e;
        };
        auto inside = [&](int corner) { return pattern >> corner & 1; };
        auto join = [&](int e, int f) {
            root[std::max(find(e), find(f))] = std::min(find(e), find(f));
        };
        // On every square face the crossed edges are joined in pairs: around each inside corner if
        // the two inside corners are opposite. Both cubes at a face decide alike.
        for (int a = 0; a < D; ++a)
            for (int b = a + 1; b < D; ++b)
                for (int base = 0; base < kChildren<D>; ++base) {
                    if (base >> a & 1 || base >> b & 1) continue;
                    const int c[4] = {base, base | 1 << a, base | 1 << a | 1 << b, base | 1 << b};
                    const int e[4] = {edge_number<D>(a, c[0]), edge_number<D>(b, c[1]),
                                      edge_number<D>(a, c[3]), edge_number<D>(b, c[0])};
                    // Edge i runs from corner i to i+1; corner i lies between edges i-1 and i.
                    int crossed[4], n = 0;
                    for (int i = 0; i < 4; ++i)
                        if (inside(c[i]) != inside(c[(i + 1) % 4])) crossed[n++] = i;
                    if (n == 2) join(e[crossed[0]], e[crossed[1]]);
                    if (n == 4)
                        for (int i = 0; i < 4; ++i)
                            if (inside(c[i])) join(e[i], e[(i + 3) % 4]);
                }
        int number[kEdges<D>], count = 0;
        crossings[pattern] = 0;
        for (int axis = 0; axis < D; ++axis)
            for (int corner = 0; corner < kChildren<D>; ++corner) {
                if (corner >> axis & 1) continue;
                const int e = edge_number<D>(axis, corner);
                sheet_of[pattern][e] = 255;
                if (inside(corner) == inside(corner | 1 << axis)) continue;
                const int r = find(e);
                if (r == e) number[e] = count++;
                sheet_of[pattern][e] = static_cast<std::uint8_t>(number[r]);
                edge[pattern][crossings[pattern]++] = {static_cast<std::uint8_t>(axis),
                                                       static_cast<std::uint8_t>(corner),
                                                       sheet_of[pattern][e]};
            }
        sheets[pattern] = static_cast<std::uint8_t>(count);
    }
};

template <int D>
const SheetTable<D>& sheet_table() {
    static const SheetTable<D> table;
    return table;
}

}  // namespace slosh
