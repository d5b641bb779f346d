#include "slosh/render/image.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "render/shapes.h"
#include "slosh/base/error.h"
#include "slosh/base/hash.h"

using namespace slosh;

namespace {
Image noise(int w, int h) {
    Image image(w, h);
    for (std::size_t i = 0; i < image.rgb.size(); ++i)
        image.rgb[i] = static_cast<std::uint8_t>(mix64(i));
    return image;
}
std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
int ink(const Image& image) {
    int n = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) n += image.get(x, y) == Rgb{0, 0, 0};
    return n;
}
}  // namespace

TEST_CASE("A picture survives PNG, odd sizes too") {
    for (const auto& [w, h] : {std::pair{64, 48}, {1, 1}, {37, 5}}) {
        const Image image = noise(w, h);
        ScratchFile file("round_trip.png");
        write_png(image, file.path);
        CHECK(read_png(file.path) == image);
    }
}

TEST_CASE("The same picture gives the same PNG bytes, and no time stamp") {
    ScratchFile a("same_a.png"), b("same_b.png");
    write_png(noise(50, 40), a.path);
    write_png(noise(50, 40), b.path);
    CHECK(bytes_of(a.path) == bytes_of(b.path));
    CHECK(bytes_of(a.path).find("tIME") == std::string::npos);
}

TEST_CASE("A PNG that cannot be written is an error that names it, and leaves nothing behind") {
    const std::filesystem::path path = "/nonexistent_folder/picture.png";
    try {
        write_png(noise(4, 4), path);
        FAIL("no error");
    } catch (const ResourceError& e) {
        CHECK(std::string(e.what()).find(path.string()) != std::string::npos);
        CHECK(e.exit_code == 4);
    }
    CHECK_THROWS_AS(read_png(path), InputError);
}

TEST_CASE("Reading a file that is no PNG is an input error") {
    ScratchFile file("not_a.png");
    std::ofstream(file.path) << "hello";
    CHECK_THROWS_AS(read_png(file.path), InputError);
}

TEST_CASE("Every printable character but the blank has ink, and no two look alike") {
    std::vector<Image> seen;
    for (char c = ' '; c <= '~'; ++c) {
        Image image(8, 10, {255, 255, 255});
        draw_text(image, 1, 1, std::string(1, c), {0, 0, 0});
        CHECK((ink(image) == 0) == (c == ' '));
        for (const Image& other : seen) CHECK_FALSE(image == other);
        seen.push_back(image);
    }
}

TEST_CASE("Text scales, clips at the border, and is as wide as announced") {
    Image one(40, 12, {255, 255, 255}), two(80, 24, {255, 255, 255});
    draw_text(one, 0, 0, "t = 1", {0, 0, 0}, 1);
    draw_text(two, 0, 0, "t = 1", {0, 0, 0}, 2);
    CHECK(ink(two) == 4 * ink(one));
    CHECK(text_width("t = 1", 2) == 2 * text_width("t = 1"));
    draw_text(one, 30, 8, "beyond the border", {0, 0, 0}, 3);
    draw_text(one, -7, -3, "before it", {0, 0, 0}, 1);
}

TEST_CASE("Side by side keeps both pictures") {
    const Image a = noise(20, 30), b = noise(40, 10);
    const Image both = side_by_side(a, b);
    CHECK(both.width == 20 + 8 + 40);
    CHECK(both.height == 30);
    CHECK(both.get(3, 29) == a.get(3, 29));
    CHECK(both.get(28 + 7, 10 + 4) == b.get(7, 4));
    CHECK(side_by_side(a, b, "sticky", "separating").height > 30);
}
