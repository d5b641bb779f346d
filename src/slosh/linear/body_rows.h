// The F of a term F F^T (low_rank.h) as a cycle wants it (internal to the multigrid).
//
// A cycle asks for F^T x and b - F t many times over. So the rows are single numbers, filled up to
// whole vectors, next to the numbers of their places in a SplitField: both are short walks through
// memory without look-ups, in chunks that threads share. Cells that several groups touch are few;
// their rows are left for the end, so that no two threads write to one cell.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/base/parallel.h"
#include "slosh/linear/low_rank.h"
#include "slosh/linear/split.h"

namespace slosh {

template <int D>
class BodyRows {
public:
    /// Numbers of a row: those of its group's columns, and zeros.
    static constexpr int kWidth = D == 3 ? 8 : 4;
    struct alignas(4 * kWidth) Row {
        float f[kWidth] = {};
    };
    /// A number for each column, kWidth of them for each group.
    using Columns = std::vector<double>;

    BodyRows() = default;
    /// Rows of zeros at `places` of fields of `blocks` blocks, those of group g from first[g] on.
    /// No group comes twice to a place.
    BodyRows(std::vector<std::uint32_t> places, std::vector<std::size_t> first, int blocks);
    /// F times `unit`.
    BodyRows(const LowRank<D>& F, double unit, int blocks);

    int groups() const { return static_cast<int>(first_.size()) - 1; }
    std::size_t size() const { return places_.size(); }
    std::size_t first(int group) const { return first_[group]; }
    const std::vector<std::size_t>& first() const { return first_; }
    const std::vector<std::uint32_t>& places() const { return places_; }
    Row& operator[](std::size_t i) { return rows_[i]; }
    const Row& operator[](std::size_t i) const { return rows_[i]; }
    /// The rows at places where there are those of other groups, too.
    struct Shared {
        std::uint32_t row;
        int group;
    };
    const std::vector<Shared>& shared() const { return shared_; }

    Columns no_columns() const { return Columns(static_cast<std::size_t>(groups()) * kWidth); }
    /// t = F^T x, sums in a fixed order.
    void transposed(const SplitField<D>& x, Columns& t) const;
    /// b -= F t.
    void subtract(const Columns& t, SplitField<D>& b) const;

    /// b - F t in the place of b; keeps b in the cells of the rows.
    void hold(const Columns& t, SplitField<D>& b);
    /// The same with another t, from the b that was kept.
    void hold_again(const Columns& t, SplitField<D>& b) const;
    /// b as it was kept.
    void restore(SplitField<D>& b) const;
    /// The same; returns how much more b.x is with it.
    double restore(SplitField<D>& b, const SplitField<D>& x) const;

    /// Runs body(group, its first row, the one after its last), a few groups to a thread.
    template <class Body>
    void for_each_group(const Body& body) const {
        parallel_for(groups(), 2,
                     [&](std::size_t g) { body(static_cast<int>(g), first_[g], first_[g + 1]); });
    }

private:
    struct Chunk {
        int group;
        std::uint32_t begin, end;  // rows
    };
    void find_chunks(int blocks);
    /// Chunks that one thread takes at a time.
    std::size_t together() const;
    /// Runs body(row, group) for all rows at places of their own.
    template <class Body>
    void for_each_own(const Body& body) const;

    std::vector<Row> rows_;
    std::vector<std::uint32_t> places_;
    std::vector<std::size_t> first_ = {0};
    std::vector<Chunk> chunks_;  // of the rows of one group each
    std::vector<Shared> shared_;
    std::vector<std::uint8_t> is_shared_;  // of each row
    std::vector<float> kept_;
};

}  // namespace slosh
