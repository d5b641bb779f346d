// The tables of all structs of a scene (table.h says what a table is).
#pragma once

#include "slosh/scene/scene.h"
#include "slosh/scene/types.h"

namespace slosh {

const Table<Scene>& scene_table();
const Table<SceneLiquid>& liquid_table();
const Table<SceneInflow>& inflow_table();
const Table<SceneDrain>& drain_table();
const Table<SceneSolid>& solid_table();
const Table<SceneBody>& body_table();
const Table<SceneBodyForce>& body_force_table();
const Table<SceneBodyJoint>& body_joint_table();
const Table<SceneGas>& gas_table();
const Table<SceneGasSource>& gas_source_table();
const Table<SceneTall>& tall_table();
const Table<SceneGround>& ground_table();
const Table<SceneGroundWave>& ground_wave_table();
const Table<SceneWaveMaker>& wave_maker_table();
const Table<ScenePush>& push_table();
const Table<SceneRaise>& raise_table();
const Table<SceneThrow>& throw_table();
const Table<SceneProbe>& probe_table();
const Table<SceneMotion>& motion_table();
const Table<SceneKey>& key_table();
const Table<SceneOutput>& output_table();
const Table<SceneRender>& render_table();
const Table<StepOptions>& step_table();

// ---- shapes: one table per kind ----

struct ShapeWord {
    ShapeKind kind;
    const char* word;
};
const std::vector<ShapeWord>& shape_words();
const Table<SceneShape>& shape_table(ShapeKind kind);

/// A shape of any kind, told by its key "type".
struct ShapeType {
    void read(const Cursor& at, SceneShape& out) const;
    Json write(const SceneShape& x, const WriteMode& mode) const;
    Json schema() const { return schema_reference("shape"); }
    std::string words() const { return "a shape"; }
};

/// Density of a preset liquid (kg/m^3), by its word.
double preset_density(const std::string& word);
/// kg/(m s)
double preset_viscosity(const std::string& word);

/// Whether any of its liquid is viscous.
bool is_viscous(const Scene& scene);

/// Ranges of viscosities and slip lengths.
inline const NumberType kViscosity{0, 1e12};
inline const NumberType kOwnViscosity{-1, 1e12};
inline const NumberType kSlipLength{-1, 1e30};

void add_viscosity_keys(Table<StepOptions>& table);
void add_spacing_keys(Table<StepOptions>& table);

}  // namespace slosh
