#include "slosh/scene/cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "slosh/base/error.h"

namespace slosh {
namespace {

std::string seen(const Json& j) {
    switch (j.kind) {
        case Json::Kind::Number:
            return number_text(j.number);
        case Json::Kind::Text:
            return in_quotes(j.text);
        case Json::Kind::Flag:
            return j.flag ? "true" : "false";
        case Json::Kind::List:
            return fmt::format("a list of {}", j.items.size());
        case Json::Kind::Object:
            return "an object";
        case Json::Kind::Null:
            return "null";
    }
    return "something else";
}

/// Letters to insert, remove, replace or swap to get from a to b.
int edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = int(i);
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = int(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int change = std::tolower(static_cast<unsigned char>(a[i - 1])) !=
                               std::tolower(static_cast<unsigned char>(b[j - 1]));
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace

std::string path_step(const std::string& key) {
    bool plain = !key.empty() && key.size() <= 40;
    for (const unsigned char c : key) plain &= std::isalnum(c) || c == '_';
    return plain ? fmt::format(".{}", key) : fmt::format("[{}]", in_quotes(key));
}

Cursor Cursor::member(const std::string& key) const {
    const Json* value = value_->find(key);
    SLOSH_EXPECT(value != nullptr);
    return Cursor(*value, path_ + path_step(key), *state_);
}

Cursor Cursor::element(std::size_t i) const {
    SLOSH_EXPECT(i < value_->items.size());
    return Cursor(value_->items[i], fmt::format("{}[{}]", path_, i), *state_);
}

void Cursor::fail(const std::string& what) const {
    throw InputError(value_->where() + ": " + path_ + ": " + what);
}

void Cursor::fail_at_key(const Json::Member& member, const std::string& what) const {
    Json here;
    here.source = member.value.source;
    here.line = member.line;
    here.column = member.column;
    throw InputError(here.where() + ": " + path_ + path_step(member.key) + ": " + what);
}

void Cursor::expected(const std::string& wanted) const {
    fail("expected " + wanted + ", got " + seen(*value_));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() > 64) return "";
    const std::string* best = nullptr;
    int least = 1 + std::max<int>(2, int(word.size()) / 2);  // further than this is no likeness
    for (const std::string& c : candidates) {
        const int distance = edit_distance(word, c);
        if (distance < least && distance < int(std::max(word.size(), c.size()))) {
            least = distance;
            best = &c;
        }
    }
    return best ? "; did you mean " + in_quotes(*best) + "?" : "";
}

std::string one_of(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i) out += i + 1 == words.size() ? " or " : ", ";
        out += '"' + words[i] + '"';
    }
    return out;
}

}  // namespace slosh
