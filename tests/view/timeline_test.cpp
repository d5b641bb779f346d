#include "slosh/view/timeline.h"

#include <doctest/doctest.h>

using namespace slosh::view;

TEST_CASE("a timeline keeps the newest frames that fit") {
    Timeline line(1000);
    CHECK(line.first() == 0);
    CHECK(line.last() == 0);
    for (int f = 1; f <= 20; ++f) line.put(f, binary_message(std::string(100, char('a' + f))));
    CHECK(line.first() == 11);
    CHECK(line.last() == 20);
    CHECK(line.get(10) == nullptr);
    CHECK(line.get(15)->bytes[0] == 'a' + 15);
    CHECK(line.all().size() == 10);
    line.put(20, binary_message(std::string(500, 'x')));  // takes the place of the old one
    CHECK(line.get(20)->bytes.size() == 500);
    CHECK(line.first() == 15);
    line.put(21, binary_message(std::string(5000, 'y')));  // the newest stays, whatever its size
    CHECK(line.first() == 21);
}

TEST_CASE("a frame that was not packed shows the one before it") {
    Timeline line(1000);
    line.repeat(1);  // there is nothing to repeat
    CHECK(line.last() == 0);
    line.put(1, binary_message(std::string(600, 'a')));
    line.repeat(2);
    CHECK(line.get(2) == line.get(1));
    CHECK(line.all().size() == 2);
    line.put(3, binary_message(std::string(300, 'c')));  // 900 bytes: a repeated frame counts once
    CHECK(line.first() == 1);
    line.put(2, binary_message(std::string(300, 'b')));  // it is packed after all
    CHECK(line.first() == 2);
    CHECK(line.get(2)->bytes[0] == 'b');
    line.repeat(2);  // not the newest: nothing happens
    CHECK(line.get(2)->bytes[0] == 'b');
}
