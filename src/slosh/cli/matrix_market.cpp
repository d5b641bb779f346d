#include "slosh/cli/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"

namespace slosh::cli {

namespace {

constexpr std::int64_t kMaxRows = std::numeric_limits<int>::max() - 1;

std::string lower(std::string_view word) {
    std::string s(word);
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// What an error quotes: short, and nothing that upsets a terminal.
std::string quote(std::string_view word) {
    std::string s = "'";
    for (char c : word.substr(0, 30)) s += c >= ' ' && c <= '~' ? c : '?';
    return s + (word.size() > 30 ? "...'" : "'");
}

struct Header {
    bool array = false, symmetric = false;
};

Header read_header(LineReader& in) {
    const std::string form =
        "the first line must be '%%MatrixMarket matrix coordinate real general'"
        " (or array, integer, symmetric)";
    std::vector<std::string_view> words;
    if (!in.next(words)) in.fail("the file is empty; " + form);
    if (in.line() != 1 || words.size() != 5 || lower(words[0]) != "%%matrixmarket" ||
        lower(words[1]) != "matrix")
        in.fail(form);
    const std::string layout = lower(words[2]), field = lower(words[3]), kind = lower(words[4]);
    if (layout != "coordinate" && layout != "array")
        in.fail("layout " + quote(layout) + "; " + form);
    if (field != "real" && field != "integer" && field != "double")
        in.fail("numbers are " + quote(field) + "; " + form);
    if (kind != "general" && kind != "symmetric") in.fail("matrix is " + quote(kind) + "; " + form);
    return {layout == "array", kind == "symmetric"};
}

void read_coordinates(LineReader& in, std::int64_t count, bool symmetric, MarketMatrix& m) {
    std::vector<std::string_view> words;
    for (std::int64_t k = 0; k < count; ++k) {
        if (!in.next(words)) in.fail(fmt::format("the file ends after {} of {} entries", k, count));
        if (words.size() != 3) in.fail("an entry is 'row column value'");
        const int i = static_cast<int>(in.whole_number(words[0], 1, m.rows)) - 1;
        const int j = static_cast<int>(in.whole_number(words[1], 1, m.columns)) - 1;
        const double value = in.number(words[2]);
        if (symmetric && i < j)
            in.fail("a symmetric matrix lists only its lower half: row >= column");
        m.entries.push_back({i, j, value, in.line()});
        if (symmetric && i != j) m.entries.push_back({j, i, value, in.line()});
    }
}

/// Column by column; a symmetric one from the diagonal down.
void read_array(LineReader& in, bool symmetric, MarketMatrix& m) {
    std::vector<std::string_view> words;
    for (int j = 0; j < m.columns; ++j)
        for (int i = symmetric ? j : 0; i < m.rows; ++i) {
            if (!in.next(words))
                in.fail(fmt::format("the file ends before row {} of column {}", i + 1, j + 1));
            if (words.size() != 1) in.fail("an array has one number a line");
            const double value = in.number(words[0]);
            m.entries.push_back({i, j, value, in.line()});
            if (symmetric && i != j) m.entries.push_back({j, i, value, in.line()});
        }
}

}  // namespace

LineReader::LineReader(std::string file, char comment)
    : file_(std::move(file)), text_(read_file(file_)), comment_(comment) {}

bool LineReader::next(std::vector<std::string_view>& words) {
    while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        const std::string_view all = std::string_view(text_).substr(at_, end - at_);
        at_ = end + 1;
        ++line_;
        // A comment may not swallow the header, which begins with the same character.
        if (!all.empty() && all[0] == comment_ && line_ > 1) continue;
        words.clear();
        for (std::size_t i = 0; i < all.size();) {
            if (is_space(all[i])) {
                ++i;
                continue;
            }
            std::size_t stop = i;
            while (stop < all.size() && !is_space(all[stop])) ++stop;
            words.push_back(all.substr(i, stop - i));
            i = stop;
        }
        if (!words.empty()) return true;
    }
    return false;
}

void LineReader::fail(std::int64_t line, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, std::max<std::int64_t>(line, 1), what));
}

std::int64_t LineReader::whole_number(std::string_view word, std::int64_t low,
                                      std::int64_t high) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < low || value > high)
        fail(fmt::format("{} is not a whole number from {} to {}", quote(word), low, high));
    return value;
}

double LineReader::number(std::string_view word) const {
    double value = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
        fail(quote(word) + " is not a finite number");
    return value;
}

MarketMatrix read_market(const std::string& file) {
    LineReader in(file, '%');
    MarketMatrix m;
    m.file = file;
    const Header header = read_header(in);
    std::vector<std::string_view> words;
    if (!in.next(words) || words.size() != (header.array ? 2 : 3))
        in.fail(header.array ? "the sizes are missing: 'rows columns'"
                             : "the sizes are missing: 'rows columns entries'");
    m.size_line = in.line();
    m.rows = static_cast<int>(in.whole_number(words[0], 0, kMaxRows));
    m.columns = static_cast<int>(in.whole_number(words[1], 0, kMaxRows));
    if (header.symmetric && m.rows != m.columns) in.fail("a symmetric matrix is square");
    if (header.array)
        read_array(in, header.symmetric, m);
    else
        read_coordinates(in, in.whole_number(words[2], 0, std::int64_t(1) << 40), header.symmetric,
                         m);
    if (in.next(words))
        in.fail("more entries than the sizes in line " + std::to_string(m.size_line) + " say");

    const auto place = [](const MarketEntry& e) { return std::tie(e.row, e.column); };
    std::sort(m.entries.begin(), m.entries.end(),
              [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (std::size_t k = 1; k < m.entries.size(); ++k) {
        const MarketEntry &a = m.entries[k - 1], &b = m.entries[k];
        if (place(a) == place(b))
            in.fail(std::max(a.line, b.line),
                    fmt::format("row {}, column {} was given in line {} before", a.row + 1,
                                a.column + 1, std::min(a.line, b.line)));
    }
    return m;
}

std::string market_vector(const std::vector<double>& values, const std::string& comment) {
    std::string text = "%%MatrixMarket matrix array real general\n";
    text += "% " + comment + "\n" + fmt::format("{} 1\n", values.size());
    for (double x : values) text += fmt::format("{}\n", x);
    return text;
}

}  // namespace slosh::cli
