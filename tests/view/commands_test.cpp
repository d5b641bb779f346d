#include "slosh/view/commands.h"

#include <doctest/doctest.h>

#include "slosh/base/error.h"

using namespace slosh;
using namespace slosh::view;

TEST_CASE("commands") {
    CHECK(parse_command(R"({"do":"play"})").what == Do::Play);
    CHECK(parse_command(R"({"do":"seek","frame":12})").number == 12);
    const Command drag =
        parse_command(R"({"do":"drag","body":1,"grab":[0,0.5,0],"target":[1,2,3]})");
    CHECK(drag.what == Do::Drag);
    CHECK(drag.number == 1);
    CHECK(drag.vector[2] == 3);
    const Command set =
        parse_command(R"({"do":"set","values":{"resolution":48,"transfer":"flip","x":true}})");
    REQUIRE(set.values.size() == 3);
    CHECK(set.values[0].second == "48");
    CHECK(set.values[1].second == "\"flip\"");
    CHECK(parse_command(R"({"do":"release"})").of_hands());
    CHECK_FALSE(parse_command(R"({"do":"reset"})").of_hands());
}

TEST_CASE("what is not a command is refused") {
    const char* bad[] = {
        "",
        "{",
        "null",
        "[]",
        R"({"do":"fly"})",
        R"({"frame":1})",
        R"({"do":"play","x":1})",
        R"({"do":"seek"})",
        R"({"do":"seek","frame":0})",
        R"({"do":"seek","frame":1.5})",
        R"({"do":"seek","frame":"1"})",
        R"({"do":"seek","frame":1,"frame":2})",
        R"({"do":"scene","name":""})",
        R"({"do":"pour","at":[0,0],"velocity":[0,0,0],"radius":1})",
        R"({"do":"pour","at":[0,0,0],"velocity":[0,0,0],"radius":0})",
        R"({"do":"pour","at":[0,0,1e7],"velocity":[0,0,0],"radius":1})",
        R"({"do":"tilt","degrees":[0,0,null]})",
        R"({"do":"set","values":{"a":{}}})",
        R"({"do":"set","values":3})",
        R"({"do":"compare","on":1})",
    };
    for (const char* text : bad) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_command(text), InputError);
    }
    const std::string name(65, 'x');
    CHECK_THROWS_AS(parse_command(R"({"do":"scene","name":")" + name + "\"}"), InputError);
}
