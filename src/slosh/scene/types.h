// The types of values that keys take; see table.h for what a type must offer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slosh/liquid/setup.h"
#include "slosh/scene/table.h"

namespace slosh {

/// Coordinates and speeds beyond this are slips, not scenes.
constexpr double kHuge = 1e6;

struct NumberType {
    double min = -kHuge, max = kHuge;
    bool above = false;  ///< `min` itself is not accepted.

    void read(const Cursor& at, double& out) const;
    Json write(double x, const WriteMode&) const { return x; }
    Json schema() const;
    std::string words() const;
};

/// A length that must be there. Less than a nanometre is a slip as well.
constexpr NumberType kLength{1e-9, kHuge};

struct IntegerType {
    double min = 0, max = 1e9;

    template <class I>
    void read(const Cursor& at, I& out) const {
        out = static_cast<I>(read_whole(at));
    }
    template <class I>
    Json write(I x, const WriteMode&) const {
        return static_cast<double>(x);
    }
    double read_whole(const Cursor& at) const;
    Json schema() const;
    std::string words() const;
};

struct FlagType {
    void read(const Cursor& at, bool& out) const;
    Json write(bool x, const WriteMode&) const { return x; }
    Json schema() const;
    std::string words() const { return "true or false"; }
};

struct TextType {
    void read(const Cursor& at, std::string& out) const;
    Json write(const std::string& x, const WriteMode&) const { return x; }
    Json schema() const;
    std::string words() const { return "text"; }
};

/// One of a few words.
template <class E>
struct ChoiceType {
    std::vector<std::pair<std::string, E>> words_to_values;
    std::vector<std::string> later;  ///< Words that will be accepted some day ...
    std::string later_note;          ///< ... and what to say of them.

    void read(const Cursor& at, E& out) const {
        if (at.json().kind != Json::Kind::Text) at.expected(words());
        for (const auto& [word, value] : words_to_values) {
            if (word == at.json().text) {
                out = value;
                return;
            }
        }
        for (const std::string& word : later)
            if (word == at.json().text) at.fail(in_quotes(word) + " " + later_note);
        at.fail("expected " + words() + ", got " + in_quotes(at.json().text) +
                did_you_mean(at.json().text, list()));
    }
    Json write(const E& x, const WriteMode&) const {
        for (const auto& [word, value] : words_to_values)
            if (value == x) return word;
        return Json();
    }
    Json schema() const {
        Json j = Json::object(), all = Json::list();
        for (const std::string& word : list()) all.items.push_back(word);
        j.set("enum", std::move(all));
        return j;
    }
    std::string words() const { return one_of(list()); }

private:
    std::vector<std::string> list() const {
        std::vector<std::string> all;
        for (const auto& entry : words_to_values) all.push_back(entry.first);
        return all;
    }
};

/// As many numbers as the scene has dimensions.
struct VectorType {
    NumberType each;

    void read(const Cursor& at, Point<3>& out) const;
    Json write(const Point<3>& x, const WriteMode& mode) const;
    Json schema() const;
    std::string words() const;
};

/// A rotation or spin: in 2D one number (about z, counter-clockwise), in 3D axis times amount.
struct TurnType {
    void read(const Cursor& at, Point<3>& out) const;
    Json write(const Point<3>& x, const WriteMode& mode) const;
    Json schema() const;
    std::string words() const {
        return "2D: a number; 3D: a list of 3 numbers (axis times amount)";
    }
};

struct ColourType {
    void read(const Cursor& at, Point<3>& out) const;
    Json write(const Point<3>& x, const WriteMode&) const;
    Json schema() const;
    std::string words() const { return "a list of 3 numbers in [0, 1]"; }
};

/// A point of the picture: always three numbers, in 2D scenes two are accepted as well.
struct ViewPointType {
    void read(const Cursor& at, Point<3>& out) const;
    Json write(const Point<3>& x, const WriteMode&) const;
    Json schema() const;
    std::string words() const { return "a list of 3 numbers (2D: 2 or 3)"; }
};

struct PixelsType {
    void read(const Cursor& at, Index<2>& out) const;
    Json write(const Index<2>& x, const WriteMode&) const;
    Json schema() const;
    std::string words() const { return "a list of 2 even whole numbers from 16 to 8192"; }
};

/// A number, or {"keys": [[time, value], ...]}.
struct CurveType {
    NumberType value;

    void read(const Cursor& at, Curve& out) const;
    Json write(const Curve& x, const WriteMode&) const;
    Json schema() const;
    std::string words() const { return value.words() + ", or {\"keys\": [[time, value], ...]}"; }
};

struct CurveVectorType {
    CurveType each;

    void read(const Cursor& at, Curve (&out)[3]) const;
    Json write(const Curve (&x)[3], const WriteMode& mode) const;
    Json schema() const;
    std::string words() const;
};

/// Some of a few words, none twice.
struct WordSetType {
    std::vector<std::string> accepted;

    void read(const Cursor& at, std::vector<std::string>& out) const;
    Json write(const std::vector<std::string>& x, const WriteMode&) const;
    Json schema() const;
    std::string words() const { return "a list of " + one_of(accepted); }
};

/// A struct with a table of its own. The table is reached through a function, so that tables may
/// refer to each other.
template <class T>
struct ObjectType {
    const Table<T>& (*table)();

    void read(const Cursor& at, T& out) const { table().read(at, out); }
    Json write(const T& x, const WriteMode& mode) const { return table().write(x, mode); }
    Json schema() const;
    std::string words() const { return "an object (" + table().name() + ")"; }
};

/// What may be left out. Absent values are not written.
template <class Type, class T>
struct OptionalType {
    Type given{};

    void read(const Cursor& at, std::optional<T>& out) const { given.read(at, out.emplace()); }
    Json write(const std::optional<T>& x, const WriteMode& mode) const {
        return x ? given.write(*x, mode) : Json();
    }
    Json schema() const { return given.schema(); }
    std::string words() const { return given.words(); }
};

constexpr std::size_t kMaxItems = 10000;  ///< Of any list of objects.

template <class Type, class T>
struct ListType {
    Type each;

    void read(const Cursor& at, std::vector<T>& out) const {
        if (at.json().kind != Json::Kind::List) at.expected(words());
        if (at.json().items.size() > kMaxItems) at.expected("at most 10000 items");
        out.assign(at.json().items.size(), T{});
        for (std::size_t i = 0; i < out.size(); ++i) each.read(at.element(i), out[i]);
    }
    Json write(const std::vector<T>& x, const WriteMode& mode) const {
        Json j = Json::list();
        for (const T& item : x) j.items.push_back(each.write(item, mode));
        return j;
    }
    Json schema() const {
        Json j = Json::object();
        j.set("type", "array");
        j.set("items", each.schema());
        return j;
    }
    std::string words() const { return "a list, each " + each.words(); }
};

/// {"$ref": "#/$defs/name"}.
Json schema_reference(const std::string& name);

template <class T>
Json ObjectType<T>::schema() const {
    return schema_reference(table().name());
}

}  // namespace slosh
