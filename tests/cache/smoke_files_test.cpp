// Frames and checkpoints of a gas.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "cache/fake_run.h"
#include "slosh/base/error.h"
#include "slosh/cache/checkpoint.h"
#include "slosh/cache/vdb.h"
#include "slosh/cache/vtk.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

template <int D>
LiquidSetup<D> room() {
    LiquidSetup<D> setup;
    setup.grid = {.origin = Point<D>::filled(0.5), .dx = 0.125, .cells = Index<D>::filled(12)};
    setup.grid.cells[0] = 20;
    setup.gravity[1] = Curve(-9.81);
    setup.step.separation = Separation::Off;
    GasSource<D> source;
    source.shape = sphere<D>(Point<D>::filled(1.0), 0.3);
    source.temperature = 400;
    setup.gas.emplace().sources.push_back(source);
    return setup;
}

template <class A>
bool same_bits(const A& a, const A& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

template <int D>
void run(LiquidSimulation<D>& simulation, double end) {
    while (simulation.state().time < end - 1e-9)
        (void)simulation.step(end - simulation.state().time);
}

}  // namespace

TEST_CASE_TEMPLATE("Smoke and temperature are where they belong in VDB and VTK", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    const LiquidSetup<D> setup = room<D>();
    const LiquidFrame<D> frame = LiquidSimulation<D>(setup).frame();
    write_smoke_vdb<D>(dir / "s.vdb", frame.smoke, frame.temperature, nullptr, setup.grid);
    Index<3> cells{{1, 1, 1}};
    for (int d = 0; d < D; ++d) cells[d] = setup.grid.cells[d];
    const SmokeVolume read = read_smoke_vdb(dir / "s.vdb", cells);
    std::size_t wrong = 0, smoky = 0, k = 0;
    for (int z = 0; z < cells[2]; ++z)
        for (int y = 0; y < cells[1]; ++y)
            for (int x = 0; x < cells[0]; ++x, ++k) {
                Index<D> cell;
                cell[0] = x;
                cell[1] = y;
                if (D == 3) cell[D - 1] = z;
                wrong += std::abs(read.density[k] - frame.smoke.get(cell)) > 2e-5f;
                smoky += read.density[k] > 0.5f;
            }
    CHECK(wrong == 0);
    const double volume = D == 2 ? M_PI * 0.09 : 4 * M_PI / 3 * 0.027;
    CHECK(double(smoky) == doctest::Approx(volume / std::pow(0.125, D)).epsilon(0.15));
    auto grids = summarize_vdb(dir / "s.vdb");
    REQUIRE(grids.size() == 2);
    CHECK(grids[0].name == "density");
    CHECK(grids[1].name == "temperature");
    CHECK(grids[0].grid_class == "fog volume");
    write_smoke_vdb<D>(dir / "v.vdb", frame.smoke, frame.temperature, &frame.velocity, setup.grid);
    CHECK(summarize_vdb(dir / "v.vdb").size() == 3);
    CHECK_THROWS_AS(read_smoke_vdb(dir / "s.vdb", {{4, 4, 4}}), InputError);

    const std::size_t bytes =
        write_smoke_vti<D>(dir / "s.vti", frame.smoke, frame.temperature, setup.grid, 0.25);
    const std::string text = read_file(dir / "s.vti");
    CHECK(bytes == text.size());
    const std::string extent = "WholeExtent=\"0 20 0 12 0 " + std::to_string(cells[2]) + "\"";
    CHECK(text.find(extent) != std::string::npos);
    // The raw arrays: after the mark, each with its size before it.
    const std::size_t at = text.find("\n_") + 2, n = read.density.size();
    std::vector<float> density(n), heat(n);
    std::memcpy(density.data(), text.data() + at + 8, 4 * n);
    std::memcpy(heat.data(), text.data() + at + 16 + 4 * n, 4 * n);
    float hottest = 0, coolest = 1e9f;
    for (std::size_t i = 0; i < n; ++i) {
        wrong += std::abs(density[i] - read.density[i]) > 2e-5f;
        hottest = std::max(hottest, heat[i]);
        coolest = std::min(coolest, heat[i]);
    }
    CHECK(wrong == 0);
    CHECK(hottest == doctest::Approx(400));
    CHECK(coolest == doctest::Approx(293));
}

TEST_CASE_TEMPLATE("A gas goes on from its checkpoint bit for bit", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    LiquidSimulation<D> through(room<D>());
    run(through, 0.1);
    save_checkpoint(dir / "c", through.state(), 4, 1);
    run(through, 0.2);
    CheckpointInfo info;
    LiquidSimulation<D> resumed(room<D>());
    resumed.restore(load_checkpoint<D>(dir / "c", &info));
    CHECK(info.gas);
    CHECK(check_checkpoint(dir / "c").gas);
    run(resumed, 0.2);
    const Particles<D>&a = through.state().particles, &b = resumed.state().particles;
    CHECK(same_bits(a.smoke, b.smoke));
    CHECK(same_bits(a.temperature, b.temperature));
    for (int d = 0; d < D; ++d) {
        CHECK(same_bits(a.x[d], b.x[d]));
        CHECK(same_bits(a.v[d], b.v[d]));
    }
}
