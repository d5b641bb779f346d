#include "slosh/cache/describe.h"

#include <fmt/format.h>

#include <filesystem>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/ply.h"
#include "slosh/cache/run_directory.h"
#include "slosh/cache/vdb.h"

namespace slosh {

namespace fs = std::filesystem;

namespace {

std::string size_text(double bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; bytes >= 1000 && u < 4; ++u) bytes /= 1000;
    return u == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", bytes, units[u]);
}

std::string cells_text(const std::vector<int>& cells) {
    std::string text;
    for (const int n : cells) text += fmt::format("{}{}", text.empty() ? "" : " x ", n);
    return text;
}

std::size_t bytes_of(const std::string& path) {
    std::error_code failure;
    const auto bytes = fs::file_size(path, failure);
    return failure ? 0 : bytes;
}

std::string describe_checkpoint(const std::string& path) {
    const CheckpointInfo c = check_checkpoint(path);
    return fmt::format(
        "checkpoint of frame {}, {}D, t = {:.6g} s after {} substeps: {} particles{}, {}, whole\n"
        "scene hash {:016x}\n",
        c.frame, c.dim, c.time, c.steps, c.particles,
        c.affine && c.gas ? " with APIC matrices, smoke and temperature"
        : c.affine        ? " with APIC matrices"
        : c.gas           ? " with smoke and temperature"
                          : "",
        size_text(double(c.bytes)), c.scene_hash);
}

std::string describe_ply(const std::string& path) {
    const PlySummary s = summarize_ply(path);
    const char* velocity = s.velocity ? ", velocity in m/s" : "";
    if (s.particles)
        return fmt::format("particles, {}D: {}{}{}, {}\n", s.dim, s.vertices, velocity,
                           s.ids ? ", ids" : "", size_text(double(bytes_of(path))));
    return fmt::format("surface, {}D: {} vertices{}, {} {}, {}\n", s.dim, s.vertices, velocity,
                       s.dim == 2 ? s.edges : s.faces, s.dim == 2 ? "edges" : "faces",
                       size_text(double(bytes_of(path))));
}

std::string describe_vdb(const std::string& path) {
    std::string text = fmt::format("OpenVDB file, {}\n", size_text(double(bytes_of(path))));
    for (const VdbGridInfo& g : summarize_vdb(path))
        text += fmt::format("grid '{}': {}, {}, voxels of {:.6g} m, {} active{}\n", g.name, g.type,
                            g.grid_class, g.voxel_size, g.active,
                            g.points ? fmt::format(", {} points", g.points) : "");
    return text;
}

std::string describe_directory(const std::string& directory) {
    if (!fs::exists(directory + "/manifest.json"))
        throw InputError(
            fmt::format("{} is not a slosh cache: it has no manifest.json", directory));
    const Manifest m = read_manifest(directory);
    std::string text = fmt::format(
        "cache of scene '{}' written by {}: {}D, {} cells of {:.6g} m, {:.6g} frames a second\n"
        "{} frames, {:.6g} s; scene hash {:016x}\n",
        m.scene, m.program, m.dim, cells_text(m.cells), m.dx, m.fps, m.frames,
        m.frames > 0 ? m.time_of(m.frames) : 0.0, m.scene_hash);
    for (const FileSeries& s : m.files) {
        double bytes = 0;
        for (int f = s.first; f <= s.last; ++f)
            bytes += double(bytes_of(directory + "/" + frame_file(s.pattern, f)));
        text += fmt::format("{}: {} files, frames {} to {}, {}\n", s.pattern, s.count, s.first,
                            s.last, size_text(bytes));
    }
    for (const int f : checkpoint_frames(directory)) {
        const std::string path = checkpoint_path(directory, f);
        try {
            const std::string lines = describe_checkpoint(path);
            text += lines.substr(0, lines.find('\n') + 1);
        } catch (const InputError&) {
            text += fmt::format("checkpoint of frame {}: damaged\n", f);
        }
    }
    if (const int id = live_run(directory))
        text += fmt::format("being written by process {}\n", id);
    return text;
}

}  // namespace

std::string describe(const std::string& path) {
    if (fs::is_directory(path)) return describe_directory(path);
    if (path.ends_with(".ply")) return describe_ply(path);
    if (path.ends_with(".vdb")) return describe_vdb(path);
    if (path.ends_with(".ckpt")) return describe_checkpoint(path);
    if (!fs::exists(path)) throw InputError(fmt::format("{} does not exist", path));
    throw InputError(
        fmt::format("{} is neither a cache directory nor a .ply, .vdb or .ckpt file of one", path));
}

}  // namespace slosh
