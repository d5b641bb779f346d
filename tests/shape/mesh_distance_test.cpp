#include "slosh/shape/mesh_distance.h"

#include <doctest/doctest.h>

#include <cstring>

#include "mesh_samples.h"
#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

Point<3> random_point(int i, double size) {
    return {(hash_uniform(9, i, 0) * 2 - 1) * size, (hash_uniform(9, i, 1) * 2 - 1) * size,
            (hash_uniform(9, i, 2) * 2 - 1) * size};
}

}  // namespace

TEST_CASE("The distance of a meshed ball is that of the ball within a fraction of a voxel") {
    const Point<3> centre{0.1, -0.2, 0.3};
    const double radius = 0.5, voxel = 0.025;
    const TriangleMesh mesh = uv_sphere(centre, radius, 80);
    CHECK(boundary_edges(mesh) == 0);
    const auto shape = mesh_shape(mesh, voxel);
    const auto exact = sphere(centre, radius);
    // The facets lie up to R (1 - cos(pi/160)) = 1e-4 inside; interpolation of a distance of
    // curvature 1/r errs by voxel^2/(4 r), 4e-4 here.
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const Point<3> x = random_point(i, 1.2);
        const double d = shape->distance(x), truth = exact->distance(x);
        if (std::abs(truth) < 5 * voxel) worst = std::max(worst, std::abs(d - truth));
        if (std::abs(truth) > 0.05 * voxel) REQUIRE((d < 0) == (truth < 0));
        REQUIRE(std::abs(d) <= std::abs(truth) + 0.05 * voxel);  // never overstated
        // Far away the bound must still be worth something, as blocks are skipped by it: it gives
        // away a coarse cell's diagonal (4 voxels a side), half of another and a voxel's.
        if (truth < 6 * voxel) REQUIRE(std::abs(d) > std::abs(truth) - 12.2 * voxel);
    }
    MESSAGE("worst error near the surface: ", worst / voxel, " voxels");
    CHECK(worst < 0.05 * voxel);
    CHECK(shape->distance({1e6, 0, 0}) == doctest::Approx(1e6).epsilon(1e-3));
    CHECK(shape->bounds().hi[0] == doctest::Approx(0.6).epsilon(1e-3));
}

TEST_CASE("A meshed box has the distance of the box, also with its corners on round numbers") {
    const double voxel = 0.0625;
    const auto shape = mesh_shape(box_mesh({0, 0, 0}, {1, 0.5, 0.75}), voxel);
    const auto exact = box<3>({0, 0, 0}, {1, 0.5, 0.75});
    for (int i = 0; i < 5000; ++i) {
        const Point<3> x = random_point(i, 1.5);
        const double truth = exact->distance(x), d = shape->distance(x);
        if (std::abs(truth) > 0.5 * voxel) REQUIRE((d < 0) == (truth < 0));
        // A trilinear patch across an edge cuts it by less than half a voxel.
        if (std::abs(truth) < 4 * voxel) REQUIRE(std::abs(d - truth) < 0.5 * voxel);
    }
}

TEST_CASE("Cavities stay hollow, overlaps stay solid, and an inverted mesh is the same body") {
    const double voxel = 0.05;
    TriangleMesh hollow = uv_sphere({0, 0, 0}, 1, 24);
    append(hollow, uv_sphere({0, 0, 0}, 0.6, 24, true));
    const auto shell = mesh_shape(hollow, voxel);
    CHECK(shell->distance({0, 0, 0}) > 0);
    CHECK(shell->distance({0.8, 0, 0}) < 0);
    CHECK(shell->distance({1.2, 0, 0}) > 0);

    TriangleMesh two = uv_sphere({-0.3, 0, 0}, 0.7, 24);
    append(two, uv_sphere({0.3, 0, 0}, 0.7, 24));
    CHECK(mesh_shape(two, voxel)->distance({0, 0, 0}) < 0);

    const auto inverted = mesh_shape(uv_sphere({0, 0, 0}, 1, 24, true), voxel);
    CHECK(inverted->distance({0, 0, 0}) < 0);
    CHECK(inverted->distance({1.3, 0, 0}) > 0);

    TriangleMesh muddled = uv_sphere({0, 0, 0}, 1, 24);
    for (std::size_t i = 0; i < muddled.triangles.size(); i += 3)
        std::swap(muddled.triangles[i][0], muddled.triangles[i][1]);
    CHECK(mesh_shape(muddled, voxel)->distance({0.1, 0.2, 0.3}) < 0);
    CHECK(mesh_shape(muddled, voxel)->distance({1.1, 0.2, 0.3}) > 0);
}

TEST_CASE("A mesh with holes is refused, or becomes a sheet") {
    TriangleMesh open = uv_sphere({0, 0, 0}, 1, 24);
    open.name = "bowl.obj";
    std::erase_if(open.triangles, [&](const auto& t) {
        return open.vertices[t[0]][2] + open.vertices[t[1]][2] + open.vertices[t[2]][2] > 0.1;
    });
    CHECK(boundary_edges(open) == 48);
    try {
        mesh_shape(open, 0.05);
        FAIL("accepted");
    } catch (const InputError& e) {
        const std::string line = e.what();
        CHECK(line.find("bowl.obj") != std::string::npos);
        CHECK(line.find("48") != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
    }
    CHECK_THROWS_AS(mesh_shape(open, {.voxel = 0.05, .open_mesh_thickness = 0.05}), InputError);
    const auto sheet = mesh_shape(open, {.voxel = 0.05, .open_mesh_thickness = 0.2});
    CHECK(sheet->distance({0, 0, 0}) > 0.3);  // a bound: 0.9 in truth
    CHECK(sheet->distance({0, 0, -0.95}) < 0);
    CHECK(sheet->distance({0, 0, -1.05}) < 0);
    CHECK(sheet->distance({0, 0, -1.2}) == doctest::Approx(0.1).epsilon(0.05));
    CHECK(sheet->distance({0, 0, 1}) > 0.2);
}

TEST_CASE("Meshes that cannot be sampled are refused in one line") {
    CHECK_THROWS_AS(mesh_shape(TriangleMesh{}, 0.1), InputError);
    CHECK_THROWS_AS(mesh_shape(uv_sphere({0, 0, 0}, 1, 8), 0), InputError);
    CHECK_THROWS_AS(mesh_shape(uv_sphere({0, 0, 0}, 1, 8), 1e-5), InputError);
    CHECK_THROWS_AS(mesh_shape(uv_sphere({0, NAN, 0}, 1, 8), 0.1), InputError);
}

TEST_CASE("The same mesh gives the same bits on any number of threads") {
    const TriangleMesh mesh = uv_sphere({0, 0, 0}, 1, 40);
    std::uint64_t hash[2];
    for (int n = 1; n <= 2; ++n) {
        set_threads(n);
        const auto shape = mesh_shape(mesh, 0.05);
        std::vector<double> d;
        for (int i = 0; i < 5000; ++i) d.push_back(shape->distance(random_point(i, 1.6)));
        hash[n - 1] = hash_bytes(d.data(), d.size() * sizeof(double));
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
}
