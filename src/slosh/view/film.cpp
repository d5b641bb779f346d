#include "slosh/view/film.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "slosh/base/error.h"
#include "slosh/render/painter.h"
#include "slosh/render/video.h"
#include "slosh/view/frame.h"

namespace slosh::view {
namespace {

/// Smoke that comes as points, back in the cells of the scene.
RenderSmoke smoke_of(const ShownPoints& points, const Scene& scene) {
    RenderSmoke smoke;
    smoke.cells = scene.cells();
    smoke.origin = scene.lower;
    smoke.dx = scene.dx();
    smoke.density.resize(std::size_t(smoke.cells[0]) * smoke.cells[1] * smoke.cells[2]);
    std::vector<int> count(smoke.density.size());
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
        Index<3> c = floor((points.positions[i].as<double>() - scene.lower) / scene.dx());
        for (int d = 0; d < 3; ++d) c[d] = std::clamp(c[d], 0, smoke.cells[d] - 1);
        const std::size_t at = (std::size_t(c[2]) * smoke.cells[1] + c[1]) * smoke.cells[0] + c[0];
        smoke.density[at] += points.densities[i];
        ++count[at];
    }
    for (std::size_t i = 0; i < count.size(); ++i)
        if (count[i] > 1) smoke.density[i] /= float(count[i]);
    return smoke;
}

/// A file's name that goes when this does.
struct Temporary {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("slosh-view-{}.mp4", getpid());
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

}  // namespace

std::string make_film(const Scene& scene, const std::vector<MessagePtr>& frames,
                      const std::function<bool(int done)>& progress) {
    const Painter painter(preview_scene(scene), {.width = {}, .height = {}, .draft = true});
    const Temporary file;
    VideoWriter video(file.path, painter.width(), painter.height(), scene.fps);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        ShownFrame shown = decode_frame(frames[i]->bytes);
        PaintFrame frame;
        frame.number = shown.number;
        frame.time = shown.time;
        frame.surface = std::move(shown.surface);
        frame.bodies = std::move(shown.bodies);
        if (scene.gas) frame.smoke = smoke_of(shown.points, scene);
        video.add(painter.paint(frame));
        if (!progress(int(i + 1))) return {};
    }
    video.finish();
    std::ostringstream bytes;
    bytes << std::ifstream(file.path, std::ios::binary).rdbuf();
    return bytes.str();
}

}  // namespace slosh::view
