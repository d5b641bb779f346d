// Keys of rigid bodies.
#include <fmt/format.h>

#include "slosh/scene/tables.h"

namespace slosh {
namespace {

const NumberType kRate{0, 1e6};
const NumberType kTime{0, 1e30};  // 1e30 s: for ever

}  // namespace

const Table<SceneBodyForce>& body_force_table() {
    static const Table<SceneBodyForce> table = [] {
        Table<SceneBodyForce> t("body_force", "A force on a body for a time.");
        t.key("force", &SceneBodyForce::force, VectorType{{-1e12, 1e12}}, "N (2D: N/m)",
              "Acts at the centre of mass.");
        t.key("torque", &SceneBodyForce::torque, TurnType{}, "N m (2D: N)", "Turns the body.")
            .default_text("none");
        t.key("start", &SceneBodyForce::start, kTime, "s", "Works from this time on.");
        t.key("end", &SceneBodyForce::end, kTime, "s", "Works until this time.")
            .default_text("for ever");
        t.check([](const Cursor& at, SceneBodyForce& f) {
            if (!(f.end > f.start))
                at.member(at.has("end") ? "end" : "start")
                    .fail(fmt::format("\"end\" ({} s) must be later than \"start\" ({} s)",
                                      number_text(f.end), number_text(f.start)));
        });
        return t;
    }();
    return table;
}

const Table<SceneBodyJoint>& body_joint_table() {
    static const Table<SceneBodyJoint> table = [] {
        Table<SceneBodyJoint> t("body_joint", "What ties a body to the world.");
        t.key(
            "type", &SceneBodyJoint::type,
            ChoiceType<JointKind>{{{"none", JointKind::None},
                                   {"hinge", JointKind::Hinge},
                                   {"slider", JointKind::Slider}},
                                  {},
                                  ""},
            "",
            "A hinge lets the body turn about an axle, a slider lets it move along a line without "
            "turning.");
        t.key("position", &SceneBodyJoint::position, VectorType{}, "m",
              "A point on the axle of a hinge.");
        t.key("axis", &SceneBodyJoint::axis, VectorType{}, "",
              "Direction of the axle (3D) or of the slider; of any length.")
            .default_text("none");
        t.check([](const Cursor& at, SceneBodyJoint& j) {
            if (j.type == JointKind::None) return;
            const bool needed = at.dim() == 3 || j.type == JointKind::Slider;
            if (needed && !(length(j.axis) > 0))
                at.fail("a joint needs an \"axis\", the direction of its axle or of its way");
            if (!needed && length(j.axis) > 0)
                at.member("axis").fail("a 2D hinge turns about z; leave \"axis\" out");
        });
        return t;
    }();
    return table;
}

const Table<SceneBody>& body_table() {
    static const Table<SceneBody> table = [] {
        Table<SceneBody> t("body",
                           "A rigid body that liquid moves and that moves the liquid. Bodies moved "
                           "by keyframes are solids with a \"motion\".");
        t.key("name", &SceneBody::name, TextType{}, "", "Name, for reports and files.").not_state();
        t.key("shape", &SceneBody::shape, ShapeType{}, "", "Where the body is at the start.")
            .required();
        t.key("density", &SceneBody::density, NumberType{1e-3, 1e6}, "kg/m^3",
              "Density, the same throughout.");
        t.key("mass", &SceneBody::mass, NumberType{0, 1e12}, "kg (2D: kg/m)",
              "Mass, in the place of `density`; 0: from `density`.");
        t.key("inertia", &SceneBody::inertia, TurnType{}, "kg m^2 (2D: kg m)",
              "Moments of inertia about the axes through the centre of mass, in the place of those "
              "of the shape; 0: from the shape.")
            .default_text("from the shape");
        t.key("velocity", &SceneBody::velocity, VectorType{}, "m/s", "Velocity at the start.");
        t.key("spin", &SceneBody::spin, TurnType{}, "rad/s", "Angular velocity at the start.")
            .default_text("none");
        t.key("linear_damping", &SceneBody::linear_damping, kRate, "1/s",
              "Rate at which velocity decays by itself.");
        t.key("angular_damping", &SceneBody::angular_damping, kRate, "1/s",
              "Rate at which spin decays by itself.");
        t.key("locked", &SceneBody::locked, WordSetType{{"x", "y", "z", "rx", "ry", "rz"}}, "",
              "Axes along which (x, y, z) and about which (rx, ry, rz; 2D: rz) it cannot move.");
        t.key("joint", &SceneBody::joint, ObjectType<SceneBodyJoint>{body_joint_table}, "",
              "A hinge or slider that holds the body, in the place of `locked`.")
            .default_text("none");
        t.key("forces", &SceneBody::forces,
              ListType<ObjectType<SceneBodyForce>, SceneBodyForce>{{body_force_table}}, "",
              "Forces beside weight and liquid.");
        t.key("friction", &SceneBody::friction, NumberType{0, 100}, "",
              "Coefficient of friction in contact; that of a pair is the product.");
        t.key("restitution", &SceneBody::restitution, NumberType{0, 1}, "",
              "Share of the speed that a bounce keeps; that of a pair is the product.");
        t.key("walls", &SceneBody::walls,
              ChoiceType<SolidWalls>{{{"scene", SolidWalls::Scene},
                                      {"sticky", SolidWalls::Sticky},
                                      {"separating", SolidWalls::Separating}},
                                     {},
                                     ""},
              "",
              "Whether liquid may let go of this body: as \"separation\" of the scene says, never, "
              "or always.");
        t.key("slip_length", &SceneBody::slip_length, kSlipLength, "m",
              "How far viscous liquid slips along this body; -1: as `slip_length` of the scene.");
        t.key("colour", &SceneBody::colour, ColourType{}, "",
              "Linear red, green and blue, for pictures.")
            .not_state();
        t.check([](const Cursor& at, SceneBody& b) {
            if (b.joint.type != JointKind::None && !b.locked.empty())
                at.member("locked").fail(
                    "a body held by a \"joint\" has no axes to lock; leave "
                    "one of the two out");
            for (int k = at.dim() == 2 ? 2 : 0; k < 3; ++k)
                if (b.inertia[k] < 0 || (b.inertia[k] > 0) != (b.inertia[2] > 0))
                    at.member("inertia").expected("numbers > 0, or 0 for those of the shape");
            if (at.dim() == 2)
                for (const std::string& word : b.locked)
                    if (word == "z" || word == "rx" || word == "ry")
                        at.member("locked").fail("a 2D body has no axis " + in_quotes(word) +
                                                 "; it has x, y and rz");
        });
        return t;
    }();
    return table;
}

}  // namespace slosh
