// A JSON document that remembers where each value stands, so that every error about a scene can
// name file, line and column.
//
// The text is JSON (RFC 8259) with // and /* */ comments. Stricter than most readers: repeated
// keys, numbers outside the range of a double, broken UTF-8 and nesting beyond kMaxDepth are
// errors, because each of them is a slip in a hand-written scene. General libraries give positions
// for syntax errors only, which is why slosh has its own reader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slosh {

/// Where a text came from.
struct JsonSource {
    std::string name;       ///< As shown in errors: a file, "built-in scene sphere", "--set a=1".
    std::string directory;  ///< Relative file names in the text start here. Empty: nowhere.
    bool has_lines = true;  ///< False for one-line texts such as --set: no line:column in errors.
};
using JsonSourcePtr = std::shared_ptr<const JsonSource>;

class Json {
public:
    enum class Kind { Null, Flag, Number, Text, List, Object };
    struct Member;

    Kind kind = Kind::Null;
    bool flag = false;
    double number = 0;
    std::string text;
    std::vector<Json> items;      ///< Of a list.
    std::vector<Member> members;  ///< Of an object, in the order of the text.

    JsonSourcePtr source;
    int line = 1, column = 1;  ///< Of the value's first character; columns count characters.

    // Defined where Member is known.
    Json();
    Json(bool b);
    Json(double x);
    Json(int x);
    Json(std::string s);
    Json(const char* s);
    Json(const Json&);
    Json(Json&&) noexcept;
    Json& operator=(const Json&);
    Json& operator=(Json&&) noexcept;
    ~Json();
    static Json list(std::vector<Json> of = {});
    static Json object();

    /// The member called `key`, or null.
    const Json* find(std::string_view key) const;
    Json* find(std::string_view key);
    /// Adds or replaces a member; returns it. Makes building documents readable.
    Json& set(std::string key, Json value);
    void erase(std::string_view key);

    /// "file:line:column" of this value.
    std::string where() const;
};

struct Json::Member {
    std::string key;
    Json value;
    int line = 1, column = 1;  ///< Of the key.
};

constexpr int kMaxDepth = 64;

/// Parses a whole text. Throws InputError (file:line:column, what is wrong).
Json parse_json(std::string_view text, JsonSourcePtr source);

/// Writes with two-space indents; lists of plain values stay on one line. Numbers are the shortest
/// text that reads back to the same double, so equal documents give equal bytes.
std::string write_json(const Json& value);
/// The same on one line.
std::string write_json_compact(const Json& value);

/// `base` with `patch` laid over it: objects are merged key by key, anything else is replaced.
Json merged(Json base, const Json& patch);

/// "object", "list", "text", ... for messages.
const char* kind_word(Json::Kind kind);
/// Text in double quotes on one line, shortened if long; safe to put into a message.
std::string in_quotes(std::string_view text, std::size_t longest = 60);
/// Shortest text that reads back to the same double.
std::string number_text(double x);

}  // namespace slosh
