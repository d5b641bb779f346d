#include "slosh/scene/load.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "slosh/base/error.h"
#include "slosh/lcp/words.h"
#include "slosh/scene/builtin.h"
#include "slosh/scene/files.h"
#include "slosh/scene/overrides.h"
#include "slosh/scene/tables.h"

namespace slosh {
namespace {

namespace fs = std::filesystem;

// ---- documents: files, built-in scenes, "extends" and "variants" ----

struct Document {
    Json json;
    std::string stem;  ///< Name of the scene if it gives none.
};

std::vector<std::string> builtin_names() {
    std::vector<std::string> names;
    std::size_t count = 0;
    const EmbeddedFile* files = embedded_files(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view name = files[i].name;
        if (name.ends_with(".json")) names.emplace_back(name.substr(0, name.size() - 5));
    }
    return names;
}

/// The folder's name is the default, made fit for one.
std::string stem_of(const fs::path& path) {
    std::string stem = path.stem().string();
    for (char& c : stem)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
    if (stem.empty() || stem[0] == '-') stem = "scene" + stem;
    return stem.substr(0, 64);
}

Document open_file(const fs::path& path) {
    auto source = std::make_shared<JsonSource>();
    const std::string shown = in_quotes(path.string(), path.string().size());
    source->name = shown.substr(1, shown.size() - 2);
    std::error_code ignored;
    source->directory = fs::absolute(path, ignored).parent_path().string();
    return {parse_json(read_whole_file(path.string()), source), stem_of(path)};
}

Document open_builtin(const std::string& name) {
    auto source = std::make_shared<JsonSource>();
    source->name = "built-in " + name + ".json";
    return {parse_json(builtin_scene_text(name), source), name};
}

bool is_builtin(const std::string& name) {
    return find_embedded(name + ".json") != nullptr;
}
bool looks_like_file(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".json");
}

std::string no_such_scene(const std::string& name) {
    const std::string near = did_you_mean(name, builtin_names());
    return "no built-in scene and no file called " + in_quotes(name) +
           (near.empty() ? "; built-in scenes: " + one_of(builtin_names()) : near);
}

Json expand(Json doc, const std::string& variant, const ReadState& state, int depth);

/// Splits "name:variant" unless there is a file with that very name.
std::pair<std::string, std::string> split_variant(const std::string& name, const fs::path& base) {
    const std::size_t colon = name.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || colon == 0 || fs::exists(base / name, ignored))
        return {name, ""};
    return {name.substr(0, colon), name.substr(colon + 1)};
}

/// The scene that `at` (the value of "extends") names.
Json open_base(const Cursor& at, const std::string& variant, const ReadState& state, int depth) {
    if (at.json().kind != Json::Kind::Text) at.expected("the name of a built-in scene or a file");
    if (depth > 8) at.fail("scenes extend each other in a circle, or more than 8 deep");
    const std::string directory = at.json().source ? at.json().source->directory : "";
    auto [name, chosen] = state.files ? split_variant(at.json().text, directory)
                                      : std::pair<std::string, std::string>{at.json().text, ""};
    if (!chosen.empty() && !variant.empty())
        at.fail("the variant is given twice, here and by \"variant\"");
    if (chosen.empty()) chosen = variant;
    if (!looks_like_file(name) && is_builtin(name))
        return expand(open_builtin(name).json, chosen, state, depth + 1);
    std::error_code ignored;
    const fs::path path = fs::path(directory) / name;
    if (!state.files || !fs::is_regular_file(path, ignored)) at.fail(no_such_scene(name));
    return expand(open_file(path).json, chosen, state, depth + 1);
}

/// Replaces "extends", "variants" and "variant" by what they mean. `variant` is the caller's
/// choice, which goes before that of the document.
Json expand(Json doc, const std::string& variant, const ReadState& state, int depth) {
    const Json original = doc;
    const Cursor at(original, "$", state);
    if (original.kind != Json::Kind::Object) at.expected("a scene: an object { ... }");

    std::string chosen = variant;
    if (chosen.empty() && at.has("variant")) {
        const Cursor v = at.member("variant");
        if (v.json().kind != Json::Kind::Text) v.expected("the name of a variant");
        chosen = v.json().text;
    }
    const Json* own = original.find("variants");
    if (own) {
        const Cursor variants = at.member("variants");
        if (own->kind != Json::Kind::Object) variants.expected("an object: name to keys");
        for (const Json::Member& m : own->members) {
            const Cursor patch = variants.member(m.key);
            if (m.value.kind != Json::Kind::Object) patch.expected("an object: keys to lay over");
            for (const char* no : {"extends", "variants", "variant"})
                if (patch.has(no)) patch.member(no).fail("a variant cannot have this key");
        }
    }
    for (const char* key : {"extends", "variants", "variant"}) doc.erase(key);

    const Json* patch = own ? own->find(chosen) : nullptr;
    if (at.has("extends"))
        doc = merged(open_base(at.member("extends"), patch ? "" : chosen, state, depth), doc);
    else if (!chosen.empty() && !patch) {
        std::vector<std::string> names;
        if (own)
            for (const Json::Member& m : own->members) names.push_back(m.key);
        at.fail("unknown variant " + in_quotes(chosen) +
                (names.empty() ? "; this scene has none" : "; it has " + one_of(names)));
    }
    if (patch) doc = merged(std::move(doc), *patch);
    return doc;
}

// ---- what is not said, and what only the whole scene shows to be wrong ----

void choose_camera(const Cursor& at, Scene& s) {
    const bool has = at.has("render");
    SceneRender& r = s.render;
    const Point<3> middle = s.lower + s.size * 0.5;
    const auto given = [&](const char* key) { return has && at.member("render").has(key); };
    if (!given("target")) r.target = middle;
    if (!given("camera")) {
        const double tangent = std::tan(0.5 * r.fov * std::numbers::pi / 180);
        if (s.dim == 2) {
            const double aspect = double(r.size[0]) / r.size[1];
            const double half = 0.5 * std::max(s.size[1], s.size[0] / aspect);
            r.camera = r.target + Point<3>{{0, 0, 1.08 * half / tangent}};
        } else {
            Point<3> from{{0.55, 0.32, 1}};
            if (s.up_axis == 2) from = {{0.55, -1, 0.32}};
            r.camera = r.target + from * (0.5 * length(s.size) / tangent / length(from));
        }
    }
    if (length(r.camera - r.target) < 1e-6) {
        const Cursor where = has ? at.member("render") : at;
        where.fail("\"camera\" and \"target\" must differ");
    }
}

/// "cells" is another way to say "resolution"; cells are cubes, so it must fit the size.
void read_cells(const Cursor& at, Scene& s) {
    if (!at.has("cells")) return;
    const Cursor cells = at.member("cells");
    if (at.has("resolution")) cells.fail("give either \"cells\" or \"resolution\", not both");
    const auto n = std::size_t(s.dim);
    if (cells.json().kind != Json::Kind::List || cells.json().items.size() != n)
        cells.expected(fmt::format("a list of {} whole numbers", n));
    int count[3] = {1, 1, 1}, longest = 0;
    for (std::size_t d = 0; d < n; ++d) {
        IntegerType{4, 4096}.read(cells.element(d), count[d]);
        if (s.size[int(d)] > s.size[longest]) longest = int(d);
    }
    for (int d = 0; d < s.dim; ++d) {
        const double a = s.size[d] / count[d], b = s.size[longest] / count[longest];
        if (std::abs(a - b) > 1e-6 * b)
            cells.fail(
                fmt::format("cells must be cubes: {} m along axis {}, {} m along axis {}; "
                            "change \"cells\" or \"size\", or give \"resolution\"",
                            number_text(a), d, number_text(b), longest));
    }
    s.resolution = count[longest];
}

/// Scales multiply down a tree; far from 1 nothing can be computed any more.
void check_scales(const Cursor& at, const SceneShape& shape, double factor) {
    factor *= shape.scale;
    if (!(factor >= 1e-6 && factor <= 1e6))
        at.fail("the scales of nested shapes multiply to " + number_text(factor) +
                "; at most a factor of 1e6 is accepted");
    for (const auto* children : {&shape.shapes, &shape.minus})
        for (const SceneShape& child : *children) check_scales(at, child, factor);
}

template <class T>
void check_all_scales(const Cursor& at, const char* key, const std::vector<T>& things) {
    for (std::size_t i = 0; i < things.size(); ++i)
        check_scales(at.member(key).element(i).member("shape"), things[i].shape, 1);
}

/// Defaults that differ for gas, and what cannot be together with it.
void complete_gas(const Cursor& at, Scene& s) {
    for (const char* key : {"initial", "inflows", "drains"})
        if (at.has(key) && !at.member(key).json().items.empty())
            at.member(key).fail(
                "\"gas\" fills the domain: there is no liquid beside it; smoke comes "
                "from \"gas.sources\"");
    if (at.has("liquid")) at.member("liquid").fail("a scene has either \"gas\" or \"liquid\"");
    if (s.viscosity > 0) at.member("viscosity").fail("gas has no viscosity here; leave it out");
    if (!at.has("separation")) s.step.separation = Separation::Off;
    if (s.step.separation != Separation::Off)
        at.member("separation")
            .fail("gas does not let go of walls; leave \"separation\" at \"off\"");
    const auto check_walls = [&](const char* key, const auto& things) {
        for (std::size_t i = 0; i < things.size(); ++i)
            if (things[i].walls == SolidWalls::Separating)
                at.member(key).element(i).member("walls").fail(
                    "gas does not let go of walls; choose \"scene\" or \"sticky\"");
    };
    check_walls("solids", s.solids);
    check_walls("bodies", s.bodies);
    if (!at.has("density")) s.density = 1.2;  // air
    // There is no rest to be kept from noise, and eddies are what smoke is watched for.
    if (!at.has("affine_time")) s.step.affine_time = 1e30;
    // Nothing is lost where particles are few: the correction would cost a sixth of a step.
    if (!at.has("position_correction")) s.step.position_correction = PositionCorrection::Off;
    for (std::size_t i = 0; i < s.gas->sources.size(); ++i)
        check_scales(at.member("gas").member("sources").element(i).member("shape"),
                     s.gas->sources[i].shape, 1);
}

/// Defaults that differ for tall cells, and what cannot be together with them.
void complete_tall(const Cursor& at, Scene& s) {
    const auto refuse = [&](const char* key, bool given, const char* why) {
        if (given) at.member(key).fail(std::string("tall cells ") + why);
    };
    refuse("tall", s.dim != 3, "need a 3D scene");
    refuse("tall", s.up_axis != 1, "stand upright: \"up\" must be \"y\"");
    refuse("gas", s.gas.has_value(), "hold water, not gas");
    refuse("drains", !s.drains.empty(), "do not know drains");
    refuse("solids", !s.solids.empty(), "do not know solids; give layers of \"tall.terrain\"");
    refuse("viscosity", s.viscosity > 0, "hold thin water alone");
    for (std::size_t i = 0; i < s.tall->throws.size(); ++i) {
        const std::string& name = s.tall->throws[i].body;
        if (std::none_of(s.bodies.begin(), s.bodies.end(),
                         [&](const SceneBody& b) { return b.name == name; }))
            at.member("tall").member("throws").element(i).member("body").fail(
                "there is no body " + in_quotes(name) + "; give the \"name\" of one of \"bodies\"");
    }
    refuse("probes", !s.probes.empty(), "do not know probes");
    refuse("open_sides", !s.open_sides.empty(), "have walls at all sides and no lid");
    if (!at.has("separation")) s.step.separation = Separation::Off;
    refuse("separation",
           s.step.separation != Separation::Off && s.step.separation != Separation::Cell,
           "let go of solids cell by cell: choose \"off\" or \"cell\"");
    for (std::size_t i = 0; i < s.bodies.size(); ++i)
        if (s.bodies[i].walls != SolidWalls::Scene)
            at.member("bodies").element(i).member("walls").fail(
                "tall cells let go of all solids or of none; choose \"scene\"");
    for (int d : {0, 2})
        for (const double g : s.gravity[d].values)
            refuse("gravity", g != 0, "need gravity along y");
    const bool particles = s.output.particles != ParticleFiles::None;
    if (particles || s.output.volumes)
        at.member("output")
            .member(particles ? "particles" : "volumes")
            .fail("tall cells write their surface alone");
    for (std::size_t i = 0; i < s.initial.size(); ++i)
        if (length(s.initial[i].spin) > 0)
            at.member("initial").element(i).member("spin").fail("tall cells start without spin");
    // The multigrid halves both sides, at least once.
    for (int d : {0, 2})
        if (s.cells()[d] % 8)
            at.member(at.has("size") ? "size" : "tall")
                .fail(fmt::format("tall cells need a multiple of 8 cells along x and z; along {} "
                                  "there are {}",
                                  d == 0 ? "x" : "z", s.cells()[d]));
}

void complete(const Cursor& at, Scene& s) {
    if (s.dim == 2) {
        if (s.up_axis == 2) at.member("up").fail("a 2D scene has no z axis; \"up\" is \"y\"");
        for (const std::string& side : s.open_sides)
            if (side[0] == 'z')
                at.member("open_sides").fail("a 2D scene has no side " + in_quotes(side));
        s.size[2] = 0;
    }
    if (!at.has("gravity"))
        for (int d = 0; d < s.dim; ++d) s.gravity[d] = Curve(d == s.up_axis ? -9.81 : 0.0);
    if (s.gas)
        complete_gas(at, s);
    else if (!at.has("density"))
        s.density = preset_density(s.liquid);
    if (!at.has("viscosity") && !s.gas && !s.tall) s.viscosity = preset_viscosity(s.liquid);
    // Thick liquid does not stir, and keeps what crowds: `slosh validate plates` has the figures.
    if (!at.has("position_correction") && is_viscous(s))
        s.step.position_correction = PositionCorrection::Both;

    read_cells(at, s);
    if (s.tall) complete_tall(at, s);
    for (int d = 0; d < s.dim; ++d) {
        if (s.cells()[d] < 4)
            at.member(at.has("size") ? "size" : "resolution")
                .fail(fmt::format("the domain is only {} cells wide along axis {}; at least 4 are "
                                  "needed: raise \"resolution\" or widen \"size\"",
                                  s.cells()[d], d));
    }
    if (s.step.max_dt < s.step.min_dt)
        at.member(at.has("max_dt") ? "max_dt" : "min_dt")
            .fail("\"max_dt\" must not be less than \"min_dt\"");
    if (s.initial.empty() && s.inflows.empty() && !s.gas)
        at.fail(
            "nothing to simulate; give liquid in \"initial\", an inflow in \"inflows\", or "
            "\"gas\"");

    const bool sticky = s.step.separation == Separation::Off;
    if (s.step.separation == Separation::Edge && s.step.solver != "auto")
        at.member(at.has("solver") ? "solver" : "separation")
            .fail("\"separation\": \"edge\" has its own solver; leave \"solver\" at \"auto\"");
    if (s.step.solver != "auto" && is_linear_solver(s.step.solver) != sticky)
        at.member(at.has("solver") ? "solver" : "separation")
            .fail(in_quotes(s.step.solver) +
                  (sticky ? " is a solver for separating walls; choose \"auto\", \"linear\" or "
                            "\"linear-mic\", or a \"separation\" other than \"off\""
                          : " is a solver for sticky walls; choose \"auto\" or another solver, or "
                            "\"separation\": \"off\""));
    check_all_scales(at, "initial", s.initial);
    check_all_scales(at, "inflows", s.inflows);
    check_all_scales(at, "drains", s.drains);
    check_all_scales(at, "solids", s.solids);
    check_all_scales(at, "bodies", s.bodies);
    if (!s.bodies.empty() && s.step.separation == Separation::Edge)
        at.member("separation").fail("\"edge\" does not know bodies; choose \"cell\" or \"node\"");
    if (!s.bodies.empty() && !knows_bodies(s.step.solver))
        at.member("solver").fail(in_quotes(s.step.solver) +
                                 " does not know bodies; choose \"auto\" (or \"policy-pcg\", "
                                 "\"penalty-pcg\", \"newton\", \"mprgp\"), or with \"separation\": "
                                 "\"off\" \"linear\" or \"linear-mic\"");
    choose_camera(at, s);
}

Scene read_document(Document document, std::string variant,
                    const std::vector<std::string>& overrides, const ReadOptions& options) {
    ReadState state;
    state.files = options.files;

    // The variant decides what the other overrides are laid over, so it goes first.
    for (const std::string& o : overrides)
        if (o.starts_with("variant=")) variant = o.substr(8);
    if (document.json.kind == Json::Kind::Object && !document.json.find("name")) {
        Json name(document.stem);
        name.source = document.json.source;
        // A name in a scene that this one extends does not count as its own.
        document.json.set("name", std::move(name));
    }
    const Json json = [&] {
        Json j = expand(std::move(document.json), variant, state, 0);
        // Runs of different variants must not share a folder.
        if (Json* name = j.find("name"); !variant.empty() && name->kind == Json::Kind::Text)
            name->text += "_" + variant;
        for (const std::string& o : overrides)
            if (!o.starts_with("variant=")) apply_override(j, o);
        return j;
    }();

    if (json.kind == Json::Kind::Object && json.find("dim")) {
        Scene probe;
        for (const auto& e : scene_table().entries())
            if (e.key == "dim") e.read(Cursor(json, "$", state).member("dim"), probe);
        state.dim = probe.dim;
    }
    Scene scene;
    const Cursor root(json, "$", state);
    scene_table().read(root, scene);
    complete(root, scene);
    return scene;
}

}  // namespace

std::string_view builtin_scene_text(const std::string& name) {
    const EmbeddedFile* file = find_embedded(name + ".json");
    if (!file) throw InputError(no_such_scene(name));
    return file->bytes;
}

Scene load_scene(const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code ignored;
    const auto [base, variant] = split_variant(name, "");
    if (!looks_like_file(base) && is_builtin(base))
        return read_document(open_builtin(base), variant, overrides, {});
    if (!fs::exists(base, ignored))
        throw InputError(looks_like_file(base) ? in_quotes(base) + ": no such file"
                                               : no_such_scene(base));
    return read_document(open_file(base), variant, overrides, {});
}

Scene read_scene(std::string_view text, const std::string& name, const std::string& directory,
                 const std::vector<std::string>& overrides, const ReadOptions& options) {
    auto source = std::make_shared<JsonSource>();
    source->name = name;
    source->directory = directory;
    return read_document({parse_json(text, source), stem_of(name)}, "", overrides, options);
}

std::vector<BuiltinScene> builtin_scenes() {
    std::vector<BuiltinScene> all;
    for (const std::string& name : builtin_names()) {
        const Scene s = load_scene(name);
        BuiltinScene b{name, s.description, s.dim, {}};
        const Json json = open_builtin(name).json;
        if (const Json* variants = json.find("variants"))
            for (const Json::Member& m : variants->members) b.variants.push_back(m.key);
        all.push_back(std::move(b));
    }
    return all;
}

}  // namespace slosh
