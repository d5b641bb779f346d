// Finds the row of a grid cell: an open-addressed hash table from cells to rows.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/base/hash.h"
#include "slosh/base/vec.h"

namespace slosh {

class CellTable {
public:
    /// Room for `count` cells, none of them present yet.
    explicit CellTable(std::size_t count) {
        std::size_t size = 16;
        while (size < 2 * count) size *= 2;
        slots_.assign(size, {0, -1});
    }
    explicit CellTable(const std::vector<Index<3>>& cells) : CellTable(cells.size()) {
        for (std::size_t i = 0; i < cells.size(); ++i) insert(cells[i], static_cast<int>(i));
    }

    /// Row of `cell`; if it is new, it gets `row`.
    int insert(const Index<3>& cell, int row) {
        Slot& s = slots_[position(key(cell))];
        if (s.row < 0) s = {key(cell), row};
        return s.row;
    }
    /// Row of `cell`, or -1.
    int find(const Index<3>& cell) const { return slots_[position(key(cell))].row; }

private:
    struct Slot {
        std::uint64_t key;
        int row;
    };
    /// 21 bits an axis, offset so that small negative cells are allowed.
    static std::uint64_t key(const Index<3>& c) {
        constexpr int offset = 1 << 20;
        return static_cast<std::uint64_t>(c[0] + offset) |
               static_cast<std::uint64_t>(c[1] + offset) << 21 |
               static_cast<std::uint64_t>(c[2] + offset) << 42;
    }
    std::size_t position(std::uint64_t k) const {
        std::size_t i = mix64(k) & (slots_.size() - 1);
        while (slots_[i].row >= 0 && slots_[i].key != k) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    std::vector<Slot> slots_;
};

}  // namespace slosh
