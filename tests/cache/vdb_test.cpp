#include "slosh/cache/vdb.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cache/fake_run.h"
#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {

/// World point of a cell's centre as a 3D point.
template <int D>
Point<3> centre(const Index<D>& cell) {
    const Point<D> c = fake::grid<D>().centre(cell);
    Point<3> p;
    for (int d = 0; d < D; ++d) p[d] = c[d];
    return p;
}

}  // namespace

TEST_CASE_TEMPLATE("Level set and velocity are where they belong, in metres and m/s", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    const double radius = 0.9, band = 3 * fake::grid<D>().dx;
    const auto frame = fake::frame<D>(radius);
    const std::size_t bytes =
        write_volumes_vdb(dir / "v.vdb", frame.level_set, frame.velocity, fake::grid<D>());
    CHECK(bytes == std::filesystem::file_size(dir / "v.vdb"));

    // Closed forms: distance to the ball, kept within the band; solid rotation at cell centres.
    std::vector<Point<3>> points;
    std::vector<Index<D>> cells;
    for (int i = 0; i < 24; ++i)
        for (int j = 0; j < 24; ++j) {
            Index<D> cell = Index<D>::filled(12);
            cell[0] = i;
            cell[1] = j;
            cells.push_back(cell);
            points.push_back(centre(cell));
        }
    const auto samples = sample_volumes_vdb(dir / "v.vdb", points);
    const Point<D> middle = fake::grid<D>().to_world(Point<D>::filled(12));
    std::size_t wrong_phi = 0, wrong_velocity = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Point<D> x = fake::grid<D>().centre(cells[k]) - middle;
        const double phi = std::clamp(length(x) - radius, -band, band);
        wrong_phi += std::abs(samples[k].phi - phi) > 1e-5;
        if (phi > 0.2) continue;
        const auto& v = samples[k].velocity;
        wrong_velocity += std::abs(v[0] + x[1]) > 1e-5 || std::abs(v[1] - x[0]) > 1e-5 ||
                          std::abs(v[2] - (D == 3 ? 0.25 : 0)) > 1e-5;
    }
    CHECK(wrong_phi == 0);
    CHECK(wrong_velocity == 0);

    const auto grids = summarize_vdb(dir / "v.vdb");
    REQUIRE(grids.size() == 2);
    CHECK(grids[0].name == "surface");
    CHECK(grids[0].grid_class == "level set");
    CHECK(grids[0].voxel_size == doctest::Approx(fake::grid<D>().dx));
    CHECK(grids[1].name == "vel");
    std::size_t in_band = 0;  // active voxels are exactly the cells of the band
    for (std::size_t i = 0; i < frame.level_set.cells(); ++i)
        in_band += std::abs(frame.level_set.data()[i]) < float(band);
    CHECK(grids[0].active == in_band);
}

TEST_CASE_TEMPLATE("Particles come back from VDB points with position, velocity and id", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    auto s = fake::state<D>(5000);
    s.particles.x[0][0] = -3.25f;  // outside the domain, in a block of negative coordinate
    const auto grid = fake::grid<D>();
    write_particles_vdb(dir / "p.vdb", s.particles, grid);
    const ParticleCloud cloud = read_particles_vdb(dir / "p.vdb");
    REQUIRE(cloud.ids.size() == 5000);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 5000; ++k) {
        const std::size_t i = (cloud.ids[k] - 1) / 2;  // how the fake numbers them
        for (int d = 0; d < 3; ++d) {
            const double x = d < D ? grid.origin[d] + grid.dx * s.particles.x[d][i] : 0;
            wrong += std::abs(cloud.positions[k][d] - x) > 1e-6 ||
                     cloud.velocities[k][d] != (d < D ? s.particles.v[d][i] : 0);
        }
    }
    CHECK(wrong == 0);
    CHECK(summarize_vdb(dir / "p.vdb")[0].points == 5000);
    write_particles_vdb(dir / "e.vdb", fake::state<D>(0).particles, grid);
    CHECK(read_particles_vdb(dir / "e.vdb").ids.empty());
}

TEST_CASE("The same input gives the same VDB bytes, on any number of threads") {
    fake::TempDir dir;
    const auto frame = fake::frame<3>(0.9);
    const auto s = fake::state<3>(20000);
    for (const int n : {1, 2, 3}) {
        set_threads(n % 3);
        write_volumes_vdb(dir / fake::numbered("v", n), frame.level_set, frame.velocity,
                          fake::grid<3>());
        write_particles_vdb(dir / fake::numbered("p", n), s.particles, fake::grid<3>());
    }
    set_threads(0);
    CHECK(read_file(dir / "v1") == read_file(dir / "v2"));
    CHECK(read_file(dir / "v1") == read_file(dir / "v3"));
    CHECK(read_file(dir / "p1") == read_file(dir / "p2"));
    CHECK(read_file(dir / "p1") == read_file(dir / "p3"));
    const auto other = fake::frame<3>(0.91);
    write_volumes_vdb(dir / "other", other.level_set, other.velocity, fake::grid<3>());
    CHECK(read_file(dir / "v1") != read_file(dir / "other"));
}

TEST_CASE("A damaged VDB file is refused") {
    fake::TempDir dir;
    const auto frame = fake::frame<2>(0.9);
    write_volumes_vdb(dir / "v.vdb", frame.level_set, frame.velocity, fake::grid<2>());
    const std::string good = read_file(dir / "v.vdb");
    for (std::size_t i = 0; i < good.size(); i += 13) {
        std::string bytes = good;
        bytes[i] = static_cast<char>(bytes[i] ^ 4);
        write_file(dir / "v.vdb", bytes);
        CHECK_THROWS_AS(summarize_vdb(dir / "v.vdb"), InputError);
        write_file(dir / "v.vdb", good.substr(0, i));
        CHECK_THROWS_AS(summarize_vdb(dir / "v.vdb"), InputError);
    }
}
