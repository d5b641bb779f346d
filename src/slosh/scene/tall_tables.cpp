// Keys of tall-cell water.
#include <fmt/format.h>

#include "slosh/scene/tables.h"

namespace slosh {
namespace {

const NumberType kTime{0, 1e30};  // 1e30 s: for ever
const NumberType kSlope{-1e3, 1e3};

}  // namespace

const Table<SceneGroundWave>& ground_wave_table() {
    static const Table<SceneGroundWave> table = [] {
        Table<SceneGroundWave> t("ground_wave",
                                 "height * sin(2 pi (x / length_x + z / length_z) + phase), added "
                                 "to a layer of ground; a length of 0 leaves its part out.");
        t.key("height", &SceneGroundWave::height, NumberType{}, "m", "Height over the mean.")
            .required();
        t.key("length_x", &SceneGroundWave::length_x, NumberType{}, "m", "Length along x.");
        t.key("length_z", &SceneGroundWave::length_z, NumberType{}, "m", "Length along z.");
        t.key("phase", &SceneGroundWave::phase, NumberType{}, "degrees", "Phase at the origin.");
        return t;
    }();
    return table;
}

const Table<SceneGround>& ground_table() {
    static const Table<SceneGround> table = [] {
        Table<SceneGround> t(
            "ground",
            "A layer of the terrain under tall-cell water. At the distances a and "
            "b along x and z, and r in the plane, from `position` it is y + slope_x "
            "a + slope_z b + curve_x a^2 + curve_z b^2 - cone r high. The highest "
            "layer counts, and at least the floor of the domain.");
        t.key("position", &SceneGround::position, VectorType{}, "m",
              "A point of the layer; its y is the height there.");
        t.key("slope_x", &SceneGround::slope_x, kSlope, "m/m", "Rise along x.");
        t.key("slope_z", &SceneGround::slope_z, kSlope, "m/m", "Rise along z.");
        t.key("curve_x", &SceneGround::curve_x, kSlope, "1/m", "Bend along x: a valley if > 0.");
        t.key("curve_z", &SceneGround::curve_z, kSlope, "1/m", "Bend along z.");
        t.key("cone", &SceneGround::cone, kSlope, "m/m", "Fall with distance: a rock if > 0.");
        t.key("radius", &SceneGround::radius, NumberType{0, 1e30, true}, "m",
              "The layer ends at this distance: a tower.")
            .default_text("has no end");
        t.key("waves", &SceneGround::waves,
              ListType<ObjectType<SceneGroundWave>, SceneGroundWave>{{ground_wave_table}}, "",
              "Hills and hollows.");
        return t;
    }();
    return table;
}

const Table<SceneWaveMaker>& wave_maker_table() {
    static const Table<SceneWaveMaker> table = [] {
        Table<SceneWaveMaker> t("wave_maker",
                                "A side of the domain that pushes water like a piston, with the "
                                "velocity speed * sin(2 pi t / period). It stays in its place.");
        t.key("side", &SceneWaveMaker::side,
              ChoiceType<int>{{{"x-", 0}, {"x+", 1}, {"z-", 2}, {"z+", 3}}, {}, ""}, "",
              "Which side.")
            .required();
        t.key("speed", &SceneWaveMaker::speed, NumberType{-1e3, 1e3}, "m/s", "Largest velocity.")
            .required();
        t.key("period", &SceneWaveMaker::period, NumberType{1e-3, kHuge}, "s",
              "Of the swing, which begins at `start`.")
            .required();
        t.key("start", &SceneWaveMaker::start, kTime, "s", "Works from this time on.");
        t.key("end", &SceneWaveMaker::end, kTime, "s", "Works until this time.")
            .default_text("for ever");
        t.check([](const Cursor& at, SceneWaveMaker& w) {
            if (!(w.end > w.start))
                at.member(at.has("end") ? "end" : "start")
                    .fail(fmt::format("\"end\" ({} s) must be later than \"start\" ({} s)",
                                      number_text(w.end), number_text(w.start)));
        });
        return t;
    }();
    return table;
}

const Table<ScenePush>& push_table() {
    static const Table<ScenePush> table = [] {
        Table<ScenePush> t("push",
                           "Draws the water in a ball towards a velocity: wholly at its centre, "
                           "not at all at its rim.");
        t.key("position", &ScenePush::position, VectorType{}, "m", "Centre of the ball.")
            .required();
        t.key("velocity", &ScenePush::velocity, VectorType{}, "m/s", "What water there gets.")
            .required();
        t.key("radius", &ScenePush::radius, NumberType{0, 1e30, true}, "m", "Of the ball.");
        t.key("start", &ScenePush::start, kTime, "s", "Works from this time on.");
        t.key("end", &ScenePush::end, kTime, "s", "Works until this time.")
            .default_text("for ever");
        return t;
    }();
    return table;
}

const Table<SceneRaise>& raise_table() {
    static const Table<SceneRaise> table = [] {
        Table<SceneRaise> t("raise",
                            "Raises the ground evenly from `start` to `end`, by `height` at "
                            "`position` and by nothing at `radius` from it.");
        t.key("position", &SceneRaise::position, VectorType{}, "m",
              "Middle of the hill; its y does not count.")
            .required();
        t.key("radius", &SceneRaise::radius, NumberType{0, 1e30, true}, "m", "Of the hill.");
        t.key("height", &SceneRaise::height, NumberType{-1e3, 1e3}, "m", "A pit if < 0.")
            .required();
        t.key("start", &SceneRaise::start, kTime, "s", "Begins.");
        t.key("end", &SceneRaise::end, kTime, "s", "Is done.");
        t.check([](const Cursor& at, SceneRaise& r) {
            if (!(r.end > r.start))
                at.member(at.has("end") ? "end" : "start")
                    .fail(fmt::format("\"end\" ({} s) must be later than \"start\" ({} s)",
                                      number_text(r.end), number_text(r.start)));
        });
        return t;
    }();
    return table;
}

const Table<SceneThrow>& throw_table() {
    static const Table<SceneThrow> table = [] {
        Table<SceneThrow> t("throw", "Gives a body a velocity at a time.");
        t.key("body", &SceneThrow::body, TextType{}, "", "Its name.").required();
        t.key("velocity", &SceneThrow::velocity, VectorType{}, "m/s", "Of its centre of mass.");
        t.key("spin", &SceneThrow::spin, VectorType{}, "degrees/s", "About the axes.");
        t.key("time", &SceneThrow::time, kTime, "s", "When.");
        return t;
    }();
    return table;
}

const Table<SceneTall>& tall_table() {
    static const Table<SceneTall> table = [] {
        Table<SceneTall> t("tall",
                           "Real-time water on a grid of tall cells (docs/tall.md), y up, in the "
                           "place of particles. The domain has no lid.");
        t.key("rows", &SceneTall::rows, IntegerType{8, 256}, "cells",
              "Regular cells a column; the rest of its water is one tall cell. A multiple of 4.");
        t.key("surface", &SceneTall::surface, IntegerType{1, 2}, "",
              "Cells of the surface along a cell of the simulation: 2 shows finer waves and "
              "thinner sheets.");
        t.key("terrain", &SceneTall::terrain,
              ListType<ObjectType<SceneGround>, SceneGround>{{ground_table}}, "",
              "Layers of ground, rounded to whole cells.");
        t.key("wave_makers", &SceneTall::wave_makers,
              ListType<ObjectType<SceneWaveMaker>, SceneWaveMaker>{{wave_maker_table}}, "",
              "Sides that make waves.");
        t.key("pushes", &SceneTall::pushes,
              ListType<ObjectType<ScenePush>, ScenePush>{{push_table}}, "",
              "Events: water that is pushed.");
        t.key("raises", &SceneTall::raises,
              ListType<ObjectType<SceneRaise>, SceneRaise>{{raise_table}}, "",
              "Events: ground that rises.");
        t.key("throws", &SceneTall::throws,
              ListType<ObjectType<SceneThrow>, SceneThrow>{{throw_table}}, "",
              "Events: bodies that are thrown.");
        t.key("volume_time", &SceneTall::volume_time, NumberType{0, 1e3}, "s",
              "Time in which volume that the level set loses comes back; 0: never.");
        t.key("thickening", &SceneTall::thickening, FlagType{}, "",
              "Keeps thin sheets by particles.");
        t.key("spray", &SceneTall::spray, FlagType{}, "",
              "Spray, mist and foam, written as particles.");
        t.key("ripples", &SceneTall::ripples, NumberType{0, 100}, "m/s",
              "Wind that makes waves finer than the cells, in pictures; 0: none.");
        t.key("under", &SceneTall::under, IntegerType{4, 256}, "cells",
              "Regular cells wanted under the lowest surface of a column.");
        t.key("over", &SceneTall::over, IntegerType{2, 64}, "cells",
              "Regular cells wanted above the highest one; goes first.");
        t.key("max_step", &SceneTall::max_step, IntegerType{0, 64}, "cells",
              "Largest step between neighbouring tall cells; 0: any.");
        t.key("v_cycles", &SceneTall::v_cycles, IntegerType{0, 100}, "",
              "V-cycles of the pressure solve after its full cycle.");
        t.key("redistance_every", &SceneTall::redistance_every, IntegerType{1, 1e6}, "steps",
              "Steps from one repair of the level set to the next.");
        t.check([](const Cursor& at, SceneTall& s) {
            if (s.rows % 4)
                at.member("rows").fail(
                    "the multigrid halves it at least once; give a multiple of 4");
            if (s.surface == 2 && s.rows > 124)
                at.member("rows").fail("a surface of 2 takes at most 124 rows");
            if (s.over >= s.rows)
                at.member(at.has("over") ? "over" : "rows")
                    .fail("\"over\" must be less than \"rows\"");
        });
        return t;
    }();
    return table;
}

}  // namespace slosh
