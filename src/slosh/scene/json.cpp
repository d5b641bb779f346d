#include "slosh/scene/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "slosh/base/error.h"

namespace slosh {

Json::Json() = default;
Json::Json(bool b) : kind(Kind::Flag), flag(b) {}
Json::Json(double x) : kind(Kind::Number), number(x) {}
Json::Json(int x) : Json(double(x)) {}
Json::Json(std::string s) : kind(Kind::Text), text(std::move(s)) {}
Json::Json(const char* s) : Json(std::string(s)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::list(std::vector<Json> of) {
    Json j;
    j.kind = Kind::List;
    j.items = std::move(of);
    return j;
}

Json Json::object() {
    Json j;
    j.kind = Kind::Object;
    return j;
}

const Json* Json::find(std::string_view key) const {
    for (const Member& m : members)
        if (m.key == key) return &m.value;
    return nullptr;
}

Json* Json::find(std::string_view key) {
    return const_cast<Json*>(static_cast<const Json&>(*this).find(key));
}

Json& Json::set(std::string key, Json value) {
    erase(key);
    Member m;
    m.key = std::move(key);
    m.line = value.line;
    m.column = value.column;
    m.value = std::move(value);
    members.push_back(std::move(m));
    return members.back().value;
}

void Json::erase(std::string_view key) {
    std::erase_if(members, [&](const Member& m) { return m.key == key; });
}

std::string Json::where() const {
    if (!source) return "scene";
    if (!source->has_lines) return source->name;
    return fmt::format("{}:{}:{}", source->name, line, column);
}

Json merged(Json base, const Json& patch) {
    if (base.kind != Json::Kind::Object || patch.kind != Json::Kind::Object) return patch;
    for (const Json::Member& m : patch.members) {
        Json::Member* old = nullptr;
        for (Json::Member& b : base.members)
            if (b.key == m.key) old = &b;
        if (!old) {
            base.members.push_back(m);
            continue;
        }
        old->value = merged(std::move(old->value), m.value);
        old->line = m.line;  // a key stands where its value came from
        old->column = m.column;
    }
    return base;
}

const char* kind_word(Json::Kind kind) {
    switch (kind) {
        case Json::Kind::Null:
            return "null";
        case Json::Kind::Flag:
            return "true/false";
        case Json::Kind::Number:
            return "number";
        case Json::Kind::Text:
            return "text";
        case Json::Kind::List:
            return "list";
        case Json::Kind::Object:
            return "object";
    }
    return "value";
}

std::string number_text(double x) {
    if (x == 0) return "0";  // also -0
    // Whole numbers in full, not as 1e+05; below 2^53 they are exact.
    if (x == std::floor(x) && std::abs(x) < 9e15) return fmt::format("{:.0f}", x);
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
    return std::string(buffer, end);
}

namespace {

void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
                else
                    out += c;
        }
    }
}

void write(const Json& j, int indent, bool pretty, std::string& out) {
    const auto new_line = [&](int depth) {
        if (!pretty) return;
        out += '\n';
        out.append(2 * depth, ' ');
    };
    switch (j.kind) {
        case Json::Kind::Null:
            out += "null";
            break;
        case Json::Kind::Flag:
            out += j.flag ? "true" : "false";
            break;
        case Json::Kind::Number:
            out += number_text(j.number);
            break;
        case Json::Kind::Text:
            out += '"';
            append_escaped(out, j.text);
            out += '"';
            break;
        case Json::Kind::List: {
            bool plain = true;
            for (const Json& i : j.items)
                plain &= i.kind != Json::Kind::Object && i.kind != Json::Kind::List;
            out += '[';
            for (std::size_t i = 0; i < j.items.size(); ++i) {
                if (i) out += plain && pretty ? ", " : ",";
                if (!plain) new_line(indent + 1);
                write(j.items[i], indent + 1, pretty, out);
            }
            if (!plain) new_line(indent);
            out += ']';
            break;
        }
        case Json::Kind::Object:
            out += '{';
            for (std::size_t i = 0; i < j.members.size(); ++i) {
                if (i) out += ',';
                new_line(indent + 1);
                out += '"';
                append_escaped(out, j.members[i].key);
                out += pretty ? "\": " : "\":";
                write(j.members[i].value, indent + 1, pretty, out);
            }
            if (!j.members.empty()) new_line(indent);
            out += '}';
            break;
    }
}

}  // namespace

std::string write_json(const Json& value) {
    std::string out;
    write(value, 0, true, out);
    return out + "\n";
}

std::string write_json_compact(const Json& value) {
    std::string out;
    write(value, 0, false, out);
    return out;
}

std::string in_quotes(std::string_view text, std::size_t longest) {
    std::string out = "\"";
    std::size_t n = std::min(text.size(), longest);
    // Never cut a UTF-8 character in two.
    while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xc0) == 0x80) --n;
    append_escaped(out, text.substr(0, n));
    if (n < text.size()) out += "...";
    return out + "\"";
}

}  // namespace slosh
