// What slosh writes for people and other programs to read: stats, VTK XML, descriptions.
#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cache/fake_run.h"
#include "slosh/base/error.h"
#include "slosh/cache/describe.h"
#include "slosh/cache/stats.h"
#include "slosh/cache/vdb.h"
#include "slosh/cache/vtk.h"

using namespace slosh;

TEST_CASE("A line of stats is JSON with every number of the report") {
    StepReport r;
    r.time = 0.1;
    r.dt = 1.0 / 3;
    r.accepted = true;
    r.solver = "linear \"x\"\n";
    r.pressure.iterations = 7;
    r.pressure.residual = 1e-9;
    r.pressure.converged = true;
    r.volume = std::nan("");
    r.kinetic_energy = 2.5;
    r.particles = 5000000000;
    r.peak_bytes = 123;
    r.probe_pressure = {1, 2.5};
    r.times.add("pressure", 0.5, 0.75);
    const std::string line = stats_line(r, 12, 34);
    CHECK(line.find('\n') == std::string::npos);
    const auto j = nlohmann::json::parse(line);
    CHECK(j["frame"] == 12);
    CHECK(j["substep"] == 34);
    CHECK(j["dt"].get<double>() == 1.0 / 3);
    CHECK(j["solver"] == r.solver);
    CHECK(j["iterations"] == 7);
    CHECK(j["converged"] == true);
    CHECK(j["volume"].is_null());
    CHECK(j["particles"] == 5000000000);
    CHECK(j["bytes"] == 123);
    CHECK(j["probe_pressure"][1] == 2.5);
    CHECK(j["seconds"]["pressure"]["cpu"] == 0.75);
    CHECK(j["seconds"]["total"]["wall"] == 0.5);
}

TEST_CASE("Stats are cut after the last whole line of a frame") {
    const std::string one = stats_line({}, 1, 1) + "\n", two = stats_line({}, 2, 2) + "\n";
    const std::string text = one + two + two + stats_line({}, 10, 4) + "\n";
    CHECK(stats_bytes_up_to(text, 0) == 0);
    CHECK(stats_bytes_up_to(text, 1) == one.size());
    CHECK(stats_bytes_up_to(text, 2) == one.size() + 2 * two.size());
    CHECK(stats_bytes_up_to(text, 10) == text.size());
    CHECK(stats_bytes_up_to(text.substr(0, text.size() - 1), 10) == one.size() + 2 * two.size());
    CHECK(stats_bytes_up_to("nonsense\n" + text, 10) == 0);
}

TEST_CASE("The arrays of a .vtp lie at the offsets its XML states") {
    fake::TempDir dir;
    const SurfaceMesh mesh = fake::frame<3>(0.5).surface;
    const std::size_t bytes = write_surface_vtp(dir / "s.vtp", mesh, 0.25);
    const std::string text = read_file(dir / "s.vtp");
    CHECK(text.size() == bytes);
    CHECK(text.find("TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.25<") !=
          std::string::npos);
    CHECK(text.find("NumberOfPolys=\"3\"") != std::string::npos);
    const std::size_t raw = text.find("encoding=\"raw\">\n_") + 17;
    const auto array = [&](const std::string& name) {
        const std::size_t at = text.find("Name=\"" + name + "\"");
        const std::size_t start = raw + std::stoul(text.substr(text.find("offset=\"", at) + 8));
        std::uint64_t size;
        std::memcpy(&size, text.data() + start, 8);
        return text.substr(start + 8, size);
    };
    CHECK(array("position").size() == mesh.vertices.size() * 12);
    CHECK(std::memcmp(array("position").data(), mesh.vertices.data(), mesh.vertices.size() * 12) ==
          0);
    CHECK(std::memcmp(array("velocity").data(), mesh.velocities.data(),
                      mesh.vertices.size() * 12) == 0);
    CHECK(std::memcmp(array("connectivity").data(), mesh.elements.data(), 36) == 0);
    const std::int32_t ends[] = {3, 6, 9};
    CHECK(std::memcmp(array("offsets").data(), ends, 12) == 0);
}

TEST_CASE("Caches and their files are described; anything else is refused in one line") {
    fake::TempDir dir;
    fake::simulate<3>(dir / "run", 3, false, {.volumes = true});
    const std::string run = describe(dir / "run");
    CHECK(run.find("scene 'fake'") != std::string::npos);
    CHECK(run.find("3 frames") != std::string::npos);
    CHECK(run.find("checkpoint of frame 3") != std::string::npos);
    CHECK(run.find("process") == std::string::npos);
    CHECK(describe(dir / "run/surface/surface.0001.ply").find("3 faces") != std::string::npos);
    CHECK(describe(dir / "run/particles/particles.0001.ply").find("50") != std::string::npos);
    CHECK(describe(dir / "run/volumes/volumes.0001.vdb").find("level set") != std::string::npos);
    CHECK(describe(dir / "run/checkpoints/checkpoint.0003.ckpt").find("50 particles") !=
          std::string::npos);
    for (const char* path : {"", "/run/scene.json", "/nothing", "/run/surface"})
        CHECK_THROWS_AS(describe(dir.path() + path), InputError);
    truncate_file(dir / "run/checkpoints/checkpoint.0003.ckpt", 50);
    CHECK(describe(dir / "run").find("frame 3: damaged") != std::string::npos);
}
