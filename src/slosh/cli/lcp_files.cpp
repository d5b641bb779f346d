#include "slosh/cli/lcp_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "slosh/base/error.h"
#include "slosh/cli/matrix_market.h"

namespace slosh::cli {

namespace {

[[noreturn]] void fail(const MarketMatrix& m, std::int64_t line, const std::string& what) {
    throw InputError(fmt::format("{}:{}: {}", m.file, line, what));
}

/// A symmetric matrix that can be positive semi-definite, in compressed rows with all diagonals.
SparseMatrix to_rows(const MarketMatrix& m) {
    SparseMatrix A;
    A.start.reserve(m.rows + 1);
    A.column.reserve(m.entries.size());
    A.value.reserve(m.entries.size());
    const auto append = [&](int column, double value) {
        A.column.push_back(column);
        A.value.push_back(value);
    };
    std::size_t k = 0;
    for (int i = 0; i < m.rows; ++i) {
        const std::size_t first = k;
        double diagonal = 0;
        bool placed = false, others = false;
        for (; k < m.entries.size() && m.entries[k].row == i; ++k) {
            const MarketEntry& e = m.entries[k];
            if (!placed && e.column > i) append(i, 0);
            placed = placed || e.column >= i;
            append(e.column, e.value);
            if (e.column == i) {
                diagonal = e.value;
                if (diagonal < 0)
                    fail(m, e.line, "a negative diagonal: A must be positive semi-definite");
            } else {
                others = others || e.value != 0;
            }
        }
        if (!placed) append(i, 0);
        if (others && diagonal == 0)
            fail(m, m.entries[first].line,
                 fmt::format("row {} has entries but no diagonal: A must be positive semi-definite",
                             i + 1));
        A.start.push_back(static_cast<std::int64_t>(A.column.size()));
    }
    return A;
}

void check_symmetry(const MarketMatrix& m) {
    // Sorted by (column, row), the transpose must be the same list.
    std::vector<std::size_t> order(m.entries.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const MarketEntry &x = m.entries[a], &y = m.entries[b];
        return std::tie(x.column, x.row) < std::tie(y.column, y.row);
    });
    for (std::size_t k = 0; k < order.size(); ++k) {
        const MarketEntry &e = m.entries[k], &t = m.entries[order[k]];
        const bool same_place = e.row == t.column && e.column == t.row;
        // Sums taken in another order may differ in their last digits.
        if (same_place &&
            std::abs(e.value - t.value) <= 1e-12 * std::max(std::abs(e.value), std::abs(t.value)))
            continue;
        // Of two places that do not match, the smaller one has no partner.
        const bool mine = same_place || std::tie(e.row, e.column) < std::tie(t.column, t.row);
        const MarketEntry& lone = mine ? e : t;
        fail(m, lone.line,
             fmt::format("row {}, column {} differs from row {}, column {}: A must be symmetric",
                         lone.row + 1, lone.column + 1, lone.column + 1, lone.row + 1));
    }
}

std::vector<double> read_right_side(const std::string& file, int rows) {
    const MarketMatrix m = read_market(file);
    if (m.columns != 1 || m.rows != rows)
        fail(m, m.size_line,
             fmt::format("b is {} by {}, A has {} rows: b must be {} by 1", m.rows, m.columns, rows,
                         rows));
    std::vector<double> b(rows, 0);
    for (const MarketEntry& e : m.entries) b[e.row] = e.value;
    return b;
}

std::vector<std::uint8_t> read_set(const std::string& file, int rows) {
    LineReader in(file, '#');
    std::vector<std::uint8_t> set;
    std::vector<std::string_view> words;
    while (in.next(words)) {
        if (words[0][0] == '#') continue;
        if (words.size() != 1 || (words[0] != "0" && words[0] != "1"))
            in.fail("a line must be 0 or 1 (1: the row is in S)");
        if (set.size() == static_cast<std::size_t>(rows))
            in.fail(fmt::format("more lines than the {} rows of A", rows));
        set.push_back(words[0] == "1");
    }
    if (set.size() != static_cast<std::size_t>(rows))
        in.fail(fmt::format("the file ends after {} of {} rows", set.size(), rows));
    return set;
}

void read_cells(const std::string& file, SparseLcp& lcp) {
    constexpr int kFarthest = 1000000;
    const std::size_t rows = lcp.b.size();
    LineReader in(file, '#');
    std::vector<std::string_view> words;
    std::vector<std::int64_t> lines;
    bool flat = true;
    while (in.next(words)) {
        if (words[0][0] == '#') continue;
        if (words.size() != 2 && words.size() != 3) in.fail("a line must be 'i j k' (2D: 'i j')");
        if (lcp.cells.size() == rows)
            in.fail(fmt::format("more lines than the {} rows of A", rows));
        Index<3> cell;
        for (std::size_t d = 0; d < words.size(); ++d)
            cell[static_cast<int>(d)] =
                static_cast<int>(in.whole_number(words[d], -kFarthest, kFarthest));
        flat = flat && cell[2] == 0;
        lcp.cells.push_back(cell);
        lines.push_back(in.line());
    }
    if (lcp.cells.size() != rows)
        in.fail(fmt::format("the file ends after {} of {} rows", lcp.cells.size(), rows));
    lcp.dim = flat ? 2 : 3;

    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](std::size_t i) {
        const Index<3>& c = lcp.cells[i];
        return std::tuple(c[0], c[1], c[2]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    for (std::size_t k = 1; k < rows; ++k)
        if (place(order[k - 1]) == place(order[k]))
            in.fail(lines[order[k]],
                    fmt::format("this cell was given in line {} before", lines[order[k - 1]]));
}

}  // namespace

SparseLcp read_lcp(const std::string& directory) {
    const auto path = [&](const char* name) {
        return (std::filesystem::path(directory) / name).string();
    };
    if (!std::filesystem::is_directory(directory))
        throw InputError(directory +
                         " is not a directory; it should hold A.mtx, b.mtx and set.txt");
    const MarketMatrix m = read_market(path("A.mtx"));
    if (m.rows != m.columns)
        fail(m, m.size_line, fmt::format("A is {} by {}; it must be square", m.rows, m.columns));
    check_symmetry(m);
    SparseLcp lcp;
    // The lines of set.txt bound what has to be allocated, whatever the sizes in A.mtx claim.
    lcp.constrained = read_set(path("set.txt"), m.rows);
    lcp.b = read_right_side(path("b.mtx"), m.rows);
    lcp.A = to_rows(m);
    if (std::filesystem::exists(path("cells.txt"))) read_cells(path("cells.txt"), lcp);
    return lcp;
}

}  // namespace slosh::cli
