// Matrices and vectors as text, in the Matrix Market exchange format
// (https://math.nist.gov/MatrixMarket/formats.html): real or integer; coordinate or array; general
// or symmetric.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slosh::cli {

/// A text file read line by line; errors name file and line.
class LineReader {
public:
    /// Lines that begin with `comment` and blank lines are skipped.
    LineReader(std::string file, char comment);
    /// Splits the next line into words; false at the end.
    bool next(std::vector<std::string_view>& words);
    std::int64_t line() const { return line_; }
    const std::string& file() const { return file_; }
    /// Throws InputError "file:line: what" for the line in hand.
    [[noreturn]] void fail(const std::string& what) const { fail(line_, what); }
    [[noreturn]] void fail(std::int64_t line, const std::string& what) const;

    /// A whole number in [low, high], or fail.
    std::int64_t whole_number(std::string_view word, std::int64_t low, std::int64_t high) const;
    /// A finite number, or fail.
    double number(std::string_view word) const;

private:
    std::string file_, text_;
    char comment_;
    std::size_t at_ = 0;
    std::int64_t line_ = 0;
};

struct MarketEntry {
    int row, column;  ///< From 0.
    double value;
    std::int64_t line;  ///< Where it stands in the file.
};

struct MarketMatrix {
    std::string file;
    int rows = 0, columns = 0;
    std::int64_t size_line = 0;  ///< Where the sizes stand.
    /// By row, then column; both halves of a symmetric matrix; no place twice.
    std::vector<MarketEntry> entries;
};

/// InputError, in one line, for whatever is not such a file.
MarketMatrix read_market(const std::string& file);

/// A dense vector as text, every number so that it reads back the same.
std::string market_vector(const std::vector<double>& values, const std::string& comment);

}  // namespace slosh::cli
