// Keys of everything in a scene but its shapes.
#include "slosh/scene/tables.h"

#include <fmt/format.h>

#include <cctype>

#include "slosh/lcp/words.h"

namespace slosh {
namespace {

const NumberType kTime{0, 1e30};  // 1e30 s: for ever
const CurveVectorType kMovingVector{};

/// Says which element of a list breaks the order of times.
template <class T, class Time>
void check_increasing(const Cursor& list, const std::vector<T>& items, const Time& time) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (!(time(items[i]) > time(items[i - 1])))
            list.element(i).fail(fmt::format("times must increase: {} does not follow {}",
                                             number_text(time(items[i])),
                                             number_text(time(items[i - 1]))));
    }
}

template <class T>
void check_time_range(const Cursor& at, T& x) {
    if (!(x.end > x.start))
        at.member(at.has("end") ? "end" : "start")
            .fail(fmt::format("\"end\" ({} s) must be later than \"start\" ({} s)",
                              number_text(x.end), number_text(x.start)));
}

template <class T>
void add_time_range(Table<T>& t) {
    t.key("start", &T::start, kTime, "s", "Works from this time on.");
    t.key("end", &T::end, kTime, "s", "Works until this time.").default_text("for ever");
}

/// Of thin liquids the viscosity is left out: on a grid one can afford it does nothing but cost
/// time.
struct Preset {
    const char* word;
    double density;        ///< kg/m^3, at 20 degrees Celsius.
    double viscosity = 0;  ///< kg/(m s)
};
constexpr Preset kPresets[] = {
    {"water", 1000},        {"seawater", 1025},  {"milk", 1030},          {"oil", 920},
    {"alcohol", 789},       {"mercury", 13546},  {"glycerin", 1260, 1.4}, {"syrup", 1370, 3},
    {"chocolate", 1300, 5}, {"honey", 1420, 10}, {"caramel", 1350, 60},   {"tar", 1150, 1e4}};

ChoiceType<std::string> preset_type() {
    ChoiceType<std::string> t;
    for (const Preset& p : kPresets) t.words_to_values.emplace_back(p.word, p.word);
    return t;
}

const ChoiceType<Look> kLook{
    {{"glass", Look::Glass}, {"opaque", Look::Opaque}, {"hidden", Look::Hidden}}, {}, ""};

/// A key that is handled before the tables are used, or is only a note.
struct AnyType {
    std::string what;
    Json as;
    void read(const Cursor&, int&) const {}
    Json schema() const { return as; }
    std::string words() const { return what; }
};

/// "dim": 2 or 3. Read before all else, since vectors depend on it.
struct DimensionType {
    void read(const Cursor& at, int& out) const {
        if (at.json().kind != Json::Kind::Number ||
            (at.json().number != 2 && at.json().number != 3))
            at.expected(words());
        out = static_cast<int>(at.json().number);
    }
    Json write(int x, const WriteMode&) const { return x; }
    Json schema() const {
        Json j = Json::object();
        j.set("enum", Json::list({2, 3}));
        return j;
    }
    std::string words() const { return "2 or 3"; }
};

/// The scene's name becomes a folder, so it must be a harmless file name.
struct NameType : TextType {
    void read(const Cursor& at, std::string& out) const {
        TextType::read(at, out);
        bool good = !out.empty() && out.size() <= 64 && out[0] != '.' && out[0] != '-';
        for (const unsigned char c : out)
            good = good && c < 0x80 && (std::isalnum(c) || c == '_' || c == '-' || c == '.');
        if (!good) at.expected(words());
    }
    std::string words() const { return "a name of letters, digits, '_', '-' and '.' (at most 64)"; }
};

AnyType text_like(std::string what) {
    return {std::move(what), TextType{}.schema()};
}
AnyType object_like(std::string what) {
    Json j = Json::object();
    j.set("type", "object");
    Json each = Json::object();
    each.set("type", "object");
    j.set("additionalProperties", std::move(each));
    return {std::move(what), std::move(j)};
}

}  // namespace

double preset_density(const std::string& word) {
    for (const Preset& p : kPresets)
        if (word == p.word) return p.density;
    return 1000;
}

double preset_viscosity(const std::string& word) {
    for (const Preset& p : kPresets)
        if (word == p.word) return p.viscosity;
    return 0;
}

const Table<SceneKey>& key_table() {
    static const Table<SceneKey> table = [] {
        Table<SceneKey> t("key", "Where a thing is at a time.");
        t.key("time", &SceneKey::time, NumberType{}, "s", "Time.").required();
        t.key("position", &SceneKey::position, VectorType{}, "m", "Where the shape's origin is.");
        t.key("rotation", &SceneKey::rotation, TurnType{}, "degrees",
              "Turn about that origin. About one axis it may go round many times; between "
              "different axes it takes the shortest way.")
            .default_text("none");
        return t;
    }();
    return table;
}

const Table<SceneMotion>& motion_table() {
    static const Table<SceneMotion> table = [] {
        Table<SceneMotion> t("motion",
                             "Motion by keyframes; at rest before the first and after "
                             "the last.");
        t.key("keys", &SceneMotion::keys, ListType<ObjectType<SceneKey>, SceneKey>{{key_table}}, "",
              "Keyframes, in order of time.");
        t.key("smooth", &SceneMotion::smooth, FlagType{}, "",
              "Cubic between the keys instead of linear, starting and ending at rest.");
        t.check([](const Cursor& at, SceneMotion& m) {
            if (at.has("keys"))
                check_increasing(at.member("keys"), m.keys,
                                 [](const SceneKey& k) { return k.time; });
        });
        return t;
    }();
    return table;
}

const Table<SceneLiquid>& liquid_table() {
    static const Table<SceneLiquid> table = [] {
        Table<SceneLiquid> t("liquid",
                             "Liquid that is there at the start. What lies in solids or "
                             "outside the domain is left out.");
        t.key("shape", &SceneLiquid::shape, ShapeType{}, "", "Where the liquid is.").required();
        t.key("velocity", &SceneLiquid::velocity, VectorType{}, "m/s", "Its velocity.");
        t.key("spin", &SceneLiquid::spin, TurnType{}, "rad/s",
              "Angular velocity about `centre`, added to the velocity.")
            .default_text("none");
        t.key("centre", &SceneLiquid::centre, VectorType{}, "m", "Centre of the spin.");
        t.key("viscosity", &SceneLiquid::viscosity, kOwnViscosity, "kg/(m s)",
              "Dynamic viscosity; -1: that of the scene.");
        return t;
    }();
    return table;
}

const Table<SceneInflow>& inflow_table() {
    static const Table<SceneInflow> table = [] {
        Table<SceneInflow> t("inflow", "A shape that is kept full of new liquid.");
        t.key("name", &SceneInflow::name, TextType{}, "", "Name, for reports.").not_state();
        t.key("shape", &SceneInflow::shape, ShapeType{}, "", "Where liquid is made.").required();
        t.key("motion", &SceneInflow::motion, ObjectType<SceneMotion>{motion_table}, "",
              "Moves the shape.")
            .default_text("none");
        t.key("velocity", &SceneInflow::velocity, kMovingVector, "m/s",
              "Velocity of the new liquid.");
        t.key("viscosity", &SceneInflow::viscosity, kOwnViscosity, "kg/(m s)",
              "Dynamic viscosity; -1: that of the scene.");
        add_time_range(t);
        t.check(check_time_range<SceneInflow>);
        return t;
    }();
    return table;
}

const Table<SceneDrain>& drain_table() {
    static const Table<SceneDrain> table = [] {
        Table<SceneDrain> t("drain", "A shape in which liquid disappears.");
        t.key("name", &SceneDrain::name, TextType{}, "", "Name, for reports.").not_state();
        t.key("shape", &SceneDrain::shape, ShapeType{}, "", "Where liquid is removed.").required();
        t.key("motion", &SceneDrain::motion, ObjectType<SceneMotion>{motion_table}, "",
              "Moves the shape.")
            .default_text("none");
        add_time_range(t);
        t.check(check_time_range<SceneDrain>);
        return t;
    }();
    return table;
}

const Table<SceneSolid>& solid_table() {
    static const Table<SceneSolid> table = [] {
        Table<SceneSolid> t("solid", "An obstacle or a container, at rest or moved by keyframes.");
        t.key("name", &SceneSolid::name, TextType{}, "", "Name, for reports and files.")
            .not_state();
        t.key("shape", &SceneSolid::shape, ShapeType{}, "",
              "Where the solid is. A container is an \"invert\" of what it holds.")
            .required();
        t.key("motion", &SceneSolid::motion, ObjectType<SceneMotion>{motion_table}, "",
              "Moves the shape.")
            .default_text("none");
        t.key(
            "walls", &SceneSolid::walls,
            ChoiceType<SolidWalls>{{{"scene", SolidWalls::Scene},
                                    {"sticky", SolidWalls::Sticky},
                                    {"separating", SolidWalls::Separating}},
                                   {},
                                   ""},
            "",
            "Whether liquid may let go of this solid: as \"separation\" of the scene says, never, "
            "or always.");
        t.key("slip_length", &SceneSolid::slip_length, kSlipLength, "m",
              "How far viscous liquid slips along this solid; -1: as `slip_length` of the scene.");
        t.key("look", &SceneSolid::look, kLook, "", "How pictures show it.").not_state();
        t.key("colour", &SceneSolid::colour, ColourType{}, "",
              "Linear red, green and blue, for pictures.")
            .not_state();
        return t;
    }();
    return table;
}

const Table<SceneProbe>& probe_table() {
    static const Table<SceneProbe> table = [] {
        Table<SceneProbe> t("probe", "A point whose pressure is reported at every step.");
        t.key("name", &SceneProbe::name, TextType{}, "", "Name, for reports.").not_state();
        t.key("position", &SceneProbe::position, VectorType{}, "m", "Where it is.")
            .required()
            .not_state();
        return t;
    }();
    return table;
}

const Table<SceneOutput>& output_table() {
    static const Table<SceneOutput> table = [] {
        Table<SceneOutput> t("output", "What a run writes for every frame.");
        t.key("surface", &SceneOutput::surface, FlagType{}, "",
              "The liquid's surface with velocities (PLY). Not for gas.")
            .not_state();
        t.key("particles", &SceneOutput::particles,
              ChoiceType<ParticleFiles>{{{"none", ParticleFiles::None},
                                         {"ply", ParticleFiles::Ply},
                                         {"vdb", ParticleFiles::Vdb}},
                                        {},
                                        ""},
              "", "Particles with velocities and ids (PLY or VDB points).")
            .not_state();
        t.key("volumes", &SceneOutput::volumes, FlagType{}, "",
              "Level set and velocity (VDB). For gas: velocity beside smoke and temperature, which "
              "are always written.")
            .not_state();
        t.key("checkpoint_every", &SceneOutput::checkpoint_every, IntegerType{0, 1e6}, "frames",
              "Frames between checkpoints; 0: only at the end.")
            .not_state();
        return t;
    }();
    return table;
}

const Table<SceneRender>& render_table() {
    static const Table<SceneRender> table = [] {
        Table<SceneRender> t("render",
                             "Hints for pictures and the live page; they never change "
                             "the simulation.");
        t.key("camera", &SceneRender::camera, ViewPointType{}, "m", "Where the camera is.")
            .not_state()
            .default_text("shows the whole domain");
        t.key("target", &SceneRender::target, ViewPointType{}, "m", "What it looks at.")
            .not_state()
            .default_text("middle of the domain");
        t.key("fov", &SceneRender::fov, NumberType{1, 120}, "degrees", "Vertical angle of view.")
            .not_state();
        t.key("size", &SceneRender::size, PixelsType{}, "pixels", "Width and height.").not_state();
        t.key("background", &SceneRender::background, ColourType{}, "", "Linear colour of the sky.")
            .not_state();
        t.key("liquid_colour", &SceneRender::liquid_colour, ColourType{}, "",
              "Linear colour of deep liquid.")
            .not_state();
        t.key("walls", &SceneRender::walls, kLook, "", "How the sides of the domain look.")
            .not_state();
        t.key("ground", &SceneRender::ground, FlagType{}, "", "Draw a floor under the domain.")
            .not_state();
        return t;
    }();
    return table;
}

/// The solver words, as choices that mean themselves.
std::vector<std::pair<std::string, std::string>> solver_choices() {
    std::vector<std::pair<std::string, std::string>> choices;
    for (const char* word : kSolverWords) choices.emplace_back(word, word);
    return choices;
}

const Table<StepOptions>& step_table() {
    static const Table<StepOptions> table = [] {
        Table<StepOptions> t("step", "How a step is computed.");
        t.key("transfer", &StepOptions::transfer,
              ChoiceType<Transfer>{
                  {{"apic", Transfer::Apic}, {"flip", Transfer::Flip}, {"pic", Transfer::Pic}},
                  {},
                  ""},
              "", "How velocity goes between particles and grid.");
        t.key("flip_blend", &StepOptions::flip_blend, NumberType{0, 1}, "",
              "Share of FLIP in \"flip\"; the rest is PIC.");
        t.key(
            "affine_time", &StepOptions::affine_time, NumberType{1e-9, 1e30}, "s",
            "APIC: time in which the particles' velocity gradients relax by 1/e, which keeps noise "
            "from stirring liquid at rest; 1e30: never.");
        t.key("advection", &StepOptions::advection_order,
              ChoiceType<int>{{{"rk2", 2}, {"rk3", 3}}, {}, ""}, "",
              "Runge-Kutta method of particle paths.");
        t.key("fractions", &StepOptions::fractions,
              ChoiceType<Fractions>{{{"area", Fractions::Area},
                                     {"volume", Fractions::Volume},
                                     {"voxel", Fractions::Voxel}},
                                    {},
                                    ""},
              "",
              "How solids enter the pressure solve: open area of faces, open volume around "
              "them, or whole cells (stairs, for comparison).");
        t.key("separation", &StepOptions::separation,
              ChoiceType<Separation>{{{"off", Separation::Off},
                                      {"cell", Separation::Cell},
                                      {"node", Separation::Node},
                                      {"edge", Separation::Edge}},
                                     {},
                                     ""},
              "",
              "Where liquid may let go of walls: nowhere (sticky walls, off), in every cell that a "
              "solid touches (cell), in cells whose centre is solid (node), or where the line "
              "between two cell centres crosses the wall (edge).");
        t.key("solver", &StepOptions::solver, ChoiceType<std::string>{solver_choices(), {}, ""}, "",
              "Pressure solver; \"auto\" is the fastest. \"linear\" and \"linear-mic\" are for "
              "sticky walls, all others for separating ones (docs/lcp.md).");
        t.key("tolerance", &StepOptions::tolerance, NumberType{1e-14, 0.1}, "",
              "Relative residual at which the pressure solve stops.");
        t.key("max_iterations", &StepOptions::max_iterations, IntegerType{1, 1e6}, "",
              "Iterations after which the pressure solve gives up.");
        t.key("cfl", &StepOptions::cfl, NumberType{0.01, 100}, "cells",
              "Cells that the fastest particle may cross in a substep.");
        t.key("fall", &StepOptions::fall, NumberType{1e-3, 1e6}, "cells",
              "How far gravity alone may move liquid in a substep.");
        t.key("max_dt", &StepOptions::max_dt, NumberType{1e-9, 1e30}, "s", "Longest substep.")
            .default_text("one frame");
        t.key("min_dt", &StepOptions::min_dt, NumberType{1e-12, 1}, "s",
              "A run that needs shorter substeps stops with an error.");
        t.key("particles_per_axis", &StepOptions::particles_per_axis, IntegerType{1, 4}, "",
              "Particles per cell along each axis: 2 gives 4 a cell in 2D, 8 in 3D.");
        t.key("jitter", &StepOptions::jitter, NumberType{0, 1}, "",
              "Random shift of new particles, in their spacings.");
        add_spacing_keys(t);
        add_viscosity_keys(t);
        t.key("seed", &StepOptions::seed, IntegerType{0, 9007199254740992.0}, "",
              "Seed of the random shifts.");
        return t;
    }();
    return table;
}

const Table<Scene>& scene_table() {
    static const Table<Scene> table = [] {
        Table<Scene> t("scene", "A slosh scene. SI units; angles in degrees; comments allowed.");
        const auto done = [](const Cursor&, Scene&) {};  // load.cpp has dealt with it
        t.special("$schema", text_like("text"), "", "For editors; ignored.", done);
        t.special("version", AnyType{"1", IntegerType{1, 1}.schema()}, "", "Version of the format.",
                  [](const Cursor& at, Scene&) {
                      if (at.json().kind != Json::Kind::Number || at.json().number != 1)
                          at.expected("1, the version of scene files this program reads");
                  });
        t.special("hash", text_like("text"), "", "Written by slosh into resolved scenes; ignored.",
                  [](const Cursor& at, Scene&) {
                      std::string ignored;
                      TextType{}.read(at, ignored);
                  });
        t.special("extends", text_like("a scene's name or file"), "",
                  "The scene this one starts from. Objects are merged key by key, lists and values "
                  "are replaced.",
                  done);
        t.special("variants", object_like("an object of objects"), "",
                  "Named sets of keys that may be laid over the scene.", done);
        t.special("variant", text_like("a name in \"variants\""), "",
                  "The variant in use; also `--set variant=NAME` or `SCENE:NAME`.", done);

        t.key("name", &Scene::name, NameType{}, "", "Name; default folder of a run.")
            .not_state()
            .default_text("the file's name");
        t.key("description", &Scene::description, TextType{}, "", "One line about the scene.")
            .not_state();
        t.key("dim", &Scene::dim, DimensionType{}, "", "Dimensions.");
        t.key("up", &Scene::up_axis, ChoiceType<int>{{{"y", 1}, {"z", 2}}, {}, ""}, "",
              "The axis against gravity; \"z\" in 3D only.")
            .not_state();
        t.key("lower", &Scene::lower, VectorType{}, "m", "Lower corner of the domain.");
        t.key("size", &Scene::size, VectorType{kLength}, "m",
              "Side lengths of the domain, rounded up to whole cells.");
        t.key("resolution", &Scene::resolution, IntegerType{4, 4096}, "cells",
              "Cells along the longest side.");
        t.special(
            "cells",
            AnyType{"a list of D whole numbers from 4 to 4096", VectorType{{4, 4096}}.schema()},
            "cells", "Another way to give the resolution: cells along each axis.",
            [](const Cursor&, Scene&) {});
        t.key("open_sides", &Scene::open_sides, WordSetType{{"x-", "x+", "y-", "y+", "z-", "z+"}},
              "", "Sides of the domain that liquid may leave through; the others are walls.");
        t.key("fps", &Scene::fps, NumberType{0.01, 1e6}, "frames/s", "Frames a second.");
        t.key("frames", &Scene::frames, IntegerType{1, 1e6}, "frames",
              "Frames to compute; the first is the initial state.")
            .not_state();
        t.key("gravity", &Scene::gravity, kMovingVector, "m/s^2", "Gravity.")
            .default_text("9.81 down");
        t.key("liquid", &Scene::liquid, preset_type(), "",
              "A liquid whose density and viscosity are taken.")
            .not_state();
        t.key("density", &Scene::density, NumberType{1e-3, 1e5}, "kg/m^3",
              "Density of liquid or gas.")
            .default_text("that of `liquid`; gas: 1.2");
        t.key("viscosity", &Scene::viscosity, kViscosity, "kg/(m s)",
              "Dynamic viscosity of the liquid.")
            .default_text("that of `liquid`");
        t.key("initial", &Scene::initial,
              ListType<ObjectType<SceneLiquid>, SceneLiquid>{{liquid_table}}, "",
              "Liquid at the start.");
        t.key("inflows", &Scene::inflows,
              ListType<ObjectType<SceneInflow>, SceneInflow>{{inflow_table}}, "",
              "Sources of liquid.");
        t.key("drains", &Scene::drains, ListType<ObjectType<SceneDrain>, SceneDrain>{{drain_table}},
              "", "Where liquid is removed.");
        t.key("solids", &Scene::solids, ListType<ObjectType<SceneSolid>, SceneSolid>{{solid_table}},
              "", "Obstacles and containers.");
        t.key("bodies", &Scene::bodies, ListType<ObjectType<SceneBody>, SceneBody>{{body_table}},
              "", "Rigid bodies that move with the liquid.");
        t.key("gas", &Scene::gas, OptionalType<ObjectType<SceneGas>, SceneGas>{{gas_table}}, "",
              "Gas in the place of liquid.")
            .default_text("none");
        t.key("tall", &Scene::tall, OptionalType<ObjectType<SceneTall>, SceneTall>{{tall_table}},
              "", "Real-time water on tall cells.")
            .default_text("none");
        t.key("probes", &Scene::probes, ListType<ObjectType<SceneProbe>, SceneProbe>{{probe_table}},
              "", "Points whose pressure is reported at every step.")
            .not_state();
        t.include(step_table(), &Scene::step);
        t.key("output", &Scene::output, ObjectType<SceneOutput>{output_table}, "",
              "Files to write.")
            .not_state()
            .default_text("see below");
        t.key("render", &Scene::render, ObjectType<SceneRender>{render_table}, "",
              "Hints for pictures.")
            .not_state()
            .default_text("see below");
        return t;
    }();
    return table;
}

}  // namespace slosh
