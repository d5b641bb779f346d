#include "slosh/scene/tall.h"

#include <numbers>

#include "slosh/base/error.h"

namespace slosh {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

tall::GroundLayer layer_of(const SceneGround& g) {
    tall::GroundLayer layer{.position = g.position,
                            .slope_x = g.slope_x,
                            .slope_z = g.slope_z,
                            .curve_x = g.curve_x,
                            .curve_z = g.curve_z,
                            .cone = g.cone,
                            .radius = g.radius,
                            .waves = {}};
    const auto number = [](double length) { return length != 0 ? kTurn / length : 0.0; };
    for (const SceneGroundWave& w : g.waves)
        layer.waves.push_back(
            {w.height, number(w.length_x), number(w.length_z), w.phase * kTurn / 360});
    return layer;
}

tall::Inflow inflow_of(const Inflow<3>& from) {
    return {[from](const Point<3>& p, double t) {
                return from.shape->distance(from.motion.at(t).unapply(p));
            },
            [from](double t) {
                Point<3> u;
                for (int d = 0; d < 3; ++d) u[d] = from.velocity[d].at(t);
                return u;
            },
            from.start, from.end};
}

}  // namespace

tall::Setup make_tall_setup(const Scene& scene) {
    SLOSH_EXPECT(scene.tall && scene.dim == 3);
    const SceneTall& t = *scene.tall;
    const LiquidSetup<3> parts = make_setup<3>(scene);
    tall::Setup setup;
    setup.nx = scene.cells()[0];
    setup.nz = scene.cells()[2];
    setup.rows = t.rows;
    setup.dx = scene.dx();
    setup.lower = scene.lower;
    for (const SceneGround& g : t.terrain) setup.ground.push_back(layer_of(g));
    setup.gravity = [g = scene.gravity[1]](double time) { return -g.at(time); };

    const std::vector<InitialLiquid<3>> liquid = parts.liquid;
    setup.water = [liquid](const Point<3>& p) {
        double least = 1e30;
        for (const InitialLiquid<3>& l : liquid) least = std::min(least, l.shape->distance(p));
        return least;
    };
    setup.velocity = [liquid](const Point<3>& p) {
        // That of the liquid a point lies in, or is nearest to: air moves with the water.
        double least = 1e30;
        Point<3> u;
        for (const InitialLiquid<3>& l : liquid) {
            const double d = l.shape->distance(p);
            if (d < least) least = d, u = l.velocity;
        }
        return u;
    };
    for (const Inflow<3>& i : parts.inflows) setup.inflows.push_back(inflow_of(i));
    for (const SceneWaveMaker& w : t.wave_makers)
        setup.wave_makers.push_back({w.side, w.speed, w.period, w.start, w.end});

    setup.bodies = parts.bodies;
    setup.body_options.density = scene.density;
    setup.spray.on = t.spray;
    setup.ripples.wind = t.ripples;
    for (const ScenePush& p : t.pushes)
        setup.push_events.push_back({{p.position, p.velocity, p.radius}, p.start, p.end});
    for (const SceneRaise& r : t.raises)
        setup.raise_events.push_back(
            {{r.position[0], r.position[2], r.radius, r.height}, r.start, r.end});
    for (const SceneThrow& e : t.throws)
        for (std::size_t n = 0; n < scene.bodies.size(); ++n)
            if (scene.bodies[n].name == e.body)
                setup.throw_events.push_back(
                    {{static_cast<int>(n), e.velocity, e.spin * (kTurn / 360)}, e.time});
    setup.options.volume_time = t.volume_time;
    setup.options.thickening.on = t.thickening;
    setup.options.redistance_every = t.redistance_every;
    setup.options.remesh.under = t.under;
    setup.options.remesh.over = t.over;
    setup.options.remesh.max_step = t.max_step;
    setup.options.cycles.v_cycles = t.v_cycles;
    setup.options.surface = t.surface;
    setup.options.cycles.separation_levels =
        scene.step.separation == Separation::Cell ? tall::kSeparationLevels : 0;
    return setup;
}

}  // namespace slosh
