#include "slosh/scene/json.h"

#include <doctest/doctest.h>

#include "slosh/base/error.h"

using namespace slosh;

namespace {

JsonSourcePtr source() {
    auto s = std::make_shared<JsonSource>();
    s->name = "a.json";
    return s;
}

std::string error_of(std::string_view text) {
    try {
        parse_json(text, source());
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Every value knows its line and column") {
    const Json j =
        parse_json("// note\n{\n  \"a\": [1, /* x */ -2.5e3],\n  \"\xc3\xa4\": true}", source());
    CHECK(j.where() == "a.json:2:1");
    CHECK(j.find("a")->where() == "a.json:3:8");
    CHECK(j.find("a")->items[1].where() == "a.json:3:20");
    CHECK(j.find("a")->items[1].number == -2500);
    CHECK(j.find("\xc3\xa4")->where() == "a.json:4:8");  // columns count characters, not bytes
}

TEST_CASE("Writing and reading back gives the same document and the same bytes") {
    const char* text =
        R"({"x": [0.1, 1e300, -7], "s": "a\"\\\n\u00e4\ud83d\ude00", "o": {"e": [], "n": null}})";
    const std::string once = write_json(parse_json(text, source()));
    CHECK(write_json(parse_json(once, source())) == once);
    CHECK(write_json_compact(parse_json(text, source())) ==
          "{\"x\":[0.1,1e+300,-7],\"s\":\"a\\\"\\\\\\n\xc3\xa4\xf0\x9f\x98\x80\",\"o\":{\"e\":[],"
          "\"n\":null}}");
}

TEST_CASE("Syntax errors say where and what") {
    CHECK(error_of("") == "a.json:1:1: the file is empty; a scene is an object: { ... }");
    CHECK(error_of("{\n \"a\": 1,\n}") ==
          "a.json:3:1: comma before '}'; remove it, or add a member after it");
    CHECK(error_of("{\"a\": 1, \"a\": 2}") == "a.json:1:10: key \"a\" is given twice; remove one");
    CHECK(error_of("{\"a\": 1e999}").find("a.json:1:7") == 0);
    CHECK(error_of("{\"a\": NaN}").find("finite") != std::string::npos);
    CHECK(error_of("{\"a\": 'b'}").find("double quotes") != std::string::npos);
    CHECK(error_of("{\"a\": \"\xff\"}").find("UTF-8") != std::string::npos);
    CHECK(error_of("{\"a\": \"\\ud800\"}").find("surrogate") != std::string::npos);
    CHECK(error_of("{\"a\": 01}").find("leading zero") != std::string::npos);
    CHECK(error_of("{} x").find("after the end") != std::string::npos);
    CHECK(error_of("{\"a\": /* ").find("comment") != std::string::npos);
    CHECK(error_of(std::string(100000, '[')).find("nested too deeply") != std::string::npos);
    CHECK(error_of(std::string("{\"a\":\0 1}", 9)).find("0x00") != std::string::npos);
}

TEST_CASE("Numbers too small for a double are zero") {
    CHECK(parse_json("1e-999", source()).number == 0);
}

TEST_CASE("Merging replaces lists and merges objects") {
    const Json a = parse_json(R"({"o": {"x": 1, "y": 2}, "l": [1, 2]})", source());
    const Json b = parse_json(R"({"o": {"y": 3}, "l": [4], "n": 5})", source());
    CHECK(write_json_compact(merged(a, b)) == R"({"o":{"x":1,"y":3},"l":[4],"n":5})");
}
