// Keys that a viewer may set. What they mean and which values they take is not said here: it comes
// from the tables of the scene reader.
#include <fmt/format.h>

#include <algorithm>

#include "slosh/scene/tables.h"
#include "slosh/view/frame.h"
#include "slosh/view/stage.h"

namespace slosh::view {
namespace {

/// Of every scene; of liquids and gases on particles; of tall cells.
constexpr const char* kAlways[] = {"resolution", "fps"};
constexpr const char* kParticles[] = {
    "separation", "solver", "density",   "transfer",           "flip_blend",
    "fractions",  "cfl",    "tolerance", "particles_per_axis", "position_correction"};
constexpr const char* kTall[] = {"rows", "v_cycles", "under", "over"};

template <class T>
void add(std::string& out, const Table<T>& table, const T& from, int dim, const std::string& key,
         const std::string& prefix) {
    for (const auto& e : table.entries()) {
        if (e.key != key || !e.listed || !e.write) continue;
        out += fmt::format(R"({}{{"key":{},"unit":{},"doc":{},"schema":{},"value":{}}})",
                           out.empty() ? "" : ",", json_text(prefix + key), json_text(e.unit),
                           json_text(e.doc), write_json_compact(e.schema),
                           write_json_compact(e.write(from, {.dim = dim})));
    }
}

}  // namespace

std::string parameters_json(const Scene& scene) {
    std::string out;
    for (const char* key : kAlways) add(out, scene_table(), scene, scene.dim, key, "");
    if (scene.tall)
        for (const char* key : kTall) add(out, tall_table(), *scene.tall, 3, key, "tall.");
    else
        for (const char* key : kParticles) add(out, scene_table(), scene, scene.dim, key, "");
    return "[" + out + "]";
}

bool is_parameter(const Scene& scene, const std::string& path) {
    const auto in = [&](const auto& list, const std::string& prefix) {
        return std::any_of(std::begin(list), std::end(list),
                           [&](const char* key) { return path == prefix + key; });
    };
    return in(kAlways, "") || (scene.tall ? in(kTall, "tall.") : in(kParticles, ""));
}

}  // namespace slosh::view
