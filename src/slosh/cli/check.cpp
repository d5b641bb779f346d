// `slosh check`: is the scene right, and what will it cost?
#include <cstdio>

#include "slosh/cli/commands.h"
#include "slosh/cli/load.h"
#include "slosh/cli/text.h"
#include "slosh/scene/estimate.h"
#include "slosh/scene/json.h"

namespace slosh::cli {

int check(const CheckOptions& options) {
    const Scene scene =
        load_with_flags(options.scene, options.set, options.frames, options.resolution);
    const SceneEstimate e = estimate_scene(scene);
    const auto line = [](const char* what, const std::string& value) {
        std::printf("%-12s %s\n", what, value.c_str());
    };
    std::string grid;
    for (int d = 0; d < scene.dim; ++d) grid += (d ? " x " : "") + std::to_string(e.cells[d]);
    line("scene", scene.name + ", " + std::to_string(scene.dim) + "D");
    line("grid", grid + " cells of " + number_text(e.dx) + " m");
    line("liquid", format_count(e.liquid_cells) + " cells in " + format_count(e.blocks) +
                       " blocks at the start");
    std::string particles = format_count(e.particles);
    if (e.peak_particles > 1.01 * e.particles)
        particles += ", later up to " + format_count(e.peak_particles);
    line("particles", particles);
    line("frames", std::to_string(scene.frames) + " at " + number_text(scene.fps) + " a second");
    line("memory", format_bytes(e.memory_bytes));
    line("disk", format_bytes(e.disk_bytes_per_frame) + " a frame, " + format_bytes(e.disk_bytes) +
                     " in all");
    line("time", "about " + format_seconds(e.seconds_per_frame) + " a frame, " +
                     format_seconds(e.seconds) + " in all, without the video (a guess)");
    for (const std::string& warning : e.warnings) line("warning", warning);
    return 0;
}

}  // namespace slosh::cli
