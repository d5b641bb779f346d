#include "slosh/cache/maps.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "slosh/base/error.h"

using namespace slosh;

TEST_CASE("Maps come back as they were written, and a cut file is refused") {
    SurfaceMaps maps;
    maps.nx = 3;
    maps.nz = 2;
    maps.lower = {{-1, 2}};
    maps.texel = 0.5;
    maps.foam = {0, 0.25f, 1, 0.5f, 0, 0};
    maps.wet = {1, 1, 0, 0, 0.125f, 1};
    maps.ripple = {-0.01f, 0.02f, 0, 0, 0, 0.5f};
    const auto path = std::filesystem::temp_directory_path() / "slosh_maps_test.pfm";
    const std::size_t bytes = write_maps(path.string(), maps);
    CHECK(bytes == std::filesystem::file_size(path));
    const SurfaceMaps back = read_maps(path.string(), maps.lower, 1.5);
    CHECK(back.nx == 3);
    CHECK(back.nz == 2);
    CHECK(back.texel == 0.5);
    CHECK(back.foam == maps.foam);
    CHECK(back.wet == maps.wet);
    CHECK(back.ripple == maps.ripple);
    std::filesystem::resize_file(path, bytes - 4);
    CHECK_THROWS_AS((void)read_maps(path.string(), maps.lower, 1.5), InputError);
    std::filesystem::remove(path);
}
