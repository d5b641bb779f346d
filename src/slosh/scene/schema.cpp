// The JSON Schema and the reference, made from the tables.
#include <fmt/format.h>

#include "slosh/scene/load.h"
#include "slosh/scene/tables.h"

namespace slosh {
namespace {

/// Any shape: the key "type" says which definition holds.
Json shape_schema() {
    Json words = Json::list(), cases = Json::list();
    for (const ShapeWord& w : shape_words()) {
        words.items.push_back(w.word);
        Json type = Json::object();
        type.set("const", w.word);
        Json properties = Json::object();
        properties.set("type", std::move(type));
        Json condition = Json::object();
        condition.set("properties", std::move(properties));
        Json one = Json::object();
        one.set("if", std::move(condition));
        one.set("then", schema_reference(std::string("shape_") + w.word));
        cases.items.push_back(std::move(one));
    }
    Json type = Json::object();
    type.set("enum", std::move(words));
    Json properties = Json::object();
    properties.set("type", std::move(type));
    Json j = Json::object();
    j.set("description", "A shape; its key \"type\" says which kind.");
    j.set("type", "object");
    j.set("properties", std::move(properties));
    j.set("required", Json::list({"type"}));
    j.set("allOf", std::move(cases));
    return j;
}

template <class T>
void section(std::string& out, const char* title, const Table<T>& table) {
    out += fmt::format("\n### {}\n\n{}\n\n{}", title, table.doc(), table.reference());
}

}  // namespace

std::string scene_schema() {
    Json defs = Json::object();
    defs.set("shape", shape_schema());
    for (const ShapeWord& w : shape_words())
        defs.set(std::string("shape_") + w.word, shape_table(w.kind).schema());
    const auto add = [&](const auto& table) { defs.set(table.name(), table.schema()); };
    add(key_table());
    add(motion_table());
    add(liquid_table());
    add(inflow_table());
    add(drain_table());
    add(solid_table());
    add(body_table());
    add(body_force_table());
    add(body_joint_table());
    add(gas_table());
    add(gas_source_table());
    add(tall_table());
    add(ground_table());
    add(ground_wave_table());
    add(wave_maker_table());
    add(push_table());
    add(raise_table());
    add(throw_table());
    add(probe_table());
    add(output_table());
    add(render_table());

    Json j = Json::object();
    j.set("$schema", "https://json-schema.org/draft/2020-12/schema");
    j.set("title", "slosh scene");
    const Json scene = scene_table().schema();
    for (const Json::Member& m : scene.members) j.set(m.key, m.value);
    j.set("$defs", std::move(defs));
    return write_json(j);
}

std::string scene_reference() {
    std::string out;
    section(out, "Scene", scene_table());
    section(out, "Liquid at the start (`initial`)", liquid_table());
    section(out, "Inflow (`inflows`)", inflow_table());
    section(out, "Drain (`drains`)", drain_table());
    section(out, "Solid (`solids`)", solid_table());
    section(out, "Body (`bodies`)", body_table());
    section(out, "Force on a body (`bodies[].forces`)", body_force_table());
    section(out, "Joint of a body (`bodies[].joint`)", body_joint_table());
    section(out, "Gas (`gas`)", gas_table());
    section(out, "Source of smoke and heat (`gas.sources`)", gas_source_table());
    section(out, "Tall cells (`tall`)", tall_table());
    section(out, "Ground (`tall.terrain`)", ground_table());
    section(out, "Hills and hollows (`tall.terrain[].waves`)", ground_wave_table());
    section(out, "Wave maker (`tall.wave_makers`)", wave_maker_table());
    section(out, "Push (`tall.pushes`)", push_table());
    section(out, "Raise (`tall.raises`)", raise_table());
    section(out, "Throw (`tall.throws`)", throw_table());
    section(out, "Probe (`probes`)", probe_table());
    section(out, "Motion (`motion`)", motion_table());
    section(out, "Keyframe (`motion.keys`)", key_table());
    section(out, "Output (`output`)", output_table());
    section(out, "Pictures (`render`)", render_table());
    for (const ShapeWord& w : shape_words())
        section(out, fmt::format("Shape `{}`", w.word).c_str(), shape_table(w.kind));
    return out;
}

}  // namespace slosh
