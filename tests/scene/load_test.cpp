#include "slosh/scene/load.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "paths.h"
#include "slosh/base/error.h"

using namespace slosh;
namespace fs = std::filesystem;

namespace {

std::string error_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
    try {
        load_scene(name, overrides);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A folder that is gone when the test ends.
struct TemporaryFolder {
    fs::path path;
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "slosh_scene_XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { fs::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
};

}  // namespace

TEST_CASE("A small scene gets the documented defaults") {
    const Scene s =
        read_scene(R"({"initial": [{"shape": {"type": "sphere", "radius": 0.2}}]})", "tiny.json");
    CHECK(s.name == "tiny");
    CHECK(s.dim == 3);
    CHECK(s.resolution == 64);
    CHECK(s.fps == 30);
    CHECK(s.density == 1000);
    CHECK(s.gravity[0].at(0) == 0);
    CHECK(s.gravity[1].at(7) == -9.81);
    CHECK(s.step.transfer == Transfer::Apic);
    CHECK(s.output.surface);
    CHECK(s.cells() == Index<3>{{64, 64, 64}});
}

TEST_CASE("Up along z turns gravity and the camera") {
    const Scene s = load_scene("dambreak_box", {"up=z", "initial[0].shape.upper=[0.4,1,0.8]"});
    CHECK(s.gravity[1].at(0) == 0);
    CHECK(s.gravity[2].at(0) == -9.81);
}

TEST_CASE("A resolved scene loads back to the same scene") {
    for (const BuiltinScene& b : builtin_scenes()) {
        CAPTURE(b.name);
        const Scene s = load_scene(b.name);
        const std::string text = resolved_json(s);
        const Scene again = read_scene(text, "scene.json");
        CHECK(resolved_json(again) == text);
        CHECK(scene_hash(again) == scene_hash(s));
    }
}

TEST_CASE("The hash changes with what decides the simulation and with nothing else") {
    const std::uint64_t hash = scene_hash(load_scene("sphere"));
    for (const char* same : {"frames=3", "name=other", "render.fov=20", "output.volumes=true",
                             "solids[0].look=hidden", "description=x"})
        CHECK_MESSAGE(scene_hash(load_scene("sphere", {same})) == hash, std::string(same));
    for (const char* other :
         {"resolution=65", "fps=24", "gravity=[0,-9.8,0]", "seed=77", "cfl=1.25",
          "solids[0].shape.shape.radius=0.44", "transfer=flip", "density=999",
          "initial[0].velocity=[0,0,1]", "open_sides=[\"y+\"]", "lower=[0,0,0.1]"})
        CHECK_MESSAGE(scene_hash(load_scene("sphere", {other})) != hash, std::string(other));
}

TEST_CASE("The hash covers the bytes of mesh files, not their names") {
    const TemporaryFolder dir;
    const std::string obj =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    const auto scene = [&](const std::string& file) {
        return R"({"initial": [{"shape": {"type": "sphere", "radius": 0.1}}],
                   "solids": [{"shape": {"type": "mesh", "file": ")" +
               file + "\"}}]}";
    };
    dir.write("a.obj", obj);
    dir.write("b.obj", obj);
    dir.write("c.obj", obj + "# changed\n");
    const std::uint64_t a = scene_hash(load_scene(dir.write("a.json", scene("a.obj"))));
    CHECK(scene_hash(load_scene(dir.write("b.json", scene("b.obj")))) == a);
    CHECK(scene_hash(load_scene(dir.write("c.json", scene("c.obj")))) != a);
    // Relative names start at the scene file, wherever the program runs.
    const Scene s = load_scene((dir.path / "a.json").string());
    CHECK(s.solids[0].shape.file == (dir.path / "a.obj").string());
}

TEST_CASE("Overrides change any key") {
    const Scene s =
        load_scene("sphere_cuboid", {"solids[1].shape.size=[0.1,0.2,0.3]", "resolution=32",
                                     "$.render.fov=20", "liquid=honey", "solids[1].name=brick"});
    CHECK(s.solids[1].shape.to[1] == doctest::Approx(0.1));
    CHECK(s.resolution == 32);
    CHECK(s.render.fov == 20);
    CHECK(s.density == 1420);
    CHECK(s.solids[1].name == "brick");
}

TEST_CASE("Bad overrides name themselves and the way out") {
    CHECK(has(error_of("sphere", {"resolutoin=32"}), "did you mean \"resolution\"?"));
    CHECK(has(error_of("sphere", {"resolutoin=32"}), "--set resolutoin=32"));
    CHECK(has(error_of("sphere", {"rendr.fov=3"}), "did you mean \"render\"?"));
    CHECK(has(error_of("sphere", {"solids[4].name=x"}), "there is no item 4; the list has 1"));
    CHECK(has(error_of("sphere", {"resolution.x=1"}), "needs an object"));
    CHECK(has(error_of("sphere", {"resolution[0]=1"}), "needs a list"));
    CHECK(has(error_of("sphere", {"resolution"}), "'=' is missing"));
    CHECK(has(error_of("sphere", {"=3"}), "no key before '='"));
    CHECK(has(error_of("sphere", {"a..b=3"}), "empty key"));
    CHECK(has(error_of("sphere", {"a.=3"}), "path"));
    CHECK(has(error_of("sphere", {"solids[x]=3"}), "broken index"));
    CHECK(has(error_of("sphere", {"gravity=[1,2"}), "--set"));
    CHECK(has(error_of("sphere", {"resolution=fine"}),
              "expected a whole number from 4 to 4096, got \"fine\""));
    CHECK(has(error_of("sphere", {"separation=often"}),
              "expected \"off\", \"cell\", \"node\" or \"edge\""));
    CHECK(has(error_of("sphere", {"separation=off", "solver=fas"}), "for separating walls"));
}

TEST_CASE("Errors stay on one line and texts stay UTF-8 whatever an override holds") {
    CHECK(!has(error_of("sphere", {"a\nb.c.resolution=3"}), "\n"));
    CHECK(!has(error_of("sphere", {"size.a\nb[0]=3"}), "\n"));
    CHECK(has(error_of("sphere", {"description=\xff"}), "UTF-8"));
}

TEST_CASE("Unknown scenes name the nearest one") {
    CHECK(has(error_of("spere"), "did you mean \"sphere\"?"));
    CHECK(has(error_of("/no/such/file.json"), "no such file"));
    CHECK(has(error_of("/"), "folder"));
}

TEST_CASE("Variants are laid over the scene, and overrides over them") {
    const Scene low = load_scene("sphere_stream:low"),
                high = load_scene("sphere_stream", {"variant=high"});
    CHECK(low.initial[0].shape.to[1] == 0.25);
    CHECK(high.initial[0].shape.to[1] == 0.75);
    CHECK(low.name == "sphere_stream_low");  // so that their runs do not share a folder
    CHECK(load_scene("sphere_stream").initial[0].shape.to[1] == 0.5);
    CHECK(has(error_of("sphere_stream:deep"), "\"low\", \"mid\" or \"high\""));
    CHECK(has(error_of("sphere:deep"), "this scene has none"));
    CHECK(load_scene("vortex_box:voxel", {"fractions=volume"}).step.fractions == Fractions::Volume);
}

TEST_CASE("A scene extends another, its own keys winning over the base's variant") {
    const TemporaryFolder dir;
    const std::string file = dir.write(
        "mine.json", R"({"extends": "sphere_stream", "variant": "high", "resolution": 32})");
    const Scene s = load_scene(file);
    CHECK(s.name == "mine");
    CHECK(s.resolution == 32);
    CHECK(s.initial[0].shape.to[1] == 0.75);
    const std::string next = dir.write("next.json", R"({"extends": "mine.json", "fps": 60})");
    CHECK(load_scene(next).resolution == 32);
    CHECK(load_scene(next).fps == 60);

    dir.write("a.json", R"({"extends": "b.json"})");
    dir.write("b.json", R"({"extends": "a.json"})");
    CHECK(has(error_of((dir.path / "a.json").string()), "circle"));
    CHECK(
        has(error_of(dir.write("c.json", R"({"extends": "spher"})")), "did you mean \"sphere\"?"));
}

TEST_CASE("The schema and the reference in docs/ are those of the program") {
    // SLOSH_UPDATE_DOCS=1 rewrites the files instead.
    const bool update = std::getenv("SLOSH_UPDATE_DOCS") != nullptr;
    const auto text_of = [](const fs::path& path) {
        std::ifstream in(path);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const fs::path schema = slosh_test::repository() / "docs/scene.schema.json";
    const fs::path page = slosh_test::repository() / "docs/scenes.md";
    if (update) std::ofstream(schema) << scene_schema();
    const bool schema_is_current = text_of(schema) == scene_schema();  // not printed: too long
    CHECK_MESSAGE(schema_is_current, "run test_scene with SLOSH_UPDATE_DOCS=1");

    const std::string begin = "<!-- tables: made by SLOSH_UPDATE_DOCS=1 test_scene -->\n";
    const std::string text = text_of(page);
    const std::size_t at = text.find(begin);
    REQUIRE(at != std::string::npos);
    const std::string wanted = text.substr(0, at) + begin + scene_reference();
    if (update) std::ofstream(page) << wanted;
    const bool page_is_current = text_of(page) == wanted;
    CHECK_MESSAGE(page_is_current, "run test_scene with SLOSH_UPDATE_DOCS=1");
}

TEST_CASE("The schema accepts every scene that slosh accepts, resolved or not, and refuses slips") {
    const fs::path python = "/usr/bin/python3";
    if (!fs::exists(python) ||
        std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0) {
        MESSAGE("skipped: Debian's python3-jsonschema is not installed");
        return;
    }
    const TemporaryFolder dir;
    fs::create_directory(dir.path / "good");
    fs::create_directory(dir.path / "bad");
    for (const BuiltinScene& b : builtin_scenes()) {
        // Comments are taken out by reading and writing: resolved text, and the file as it is.
        dir.write("good/" + b.name + "_resolved.json", resolved_json(load_scene(b.name)));
        fs::copy_file(slosh_test::repository() / ("scenes/" + b.name + ".json"),
                      dir.path / "good" / (b.name + ".json"));
    }
    const std::string shape = R"({"type": "sphere", "radius": 1})";
    dir.write("bad/key.json", R"({"resolutoin": 3})");
    dir.write("bad/radius.json", R"({"initial": [{"shape": {"type": "sphere", "radius": -1}}]})");
    dir.write("bad/kind.json", R"({"initial": [{"shape": {"type": "spere", "radius": 1}}]})");
    dir.write("bad/nested.json",
              R"({"solids": [{"shape": {"type": "invert", "shape": {"type": "box"}}}]})");
    dir.write("bad/word.json", R"({"transfer": "flup"})");
    const fs::path script = slosh_test::repository() / "tests/scene/validate_schema.py";
    const std::string command = python.string() + " " + script.string() + " " +
                                (slosh_test::repository() / "docs/scene.schema.json").string() +
                                " " + dir.path.string();
    CHECK(std::system(command.c_str()) == 0);
}
