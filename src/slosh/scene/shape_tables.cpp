// Keys of each kind of shape.
#include <fmt/format.h>

#include <filesystem>

#include "slosh/scene/builtin.h"
#include "slosh/scene/files.h"
#include "slosh/scene/tables.h"

namespace slosh {
namespace {

using Shapes = Table<SceneShape>;

const char* word_of(ShapeKind kind) {
    for (const ShapeWord& w : shape_words())
        if (w.kind == kind) return w.word;
    return "";
}

/// The key "type" of one kind: a constant.
struct KindType {
    std::string word;
    void read(const Cursor&, ShapeKind&) const {}  // ShapeType has read it already
    Json write(ShapeKind, const WriteMode&) const { return word; }
    Json schema() const {
        Json j = Json::object();
        j.set("const", word);
        return j;
    }
    std::string words() const { return '"' + word + '"'; }
};

/// A single shape kept as a list of one.
struct OneShapeType {
    void read(const Cursor& at, std::vector<SceneShape>& out) const {
        out.assign(1, {});
        ShapeType{}.read(at, out[0]);
    }
    Json write(const std::vector<SceneShape>& x, const WriteMode& mode) const {
        return x.empty() ? Json() : ShapeType{}.write(x[0], mode);
    }
    Json schema() const { return ShapeType{}.schema(); }
    std::string words() const { return ShapeType{}.words(); }
};

struct SomeShapesType : ListType<ShapeType, SceneShape> {
    void read(const Cursor& at, std::vector<SceneShape>& out) const {
        ListType::read(at, out);
        if (out.empty()) at.expected("at least one shape");
    }
    Json schema() const {
        Json j = ListType::schema();
        j.set("minItems", 1);
        return j;
    }
    std::string words() const { return "a list of shapes, not empty"; }
};

struct DirectionType : VectorType {
    void read(const Cursor& at, Point<3>& out) const {
        VectorType::read(at, out);
        if (length(out) < 1e-6) at.fail("expected a direction, got a vector of length zero");
    }
};

/// A mesh file: found and hashed while reading, so that a missing file is an error of the scene.
struct MeshFileType {
    void read(const Cursor& at, std::string& out) const {
        if (at.json().kind != Json::Kind::Text || at.json().text.empty()) at.expected(words());
        out = resolve_mesh_file(at);
    }
    Json write(const std::string& x, const WriteMode&) const { return x; }
    Json schema() const { return TextType{}.schema(); }
    std::string words() const { return "a file name (.obj, .ply, .stl, .gltf, .glb)"; }
};

struct HashType {
    void read(const Cursor&, std::uint64_t&) const {}
    Json write(std::uint64_t x, const WriteMode&) const { return fmt::format("{:016x}", x); }
    Json schema() const { return TextType{}.schema(); }
    std::string words() const { return "text"; }
};

Shapes start(ShapeKind kind, std::string doc) {
    Shapes t(word_of(kind), std::move(doc));
    t.key("type", &SceneShape::kind, KindType{word_of(kind)}, "", "Kind of the shape.").required();
    return t;
}

/// The keys all shapes share.
void place(Shapes& t) {
    t.key("position", &SceneShape::position, VectorType{}, "m",
          "Where the shape's own origin goes.");
    t.key("rotation", &SceneShape::rotation, TurnType{}, "degrees",
          "Turn about the shape's own origin.")
        .default_text("none");
    t.key("scale", &SceneShape::scale, NumberType{1e-3, 1e3}, "",
          "Factor about the shape's own origin, before it is turned and moved.");
}

Shapes make_table(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::Sphere: {
            Shapes t = start(kind, "A ball around its origin; in 2D a disc.");
            t.key("radius", &SceneShape::radius, kLength, "m", "Radius.").required();
            return t;
        }
        case ShapeKind::Box: {
            Shapes t = start(kind,
                             "A box, either `size` around its origin or from `lower` to `upper`; "
                             "in 2D a rectangle.");
            t.special("size", VectorType{kLength}, "m", "Side lengths, centred on the origin.",
                      [](const Cursor& at, SceneShape& out) {
                          Point<3> size;
                          VectorType{kLength}.read(at, size);
                          out.from = size * -0.5;
                          out.to = size * 0.5;
                      });
            t.key("lower", &SceneShape::from, VectorType{}, "m", "Lower corner.")
                .default_text("-size/2");
            t.key("upper", &SceneShape::to, VectorType{}, "m", "Upper corner.")
                .default_text("size/2");
            t.key("round", &SceneShape::round, NumberType{0, kHuge}, "m", "Radius of the edges.");
            t.check([](const Cursor& at, SceneShape& s) {
                if (at.has("size") && (at.has("lower") || at.has("upper")))
                    at.member("size").fail(
                        "give either \"size\" or \"lower\" and \"upper\", not both");
                if (at.has("lower") != at.has("upper"))
                    at.fail("\"lower\" and \"upper\" belong together; one of them is missing");
                if (!at.has("size") && !at.has("lower"))
                    at.fail("key \"size\" is missing (or \"lower\" and \"upper\")");
                double least = kHuge;
                for (int d = 0; d < at.dim(); ++d) {
                    if (!(s.to[d] - s.from[d] >= kLength.min * (1 - 1e-9)) && at.has("upper"))
                        at.member("upper")
                            .element(std::size_t(d))
                            .fail("\"upper\" must be greater than \"lower\"");
                    least = std::min(least, s.to[d] - s.from[d]);
                }
                if (at.has("round") && s.round > 0.5 * least)
                    at.member("round").fail(fmt::format(
                        "must be at most half the shortest side, {}", number_text(0.5 * least)));
            });
            Json either = Json::list();
            for (const std::vector<Json>& keys :
                 {std::vector<Json>{"size"}, std::vector<Json>{"lower", "upper"}})
                either.items.push_back(Json::object()),
                    either.items.back().set("required", Json::list(keys));
            t.also_schema("oneOf", std::move(either));
            return t;
        }
        case ShapeKind::Capsule:
        case ShapeKind::Cylinder: {
            Shapes t =
                kind == ShapeKind::Capsule
                    ? start(kind, "All points within `radius` of a segment.")
                    : start(kind, "A cylinder with flat ends; in 2D a rectangle `2 radius` wide.");
            t.key("from", &SceneShape::from, VectorType{}, "m", "One end of the axis.").required();
            t.key("to", &SceneShape::to, VectorType{}, "m", "The other end of the axis.")
                .required();
            t.key("radius", &SceneShape::radius, kLength, "m", "Radius.").required();
            t.check([](const Cursor& at, SceneShape& s) {
                if (length(s.to - s.from) < 1e-6)
                    at.member("to").fail("\"from\" and \"to\" must differ");
            });
            return t;
        }
        case ShapeKind::Torus: {
            Shapes t = start(kind, "A ring around its origin; in 2D an annulus.");
            t.key("radius", &SceneShape::radius, kLength, "m", "Radius of the ring.").required();
            t.key("tube", &SceneShape::tube, kLength, "m", "Radius of the tube.").required();
            t.key("axis", &SceneShape::normal, DirectionType{}, "",
                  "Axis of the ring; not used in 2D.");
            t.check([](const Cursor& at, SceneShape& s) {
                if (s.tube >= s.radius)
                    at.member("tube").fail("must be less than the radius of the ring, " +
                                           number_text(s.radius));
            });
            return t;
        }
        case ShapeKind::HalfSpace: {
            Shapes t = start(kind, "Everything on one side of a plane through its origin.");
            t.key("normal", &SceneShape::normal, DirectionType{}, "",
                  "Points away from the shape.");
            return t;
        }
        case ShapeKind::Plane: {
            Shapes t = start(kind, "An endless slab centred on its origin.");
            t.key("normal", &SceneShape::normal, DirectionType{}, "", "Across the slab.");
            t.key("thickness", &SceneShape::thickness, kLength, "m", "Thickness of the slab.")
                .required();
            return t;
        }
        case ShapeKind::Union:
        case ShapeKind::Intersection: {
            Shapes t = kind == ShapeKind::Union
                           ? start(kind, "All points in any of the shapes.")
                           : start(kind, "All points in every one of the shapes.");
            t.key("shapes", &SceneShape::shapes, SomeShapesType{}, "", "The parts.").required();
            return t;
        }
        case ShapeKind::Difference: {
            Shapes t = start(kind, "A shape with others cut away.");
            t.key("shape", &SceneShape::shapes, OneShapeType{}, "", "What is cut.").required();
            t.key("minus", &SceneShape::minus, SomeShapesType{}, "", "What is cut away.")
                .required();
            return t;
        }
        case ShapeKind::Shell: {
            Shapes t = start(kind, "The skin of a shape.");
            t.key("shape", &SceneShape::shapes, OneShapeType{}, "", "The shape.").required();
            t.key("thickness", &SceneShape::thickness, kLength, "m", "Thickness of the skin.")
                .required();
            t.key("side", &SceneShape::side,
                  ChoiceType<ShellSide>{{{"inward", ShellSide::Inward},
                                         {"outward", ShellSide::Outward},
                                         {"centred", ShellSide::Centred}},
                                        {},
                                        ""},
                  "", "Which side of the surface the skin is on.");
            return t;
        }
        case ShapeKind::Invert: {
            Shapes t = start(kind, "Everything outside a shape: the wall of a container.");
            t.key("shape", &SceneShape::shapes, OneShapeType{}, "", "The shape.").required();
            return t;
        }
        case ShapeKind::Mesh: {
            Shapes t = start(kind, "The inside of a closed triangle mesh (3D only).");
            t.key("file", &SceneShape::file, MeshFileType{}, "",
                  "Mesh file; a relative name starts at the folder of the scene file.")
                .required()
                .not_state();
            t.key("file_hash", &SceneShape::file_hash, HashType{}, "", "").only_state();
            t.key("voxel", &SceneShape::voxel, NumberType{0, kHuge}, "m",
                  "Distance between the points where the mesh's distance is sampled; 0: half a "
                  "cell.");
            t.key("sheet", &SceneShape::sheet, NumberType{0, kHuge}, "m",
                  "A mesh with holes becomes a sheet this thick, at least two `voxel`; 0: such a "
                  "mesh is refused.");
            t.check([](const Cursor& at, SceneShape& s) {
                s.file_hash = hash_mesh_file(at.member("file"), s.file);
            });
            return t;
        }
    }
    return Shapes("shape", "");
}

}  // namespace

const std::vector<ShapeWord>& shape_words() {
    static const std::vector<ShapeWord> words = {{ShapeKind::Sphere, "sphere"},
                                                 {ShapeKind::Box, "box"},
                                                 {ShapeKind::Capsule, "capsule"},
                                                 {ShapeKind::Cylinder, "cylinder"},
                                                 {ShapeKind::Torus, "torus"},
                                                 {ShapeKind::HalfSpace, "half_space"},
                                                 {ShapeKind::Plane, "plane"},
                                                 {ShapeKind::Union, "union"},
                                                 {ShapeKind::Intersection, "intersection"},
                                                 {ShapeKind::Difference, "difference"},
                                                 {ShapeKind::Shell, "shell"},
                                                 {ShapeKind::Invert, "invert"},
                                                 {ShapeKind::Mesh, "mesh"}};
    return words;
}

const Table<SceneShape>& shape_table(ShapeKind kind) {
    static const std::vector<Shapes> tables = [] {
        std::vector<Shapes> all;
        for (const ShapeWord& w : shape_words()) {
            all.push_back(make_table(w.kind));
            place(all.back());
        }
        return all;
    }();
    return tables[std::size_t(kind)];  // shape_words() is in the order of the enum
}

void ShapeType::read(const Cursor& at, SceneShape& out) const {
    if (at.json().kind != Json::Kind::Object) at.expected("a shape: an object with a \"type\"");
    std::vector<std::string> words;
    for (const ShapeWord& w : shape_words()) words.push_back(w.word);
    if (!at.has("type")) at.fail("key \"type\" is missing; it is one of " + one_of(words));
    const Cursor type = at.member("type");
    if (type.json().kind != Json::Kind::Text) type.expected(one_of(words));
    for (const ShapeWord& w : shape_words()) {
        if (type.json().text != w.word) continue;
        if (w.kind == ShapeKind::Mesh && at.dim() == 2)
            type.fail("a mesh needs a 3D scene; set \"dim\": 3 or use other shapes");
        out = {};
        out.kind = w.kind;
        shape_table(w.kind).read(at, out);
        return;
    }
    const std::string near = did_you_mean(type.json().text, words);
    type.fail("unknown shape " + in_quotes(type.json().text) +
              (near.empty() ? "; known shapes: " + one_of(words) : near));
}

Json ShapeType::write(const SceneShape& x, const WriteMode& mode) const {
    return shape_table(x.kind).write(x, mode);
}

}  // namespace slosh
