#include "slosh/scene/types.h"

#include <fmt/format.h>

#include <cmath>

namespace slosh {
namespace {

Json schema_type(const char* type) {
    Json j = Json::object();
    j.set("type", type);
    return j;
}

Json schema_list(Json each, int least, int most) {
    Json j = schema_type("array");
    j.set("items", std::move(each));
    j.set("minItems", least);
    j.set("maxItems", most);
    return j;
}

Json schema_any(std::vector<Json> of) {
    Json j = Json::object();
    j.set("anyOf", Json::list(std::move(of)));
    return j;
}

/// Reads the n numbers of a list into out[0..n).
void read_numbers(const Cursor& at, std::size_t n, const NumberType& each, const std::string& words,
                  double* out) {
    if (at.json().kind != Json::Kind::List || at.json().items.size() != n) at.expected(words);
    for (std::size_t i = 0; i < n; ++i) each.read(at.element(i), out[i]);
}

std::string list_words(const Cursor& at, const NumberType& each) {
    return fmt::format("a list of {} numbers{}", at.dim(), each.words().substr(8));
}

}  // namespace

Json schema_reference(const std::string& name) {
    Json j = Json::object();
    j.set("$ref", "#/$defs/" + name);
    return j;
}

// ---- numbers ----

void NumberType::read(const Cursor& at, double& out) const {
    if (at.json().kind != Json::Kind::Number) at.expected(words());
    const double x = at.json().number;
    if (!std::isfinite(x) || x < min || x > max || (above && x == min)) at.expected(words());
    out = x == 0 ? 0.0 : x;  // never -0
}

Json NumberType::schema() const {
    Json j = schema_type("number");
    j.set(above ? "exclusiveMinimum" : "minimum", min);
    j.set("maximum", max);
    return j;
}

std::string NumberType::words() const {
    if (min == -kHuge && max == kHuge) return "a number";
    if (min == 0 && max >= kHuge) return above ? "a number > 0" : "a number >= 0";
    if (min == kLength.min) return "a number > 0";
    return fmt::format("a number in {}{}, {}]", above ? "(" : "[", number_text(min),
                       number_text(max));
}

double IntegerType::read_whole(const Cursor& at) const {
    if (at.json().kind != Json::Kind::Number) at.expected(words());
    const double x = at.json().number;
    if (!(x >= min && x <= max) || x != std::floor(x)) at.expected(words());
    return x;
}

Json IntegerType::schema() const {
    Json j = schema_type("integer");
    j.set("minimum", min);
    j.set("maximum", max);
    return j;
}

std::string IntegerType::words() const {
    return fmt::format("a whole number from {:.0f} to {:.0f}", min, max);
}

// ---- flags and texts ----

void FlagType::read(const Cursor& at, bool& out) const {
    if (at.json().kind != Json::Kind::Flag) at.expected(words());
    out = at.json().flag;
}

Json FlagType::schema() const {
    return schema_type("boolean");
}

void TextType::read(const Cursor& at, std::string& out) const {
    if (at.json().kind != Json::Kind::Text) at.expected(words());
    if (at.json().text.size() > 4096) at.fail("text is longer than the 4096 bytes accepted");
    out = at.json().text;
}

Json TextType::schema() const {
    Json j = schema_type("string");
    j.set("maxLength", 4096);
    return j;
}

// ---- vectors ----

void VectorType::read(const Cursor& at, Point<3>& out) const {
    out = {};
    read_numbers(at, std::size_t(at.dim()), each, list_words(at, each), out.v);
}

Json VectorType::write(const Point<3>& x, const WriteMode& mode) const {
    Json j = Json::list();
    for (int d = 0; d < mode.dim; ++d) j.items.push_back(x[d]);
    return j;
}

Json VectorType::schema() const {
    return schema_list(each.schema(), 2, 3);
}

std::string VectorType::words() const {
    return "a list of D numbers" + each.words().substr(8);  // after "a number"
}

void TurnType::read(const Cursor& at, Point<3>& out) const {
    out = {};
    const NumberType each;
    if (at.dim() == 3)
        read_numbers(at, 3, each, "a list of 3 numbers: axis times amount", out.v);
    else
        each.read(at, out[2]);
}

Json TurnType::write(const Point<3>& x, const WriteMode& mode) const {
    if (mode.dim == 2) return x[2];
    return Json::list({x[0], x[1], x[2]});
}

Json TurnType::schema() const {
    return schema_any({NumberType{}.schema(), schema_list(NumberType{}.schema(), 3, 3)});
}

void ColourType::read(const Cursor& at, Point<3>& out) const {
    read_numbers(at, 3, {0, 1}, words(), out.v);
}

Json ColourType::write(const Point<3>& x, const WriteMode&) const {
    return Json::list({x[0], x[1], x[2]});
}

Json ColourType::schema() const {
    return schema_list(NumberType{0, 1}.schema(), 3, 3);
}

void ViewPointType::read(const Cursor& at, Point<3>& out) const {
    out = {};
    const std::size_t n = at.dim() == 2 && at.json().items.size() == 2 ? 2 : 3;
    read_numbers(at, n, {}, words(), out.v);
}

Json ViewPointType::write(const Point<3>& x, const WriteMode&) const {
    return Json::list({x[0], x[1], x[2]});
}

Json ViewPointType::schema() const {
    return schema_list(NumberType{}.schema(), 2, 3);
}

void PixelsType::read(const Cursor& at, Index<2>& out) const {
    if (at.json().kind != Json::Kind::List || at.json().items.size() != 2) at.expected(words());
    for (std::size_t i = 0; i < 2; ++i) {
        IntegerType{16, 8192}.read(at.element(i), out.v[i]);
        if (out.v[i] % 2) at.element(i).expected("an even number (video needs even sizes)");
    }
}

Json PixelsType::write(const Index<2>& x, const WriteMode&) const {
    return Json::list({x[0], x[1]});
}

Json PixelsType::schema() const {
    Json each = IntegerType{16, 8192}.schema();
    each.set("multipleOf", 2);
    return schema_list(std::move(each), 2, 2);
}

// ---- curves ----

void CurveType::read(const Cursor& at, Curve& out) const {
    if (at.json().kind != Json::Kind::Object) {
        double x = 0;
        if (at.json().kind != Json::Kind::Number) at.expected(words());
        value.read(at, x);
        out = Curve(x);
        return;
    }
    for (const Json::Member& m : at.json().members)
        if (m.key != "keys")
            at.fail_at_key(m, "unknown key " + in_quotes(m.key) + "; did you mean \"keys\"?");
    if (!at.has("keys")) at.fail("key \"keys\" is missing; write {\"keys\": [[time, value], ...]}");
    const Cursor keys = at.member("keys");
    if (keys.json().kind != Json::Kind::List || keys.json().items.empty())
        keys.expected("a list of [time, value] pairs");
    std::vector<double> times, values;
    for (std::size_t i = 0; i < keys.json().items.size(); ++i) {
        const Cursor key = keys.element(i);
        if (key.json().kind != Json::Kind::List || key.json().items.size() != 2)
            key.expected("a pair [time, value]");
        double t = 0, x = 0;
        NumberType{}.read(key.element(0), t);
        value.read(key.element(1), x);
        if (!times.empty() && t <= times.back())
            key.element(0).fail(fmt::format("times must increase: {} does not follow {}",
                                            number_text(t), number_text(times.back())));
        times.push_back(t);
        values.push_back(x);
    }
    out = Curve(std::move(times), std::move(values));
}

Json CurveType::write(const Curve& x, const WriteMode&) const {
    if (x.values.size() == 1) return x.values[0];
    Json keys = Json::list();
    for (std::size_t i = 0; i < x.values.size(); ++i)
        keys.items.push_back(Json::list({x.times[i], x.values[i]}));
    Json j = Json::object();
    j.set("keys", std::move(keys));
    return j;
}

Json CurveType::schema() const {
    Json pair = schema_type("array");
    pair.set("prefixItems", Json::list({NumberType{}.schema(), value.schema()}));
    pair.set("minItems", 2);
    pair.set("maxItems", 2);
    Json keys = schema_type("array");
    keys.set("items", std::move(pair));
    keys.set("minItems", 1);
    Json properties = Json::object();
    properties.set("keys", std::move(keys));
    Json object = schema_type("object");
    object.set("properties", std::move(properties));
    object.set("required", Json::list({"keys"}));
    object.set("additionalProperties", false);
    return schema_any({value.schema(), std::move(object)});
}

void CurveVectorType::read(const Cursor& at, Curve (&out)[3]) const {
    const auto n = std::size_t(at.dim());
    if (at.json().kind != Json::Kind::List || at.json().items.size() != n)
        at.expected(fmt::format("a list of {} numbers or keyframed numbers", n));
    for (std::size_t d = 0; d < n; ++d) each.read(at.element(d), out[d]);
}

Json CurveVectorType::write(const Curve (&x)[3], const WriteMode& mode) const {
    Json j = Json::list();
    for (int d = 0; d < mode.dim; ++d) j.items.push_back(each.write(x[d], mode));
    return j;
}

Json CurveVectorType::schema() const {
    return schema_list(each.schema(), 2, 3);
}

std::string CurveVectorType::words() const {
    return "a list of D numbers, each may be keyframed";
}

// ---- sets of words ----

void WordSetType::read(const Cursor& at, std::vector<std::string>& out) const {
    if (at.json().kind != Json::Kind::List) at.expected(words());
    std::vector<bool> chosen(accepted.size());
    for (std::size_t i = 0; i < at.json().items.size(); ++i) {
        const Cursor item = at.element(i);
        std::size_t k = 0;
        while (k < accepted.size() && item.json().text != accepted[k]) ++k;
        if (item.json().kind != Json::Kind::Text || k == accepted.size())
            item.expected(one_of(accepted));
        if (chosen[k]) item.fail(in_quotes(accepted[k]) + " is listed twice; remove one");
        chosen[k] = true;
    }
    out.clear();  // in the order of `accepted`, whatever the order of the file
    for (std::size_t k = 0; k < accepted.size(); ++k)
        if (chosen[k]) out.push_back(accepted[k]);
}

Json WordSetType::write(const std::vector<std::string>& x, const WriteMode&) const {
    Json j = Json::list();
    for (const std::string& word : x) j.items.push_back(word);
    return j;
}

Json WordSetType::schema() const {
    Json all = Json::list();
    for (const std::string& word : accepted) all.items.push_back(word);
    Json each = Json::object();
    each.set("enum", std::move(all));
    Json j = schema_type("array");
    j.set("items", std::move(each));
    j.set("uniqueItems", true);
    return j;
}

}  // namespace slosh
