// One value per cell (or per lower face, or per lower node) of a sparse topology.
//
// A field is a flat, 64-byte aligned array: block after block, x fastest within a block. One extra
// block at the end holds the background value; it stands in for every block that does not exist.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/grid/blocks.h"

namespace slosh {

/// Says that the values of a new field are all still to be written.
struct Unfilled {};

template <class T, int D>
class Field {
public:
    Field() = default;
    /// A field filled with `background`, in the background block too.
    explicit Field(BlocksPtr<D> blocks, T background = T{})
        : Field(std::move(blocks), Unfilled{}, background) {
        fill(background);
    }
    /// A field filled with `background` in the background block only.
    Field(BlocksPtr<D> blocks, Unfilled, T background = T{})
        : blocks_(std::move(blocks)), background_(background) {
        data_.resize((static_cast<std::size_t>(blocks_->size()) + 1) * kBlockCells<D>);
        std::fill_n(block(blocks_->size()), kBlockCells<D>, background);
    }

    const Blocks<D>& blocks() const { return *blocks_; }
    const BlocksPtr<D>& blocks_ptr() const { return blocks_; }
    T background() const { return background_; }

    T* block(int b) { return data_.data() + static_cast<std::size_t>(b) * kBlockCells<D>; }
    const T* block(int b) const {
        return data_.data() + static_cast<std::size_t>(b) * kBlockCells<D>;
    }
    /// All values of all existing blocks.
    T* data() { return data_.data(); }
    const T* data() const { return data_.data(); }
    std::size_t cells() const { return blocks_ ? blocks_->cells() : 0; }

    /// Sets every existing value; the background stays.
    void fill(T value) {
        // Nearly all fills are zeros: memset is as fast wherever this is compiled.
        const bool zeros = is_all_zero_bits(value);
        parallel_for(blocks_->size(), 16, [&](std::size_t b) {
            T* to = block(static_cast<int>(b));
            if (zeros)
                std::memset(static_cast<void*>(to), 0, kBlockCells<D> * sizeof(T));
            else
                std::fill_n(to, kBlockCells<D>, value);
        });
    }
    /// The value at a cell, found by lookup; the background outside. For tests and rare access:
    /// loops go block by block, and scattered reads use an Accessor.
    T get(const Index<D>& cell) const {
        return block(blocks_->find(block_of(cell)))[cell_offset(local_of(cell))];
    }
    /// Sets the value at a cell that exists.
    void set(const Index<D>& cell, T value) {
        block(blocks_->find(block_of(cell)))[cell_offset(local_of(cell))] = value;
    }
    std::size_t bytes() const { return data_.size() * sizeof(T); }

private:
    static bool is_all_zero_bits(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        return std::all_of(bytes, bytes + sizeof(T), [](unsigned char c) { return c == 0; });
    }

    BlocksPtr<D> blocks_;
    T background_{};
    std::vector<T, AlignedAllocator<T>> data_;
};

/// Scattered reads with a memory of the last block.
template <class T, int D>
class Accessor {
public:
    explicit Accessor(const Field<T, D>& field) : field_(&field) {
        coord_ = Index<D>::filled(1 << 30);
    }
    T operator()(const Index<D>& cell) {
        const Index<D> c = block_of(cell);
        if (!(c == coord_)) {
            coord_ = c;
            index_ = field_->blocks().find(c);
        }
        return field_->block(index_)[cell_offset(local_of(cell))];
    }

private:
    const Field<T, D>* field_;
    Index<D> coord_;
    int index_ = 0;
};

/// A staggered vector field: axis(d) holds component d at the lower face of each cell.
template <class T, int D>
class FaceField {
public:
    FaceField() = default;
    explicit FaceField(const BlocksPtr<D>& blocks, T background = T{}) {
        for (int d = 0; d < D; ++d) axis_[d] = Field<T, D>(blocks, background);
    }
    FaceField(const BlocksPtr<D>& blocks, Unfilled unfilled, T background = T{}) {
        for (int d = 0; d < D; ++d) axis_[d] = Field<T, D>(blocks, unfilled, background);
    }
    Field<T, D>& axis(int d) { return axis_[d]; }
    const Field<T, D>& axis(int d) const { return axis_[d]; }
    const Blocks<D>& blocks() const { return axis_[0].blocks(); }
    const BlocksPtr<D>& blocks_ptr() const { return axis_[0].blocks_ptr(); }
    std::size_t bytes() const {
        std::size_t n = 0;
        for (int d = 0; d < D; ++d) n += axis_[d].bytes();
        return n;
    }

private:
    Field<T, D> axis_[D];
};

}  // namespace slosh
