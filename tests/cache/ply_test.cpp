#include "slosh/cache/ply.h"

#include <doctest/doctest.h>

#include "cache/fake_run.h"
#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {

bool same(const SurfaceMesh& a, const SurfaceMesh& b) {
    return a.dim == b.dim && a.vertices == b.vertices && a.velocities == b.velocities &&
           a.elements == b.elements;
}

/// Damages a file in many ways; reading must then either work or throw an InputError of one line.
template <class Read>
void read_damaged(const std::string& path, const Read& read) {
    const std::string good = read_file(path);
    const auto attempt = [&](const std::string& bytes) {
        write_file(path, bytes);
        try {
            read(path);
        } catch (const InputError& e) {
            CHECK(std::string(e.what()).find('\n') == std::string::npos);
        }
    };
    for (std::size_t n = 0; n < good.size(); ++n) attempt(good.substr(0, n));
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const int flip : {0x01, 0x80, 0xff}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ flip);
            attempt(bytes);
        }
    write_file(path, good);
}

}  // namespace

TEST_CASE("A surface comes back from PLY as it was, in 2D and 3D") {
    fake::TempDir dir;
    for (const SurfaceMesh& mesh : {fake::frame<3>(0.5).surface, fake::frame<2>(0.5).surface}) {
        const std::size_t bytes = write_surface_ply(dir / "s.ply", mesh);
        CHECK(bytes == std::filesystem::file_size(dir / "s.ply"));
        CHECK(same(read_surface_ply(dir / "s.ply"), mesh));
    }
    SurfaceMesh empty;
    write_surface_ply(dir / "e.ply", empty);
    CHECK(same(read_surface_ply(dir / "e.ply"), empty));
}

TEST_CASE_TEMPLATE("Particles in PLY are where grid coordinates say, with velocity and id", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    const auto s = fake::state<D>(300000);  // more than one buffer
    const auto grid = fake::grid<D>();
    write_particles_ply(dir / "p.ply", s.particles, grid);
    const ParticleCloud cloud = read_particles_ply(dir / "p.ply");
    REQUIRE(cloud.positions.size() == s.particles.size());
    CHECK(cloud.dim == D);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < cloud.positions.size(); ++i)
        for (int d = 0; d < 3; ++d) {
            const double x = d < D ? grid.origin[d] + grid.dx * s.particles.x[d][i] : 0;
            const float v = d < D ? s.particles.v[d][i] : 0;
            wrong += std::abs(cloud.positions[i][d] - x) > 1e-6 || cloud.velocities[i][d] != v ||
                     cloud.ids[i] != s.particles.id[i];
        }
    CHECK(wrong == 0);
}

TEST_CASE("PLY bytes do not depend on the number of threads") {
    fake::TempDir dir;
    const auto s = fake::state<3>(200000);
    set_threads(1);
    write_particles_ply(dir / "1.ply", s.particles, fake::grid<3>());
    set_threads(2);
    write_particles_ply(dir / "2.ply", s.particles, fake::grid<3>());
    set_threads(0);
    CHECK(read_file(dir / "1.ply") == read_file(dir / "2.ply"));
}

TEST_CASE("A damaged PLY is refused or read, never more") {
    fake::TempDir dir;
    write_surface_ply(dir / "s.ply", fake::frame<3>(0.5).surface);
    read_damaged(dir / "s.ply", [](const std::string& p) { (void)read_surface_ply(p); });
    write_surface_ply(dir / "s2.ply", fake::frame<2>(0.5).surface);
    read_damaged(dir / "s2.ply", [](const std::string& p) { (void)read_surface_ply(p); });
    write_particles_ply(dir / "p.ply", fake::state<3>(10).particles, fake::grid<3>());
    read_damaged(dir / "p.ply", [](const std::string& p) { (void)read_particles_ply(p); });
    const std::string whole = read_file(dir / "s.ply");
    write_file(dir / "s.ply", whole.substr(0, whole.size() - 1));
    CHECK_THROWS_AS(read_surface_ply(dir / "s.ply"), InputError);
}

TEST_CASE("A header that promises more than the file holds is refused before any is allocated") {
    fake::TempDir dir;
    write_file(dir / "s.ply",
               "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999999\n"
               "property float x\nproperty float y\nproperty float z\nend_header\nabc");
    CHECK_THROWS_AS(read_surface_ply(dir / "s.ply"), InputError);
    write_file(dir / "s.ply",
               "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\n"
               "property float y\nproperty float z\nelement face 99999999999\n"
               "property list uchar int vertex_indices\nend_header\nabc");
    CHECK_THROWS_AS(read_surface_ply(dir / "s.ply"), InputError);
}
