// `slosh bench viscosity`: the viscous solvers on liquids in a spherical tank, half full, with
// waves, a fixed ball in it and a blob in free fall, over dt eta / (rho h^2) = nu from 1e-2 to 1e6.
// Other liquids: nu that varies smoothly, in layers, or as a stiff lump; a spray of droplets; a
// free body.
#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/shape/primitives.h"
#include "slosh/viscosity/solve.h"

namespace slosh::cli {

namespace {

constexpr double kTolerance = 1e-8;
constexpr double kShort = 1;  // CPU s: solves that are timed kRepeats times; the least counts
constexpr int kRepeats = 5;
constexpr double kDt = 0.01, kRho = 1000;  // s, kg/m^3: what turns nu into eta

double tank(const Point<3>& x) {
    const double wall = 0.45 - length(x - Point<3>::filled(0.5));
    return std::min(wall, length(x - Point<3>{0.35, 0.3, 0.5}) - 0.12);
}
double pool(const Point<3>& x) {
    const double waves = x[1] - 0.5 - 0.03 * std::sin(9 * x[0]) * std::cos(7 * x[2]);
    return std::min(waves, length(x - Point<3>{0.55, 0.75, 0.5}) - 0.1);
}

/// 300 droplets of one to three cells' radius over the pool.
double spray(const Point<3>& x, int n) {
    double least = x[1] - 0.3;
    for (std::uint64_t i = 0; i < 300; ++i) {
        Point<3> centre;
        for (int d = 0; d < 3; ++d)
            centre[d] = 0.2 + 0.6 * hash_uniform(7, i, static_cast<std::uint64_t>(d));
        centre[1] = 0.35 + 0.4 * hash_uniform(7, i, 1);
        const double radius = (1 + 2 * hash_uniform(7, i, 3)) / n;
        least = std::min(least, length(x - centre) - radius);
    }
    return least;
}

template <class Value>
Field<float, 3> sampled(const BlocksPtr<3>& blocks, const Value& value) {
    Field<float, 3> f(blocks);
    parallel_for(blocks->size(), 1, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int o = 0; o < kBlockCells<3>; ++o)
            f.block(b)[o] = static_cast<float>(value(blocks->first_cell(b) + local_cell<3>(o)));
    });
    return f;
}

/// One liquid to solve for, of any nu.
struct Tank {
    GridGeometry<3> grid;
    BlocksPtr<3> blocks;
    SampleVolumes<3> open, liquid;
    FaceField<float, 3> velocity, moved;
    std::vector<ViscousBody<3>> bodies;
    std::vector<BodyFace> faces;

    Tank(const std::string& kind, int n)
        : grid{.origin = {}, .dx = 1.0 / n, .cells = Index<3>::filled(n)} {
        const auto cells = [&](double d) { return std::clamp(d * n, -5.0, 5.0); };
        const auto surface = [&](const Point<3>& x) {
            return kind == "spray" ? spray(x, n) : pool(x);
        };
        std::vector<Index<3>> coords;
        const int side = (n + kSide - 1) / kSide;
        for (int z = -1; z <= side; ++z)
            for (int y = -1; y <= side; ++y)
                for (int x = -1; x <= side; ++x) {
                    const Point<3> middle =
                        grid.node(Index<3>{x, y, z} * kSide + Index<3>::filled(4));
                    const double reach = 8 * grid.dx;
                    if (surface(middle) < reach && tank(middle) > -reach)
                        coords.push_back({x, y, z});
                }
        blocks = std::make_shared<const Blocks<3>>(std::move(coords));
        const bool free_ball = kind == "body" || kind == "body one-way";
        const ShapePtr<3> ball = sphere<3>({0.62, 0.3, 0.45}, 0.1);
        open =
            open_volumes(sampled(blocks,
                                 [&](const Index<3>& i) {
                                     const Point<3> x = grid.node(i);
                                     const double d = tank(x);
                                     return cells(free_ball ? std::min(d, ball->distance(x)) : d);
                                 }),
                         VolumeKind::Consistent);
        liquid = liquid_volumes(
            sampled(blocks, [&](const Index<3>& i) { return cells(surface(grid.centre(i))); }),
            VolumeKind::Consistent);
        velocity = FaceField<float, 3>(blocks);
        for (int d = 0; d < 3; ++d)
            velocity.axis(d) = sampled(blocks, [&](const Index<3>& i) {
                const Point<3> x = grid.face(d, i);
                return Point<3>{std::sin(5 * x[1]), -1 - x[0], std::cos(4 * x[0] + x[2])}[d];
            });
        if (free_ball) {
            ViscousBody<3> body;
            body.placed = {.shape = ball.get(),
                           .at = {},
                           .centre = {0.62, 0.3, 0.45},
                           .velocity = {0, -1, 0},
                           .spin = {}};
            shape_ = ball;
            const double mass = 3 * 4.18879 * std::pow(0.1 * n, 3);
            for (int k = 0; k < 6; ++k) {
                body.mass.row[k][k] = k < 3 ? mass : 0.4 * mass * 0.01;
                body.basis.row[k][k] = 1;
            }
            bodies = {body};
            faces = body_volumes(grid, bodies, open, VolumeKind::Consistent);
        }
        moved = solid_motion<3>(grid, open, FaceField<float, 3>(blocks), bodies, faces,
                                kind == "body", [](const Point<3>&) { return Point<3>{}; });
        if (kind == "smooth" || kind == "layers" || kind == "lump")
            varies_ = sampled(blocks, [&](const Index<3>& i) {
                const Point<3> x = grid.centre(i);
                if (kind == "smooth") return std::pow(10.0, 3.5 * std::sin(7 * x[0]) - 3.5);
                if (kind == "layers") return std::pow(10.0, -std::floor(8 * x[0]));
                return length(x - Point<3>{0.6, 0.35, 0.5}) < 0.08 ? 1.0 : 1e-7;
            });
        strong_ = kind == "body";
    }

    SolveReport solve(double nu, const std::string& solver) const {
        ViscousInput<3> input{.open = &open, .liquid = &liquid, .moved = &moved, .nu = nu};
        Field<float, 3> local;
        if (varies_.blocks_ptr()) {
            local = varies_;
            for (std::size_t k = 0; k < local.cells(); ++k)
                local.data()[k] *= static_cast<float>(nu);
            input.local_nu = &local;
        }
        const ViscousSystem<3> system = assemble_viscosity(input);
        std::vector<double> rhs, x;
        system.load(velocity, rhs, x);
        BodyColumns<3> columns;
        if (strong_) {
            columns = couple_bodies(grid, system, moved, bodies, faces);
            rhs.insert(rhs.end(), columns.rhs.begin(), columns.rhs.end());
            x.resize(rhs.size());
            columns.guess(bodies, &x[static_cast<std::size_t>(system.rows.size())]);
        }
        return solve_viscosity<3>(system, strong_ ? &columns : nullptr,
                                  {.solver = solver, .tolerance = kTolerance}, rhs, x);
    }

private:
    ShapePtr<3> shape_;
    Field<float, 3> varies_;
    bool strong_ = false;
};

}  // namespace

void bench_viscosity(const BenchOptions& options, BenchReport& report) {
    for (const std::string& solver : options.solvers)
        if (solver != "auto" && solver != "mic")
            throw InputError("unknown solver '" + solver + "'; known here: auto, mic");
    for (const int n : or_default(options.sizes, {32, 64})) {
        const auto measure = [&](const char* kind, const std::vector<double>& nus,
                                 const std::vector<std::string>& solvers) {
            const Tank liquid(kind, n);
            for (const double nu : nus)
                for (const std::string& solver : or_default(options.solvers, solvers))
                    for (const int count : or_default(options.threads, {2})) {
                        set_threads(count);
                        SolveReport s = liquid.solve(nu, solver);
                        for (int k = 1; k < kRepeats && s.cpu_seconds < kShort; ++k) {
                            const SolveReport again = liquid.solve(nu, solver);
                            if (again.seconds < s.seconds) s = again;
                        }
                        Json row = Json::object();
                        row.set("suite", "viscosity");
                        row.set("scene", kind);
                        row.set("dim", 3);
                        row.set("n", n);
                        row.set("solver", solver);
                        row.set("threads", count);
                        row.set("nu", nu);
                        row.set("eta", nu * kRho / (kDt * n * n));
                        add_solve(s, row);
                        report.add(row);
                    }
        };
        measure("tank", {1e-2, 1, 1e2, 1e4, 1e6}, {"auto", "mic"});
        for (const char* kind : {"smooth", "layers", "lump"}) measure(kind, {1e5}, {"auto"});
        measure("spray", {1e4}, {"auto"});
        measure("body one-way", {1e2, 1e6}, {"auto"});
        measure("body", {1e2, 1e6}, {"auto"});
    }
    set_threads(0);
}

}  // namespace slosh::cli
