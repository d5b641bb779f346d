// The parser of json.h: recursive descent, one character of look-ahead.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <unordered_set>

#include "slosh/base/error.h"
#include "slosh/scene/json.h"

namespace slosh {
namespace {

class Parser {
public:
    Parser(std::string_view text, JsonSourcePtr source) : text_(text), source_(std::move(source)) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark
    }

    Json document() {
        skip_space();
        if (done()) fail("the file is empty; a scene is an object: { ... }");
        Json value = this->value(0);
        skip_space();
        if (!done()) fail(fmt::format("{} after the end of the document", seen()));
        return value;
    }

private:
    bool done() const { return at_ >= text_.size(); }
    char peek() const { return done() ? '\0' : text_[at_]; }
    void advance() {
        const char c = text_[at_++];
        if (c == '\n') {
            ++line_;
            column_ = 1;
        } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
            ++column_;  // continuation bytes of UTF-8 are no new character
        }
    }

    [[noreturn]] void fail(const std::string& what) const { fail_at(line_, column_, what); }
    [[noreturn]] void fail_at(int line, int column, const std::string& what) const {
        Json here;
        here.source = source_;
        here.line = line;
        here.column = column;
        throw InputError(here.where() + ": " + what);
    }
    /// What stands here, for messages.
    std::string seen() const {
        if (done()) return "the end of the file";
        const auto c = static_cast<unsigned char>(peek());
        if (c < 0x20 || c >= 0x7f) return fmt::format("byte 0x{:02x}", c);
        return fmt::format("'{}'", static_cast<char>(c));
    }

    void skip_space() {
        while (!done()) {
            const char c = peek();
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                advance();
            } else if (c == '/' && text_.substr(at_).starts_with("//")) {
                while (!done() && peek() != '\n') advance();
            } else if (c == '/' && text_.substr(at_).starts_with("/*")) {
                const int line = line_, column = column_;
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos)
                    fail_at(line, column, "comment without an end; close it with */");
                while (at_ < end + 2) advance();
            } else {
                return;
            }
        }
    }

    Json value(int depth) {
        if (depth > kMaxDepth)
            fail(fmt::format("nested too deeply; at most {} levels are accepted", kMaxDepth));
        Json v;
        v.source = source_;
        v.line = line_;
        v.column = column_;
        const char c = peek();
        if (c == '{') {
            v.kind = Json::Kind::Object;
            object(v, depth);
        } else if (c == '[') {
            v.kind = Json::Kind::List;
            list(v, depth);
        } else if (c == '"') {
            v.kind = Json::Kind::Text;
            v.text = string();
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            v.kind = Json::Kind::Number;
            v.number = number();
        } else {
            word(v);
        }
        return v;
    }

    void object(Json& v, int depth) {
        advance();
        std::unordered_set<std::string> keys;
        for (bool first = true;; first = false) {
            skip_space();
            if (peek() == '}' && first) break;
            if (peek() == '}') fail("comma before '}'; remove it, or add a member after it");
            if (peek() != '"')
                fail(fmt::format("{} where a key in double quotes, or '}}', is expected", seen()));
            Json::Member m;
            m.line = line_;
            m.column = column_;
            m.key = string();
            if (!keys.insert(m.key).second)
                fail_at(m.line, m.column,
                        "key " + in_quotes(m.key) + " is given twice; remove one");
            skip_space();
            if (peek() != ':') fail(fmt::format("{} where ':' is expected after a key", seen()));
            advance();
            skip_space();
            m.value = value(depth + 1);
            v.members.push_back(std::move(m));
            skip_space();
            if (peek() == '}') break;
            if (peek() != ',') fail(fmt::format("{} where ',' or '}}' is expected", seen()));
            advance();
        }
        advance();
    }

    void list(Json& v, int depth) {
        advance();
        for (bool first = true;; first = false) {
            skip_space();
            if (peek() == ']' && first) break;
            if (peek() == ']') fail("comma before ']'; remove it, or add a value after it");
            v.items.push_back(value(depth + 1));
            skip_space();
            if (peek() == ']') break;
            if (peek() != ',') fail(fmt::format("{} where ',' or ']' is expected", seen()));
            advance();
        }
        advance();
    }

    double number() {
        const int line = line_, column = column_;
        const std::size_t begin = at_;
        const auto digits = [&] {
            if (!(peek() >= '0' && peek() <= '9'))
                fail_at(line, column,
                        fmt::format("broken number: {} where a digit is expected", seen()));
            while (peek() >= '0' && peek() <= '9') advance();
        };
        if (peek() == '-') {
            advance();
            if (peek() == 'I' || peek() == 'i')
                fail_at(line, column, "infinity is not accepted; write a finite number");
        }
        if (peek() == '0') {
            advance();
            if (peek() >= '0' && peek() <= '9')
                fail_at(line, column, "a number must not start with 0; remove the leading zero");
        } else {
            digits();
        }
        if (peek() == '.') {
            advance();
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            advance();
            if (peek() == '+' || peek() == '-') advance();
            digits();
        }
        double x = 0;
        const auto result = std::from_chars(text_.data() + begin, text_.data() + at_, x);
        if (result.ec == std::errc::result_out_of_range || !std::isfinite(x)) {
            // from_chars reports numbers too small for a double in the same way; those are zero.
            const std::string copy(text_.substr(begin, at_ - begin));
            x = std::strtod(copy.c_str(), nullptr);
            if (!std::isfinite(x))
                fail_at(line, column, "number " + in_quotes(copy) + " is too large for a double");
        }
        return x;
    }

    void word(Json& v) {
        const std::size_t begin = at_;
        const int line = line_, column = column_;
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') advance();
        const std::string_view w = text_.substr(begin, at_ - begin);
        if (w == "true" || w == "false") {
            v.kind = Json::Kind::Flag;
            v.flag = w == "true";
        } else if (w == "null") {
            v.kind = Json::Kind::Null;
        } else if (w.empty()) {
            fail(fmt::format("{} where a value is expected{}", seen(),
                             peek() == '\'' ? "; texts stand in double quotes" : ""));
        } else if (w == "NaN" || w == "nan" || w == "Infinity" || w == "inf") {
            fail_at(line, column, in_quotes(w) + " is not accepted; write a finite number");
        } else {
            fail_at(line, column,
                    "unknown word " + in_quotes(w) + "; texts stand in double quotes");
        }
    }

    std::string string() {
        const int line = line_, column = column_;
        std::string out;
        advance();
        for (;;) {
            if (done()) fail_at(line, column, "text without an end; close it with '\"'");
            const auto c = static_cast<unsigned char>(peek());
            if (c == '"') break;
            if (c == '\n' || c == '\r')
                fail("line break inside a text; close it with '\"', or write \\n");
            if (c < 0x20)
                fail(fmt::format("{} inside a text; write it as an escape such as \\n", seen()));
            if (c == '\\') {
                escape(out);
            } else if (c < 0x80) {
                out += peek();
                advance();
            } else {
                utf8(out);
            }
        }
        advance();
        return out;
    }

    void escape(std::string& out) {
        advance();
        const char c = peek();
        switch (c) {
            case '"':
            case '\\':
            case '/':
                out += c;
                break;
            case 'b':
                out += '\b';
                break;
            case 'f':
                out += '\f';
                break;
            case 'n':
                out += '\n';
                break;
            case 'r':
                out += '\r';
                break;
            case 't':
                out += '\t';
                break;
            case 'u': {
                unsigned code = hex4();
                if (code >= 0xd800 && code < 0xdc00) {  // first half of a pair
                    if (!text_.substr(at_).starts_with("\\u")) fail("half of a surrogate pair");
                    advance();
                    const unsigned low = hex4();
                    if (low < 0xdc00 || low > 0xdfff) fail("half of a surrogate pair");
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                } else if (code >= 0xdc00 && code < 0xe000) {
                    fail("half of a surrogate pair");
                }
                append_utf8(out, code);
                return;
            }
            default:
                fail(fmt::format("unknown escape: {} after a backslash; write \\\\ for a backslash",
                                 seen()));
        }
        advance();
    }

    /// Reads uXXXX (standing on the u).
    unsigned hex4() {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            advance();
            const char c = peek();
            if (!std::isxdigit(static_cast<unsigned char>(c)))
                fail(fmt::format("{} where one of four hexadecimal digits is expected", seen()));
            code = code * 16 + unsigned(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        advance();
        return code;
    }

    static void append_utf8(std::string& out, unsigned c) {
        const auto tail = [&](int shift) {
            out += static_cast<char>(0x80 | ((c >> shift) & 0x3f));
        };
        if (c < 0x80) {
            out += static_cast<char>(c);
        } else if (c < 0x800) {
            out += static_cast<char>(0xc0 | (c >> 6));
            tail(0);
        } else if (c < 0x10000) {
            out += static_cast<char>(0xe0 | (c >> 12));
            tail(6), tail(0);
        } else {
            out += static_cast<char>(0xf0 | (c >> 18));
            tail(12), tail(6), tail(0);
        }
    }

    /// Copies one character of two to four bytes, if it is well formed.
    void utf8(std::string& out) {
        const auto lead = static_cast<unsigned char>(peek());
        const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        bool good = lead >= 0xc2 && lead <= 0xf4;
        unsigned code = lead & (0x3f >> more);
        for (int i = 1; good && i <= more; ++i) {
            const auto c = at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0u;
            good = (c & 0xc0) == 0x80;
            code = (code << 6) | (c & 0x3f);
        }
        const unsigned least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
        good = good && code >= least && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
        if (!good) fail(fmt::format("{} is not UTF-8; save the file as UTF-8", seen()));
        for (int i = 0; i <= more; ++i) {
            out += peek();
            advance();
        }
    }

    std::string_view text_;
    JsonSourcePtr source_;
    std::size_t at_ = 0;
    int line_ = 1, column_ = 1;
};

}  // namespace

Json parse_json(std::string_view text, JsonSourcePtr source) {
    return Parser(text, std::move(source)).document();
}

}  // namespace slosh
