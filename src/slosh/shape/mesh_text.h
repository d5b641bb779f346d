// Reading of mesh files that are held in memory: words, numbers and what a reader hands over.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/shape/triangle_mesh.h"

namespace slosh {

// One reader a format: the bytes of a file to a mesh. They throw an InputError that says what is
// wrong and in which line, but not in which file; load_mesh adds that and checks all numbers.
TriangleMesh read_obj(std::string_view bytes);
TriangleMesh read_ply(std::string_view bytes);
TriangleMesh read_stl(std::string_view bytes);

/// Adds a polygon, given by its corners in turn, as triangles: by cutting off ears, so that
/// concave polygons are filled and nothing beyond them.
void add_polygon(const std::vector<std::uint32_t>& corners, TriangleMesh& mesh);

/// Words of a text, separated by blanks; knows its line for messages.
class Words {
public:
    explicit Words(std::string_view text) : rest_(text) {}

    /// The next word of this line; empty at its end.
    std::string_view next() {
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
        std::size_t n = 0;
        while (n < rest_.size() && !is_blank(rest_[n]) && rest_[n] != '\n') ++n;
        const std::string_view word = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return word;
    }
    /// Goes to the start of the next line; false at the end of the text.
    bool next_line() {
        const std::size_t n = rest_.find('\n');
        if (n == std::string_view::npos) {
            rest_ = {};
            return false;
        }
        rest_.remove_prefix(n + 1);
        ++line_;
        return !rest_.empty();
    }
    /// The next word, on this line or a later one; empty at the end of the text.
    std::string_view next_anywhere() {
        for (;;) {
            const std::string_view word = next();
            if (!word.empty() || !next_line()) return word;
        }
    }
    template <class T>
    T number(std::string_view word) const {
        if (!word.empty() && word.front() == '+') word.remove_prefix(1);
        T value{};
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (word.empty() || error != std::errc() || end != word.data() + word.size())
            fail(fmt::format("'{}' is not a number", word.substr(0, 20)));
        return value;
    }
    [[noreturn]] void fail(const std::string& why) const {
        throw InputError(fmt::format("line {}: {}", line_, why));
    }
    std::string_view rest() const { return rest_; }
    std::size_t line() const { return line_; }

private:
    static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
    }
    std::string_view rest_;
    std::size_t line_ = 1;
};

}  // namespace slosh
