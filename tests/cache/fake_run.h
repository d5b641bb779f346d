// A stand-in for a simulation: states that move by a fixed rule and frames made from them, and
// ways to look at a directory as a whole.
#pragma once

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "slosh/base/hash.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/frame_writer.h"

namespace fake {

using namespace slosh;

/// A directory that goes away again; in memory where there is such a place, for fsync is slow.
class TempDir {
public:
    TempDir() {
        const char* root = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
        std::string name = std::string(root) + "/slosh_cache_test_XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ~TempDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

inline std::string numbered(std::string name, int n) {
    return name.append(std::to_string(n));
}

template <int D>
GridGeometry<D> grid() {
    GridGeometry<D> g;
    g.dx = 0.125;
    for (int d = 0; d < D; ++d) {
        g.origin[d] = -1.0 + 0.5 * d;
        g.cells[d] = 24;
    }
    return g;
}

/// `n` particles at hashed places in the grid.
template <int D>
LiquidState<D> state(std::size_t n, bool affine = true) {
    LiquidState<D> s;
    s.next_id = static_cast<std::uint32_t>(2 * n + 1);
    s.particles.resize(n, affine);
    for (std::size_t i = 0; i < n; ++i) {
        for (int d = 0; d < D; ++d) {
            s.particles.x[d][i] = static_cast<float>(24 * hash_uniform(7, i, d));
            s.particles.v[d][i] = static_cast<float>(hash_uniform(8, i, d) - 0.5);
            if (affine)
                for (int e = 0; e < D; ++e)
                    s.particles.c[d][e][i] = static_cast<float>(hash_uniform(9, i, d * 3 + e));
        }
        s.particles.id[i] = static_cast<std::uint32_t>(2 * i + 1);
    }
    return s;
}

/// A disc or ball of liquid of `radius` m about the middle of the grid, in solid rotation.
template <int D>
LiquidFrame<D> frame(double radius) {
    const GridGeometry<D> g = grid<D>();
    std::vector<Index<D>> coords;
    for (int i = 0; i < (D == 3 ? 27 : 9); ++i) {
        Index<D> c;
        for (int d = 0, k = i; d < D; ++d, k /= 3) c[d] = k % 3;
        coords.push_back(c);
    }
    auto blocks = std::make_shared<const Blocks<D>>(coords);
    const Point<D> middle = g.to_world(Point<D>::filled(12));
    LiquidFrame<D> f;
    f.level_set = Field<float, D>(blocks, 1.0f);
    f.velocity = FaceField<float, D>(blocks);
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = blocks->first_cell(b) + local_cell<D>(o);
            f.level_set.block(b)[o] = static_cast<float>(length(g.centre(cell) - middle) - radius);
            for (int d = 0; d < D; ++d) {
                const Point<D> x = g.face(d, cell) - middle;
                f.velocity.axis(d).block(b)[o] = static_cast<float>(d == 0   ? -x[1]
                                                                    : d == 1 ? x[0]
                                                                             : 0.25);
            }
        }
    f.surface.dim = D;
    for (int i = 0; i < 5; ++i) {
        f.surface.vertices.push_back(
            {float(i) + float(radius), 0.5f * float(i), D == 3 ? 1.f : 0.f});
        f.surface.velocities.push_back({0.1f * float(i), 2, 0});
    }
    for (std::uint32_t i = 0; i < 3; ++i)
        f.surface.elements.push_back({i, i + 1, D == 3 ? i + 2 : 0});
    return f;
}

template <int D>
Manifest about(std::uint64_t hash = 0x1234) {
    Manifest m;
    m.program = "slosh test";
    m.scene = "fake";
    m.scene_hash = hash;
    m.set_grid(grid<D>());
    return m;
}

/// Two substeps of a motion whose result depends on every bit of the state.
template <int D>
void advance(LiquidState<D>& s, int frame, RunDirectory& run) {
    for (int k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < s.particles.size(); ++i)
            for (int d = 0; d < D; ++d) {
                float& x = s.particles.x[d][i];
                x = std::fmod(x + 0.37f * s.particles.v[d][i] + 0.01f * s.particles.c[d][0][i],
                              24.f);
                if (x < 0) x += 23.5f;
            }
        s.time += 1.0 / 60;
        ++s.steps;
        StepReport report;
        report.time = s.time;
        report.dt = 1.0 / 60;
        report.accepted = true;
        report.solver = "linear";
        report.volume = s.particles.x[0][0];
        report.particles = s.particles.size();
        report.times.add("pressure", wall_seconds(), cpu_seconds());
        run.add_stats(report, frame, s.steps);
    }
}

/// Runs to frame `last`, from the start or from where the directory is.
template <int D>
void simulate(const std::string& directory, int last, bool resume, const OutputChoices& choices,
              int every = 1, int stop_at = 0) {
    const CheckpointPolicy policy{.every = every, .last_frame = last};
    RunDirectory run = resume ? RunDirectory::open_resume(directory, about<D>(), "{}\n", policy)
                              : RunDirectory::open_new(directory, about<D>(), "{}\n", policy);
    LiquidState<D> s = run.done() ? run.template load_state<D>() : state<D>(50);
    for (int f = run.done() + 1; f <= last; ++f) {
        if (f > 1) advance(s, f, run);
        write_frame(run, f, frame<D>(0.5 + 0.01 * f), s, grid<D>(), choices, f == stop_at);
        if (f == stop_at) return;
    }
}

/// All files of a directory, by relative path; what stats say of time and memory is left out.
inline std::map<std::string, std::string> snapshot(const std::string& directory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        const std::string name = std::filesystem::relative(entry.path(), directory).string();
        if (entry.is_directory()) {
            files[name] = "directory";
            continue;
        }
        std::string bytes = read_file(entry.path().string());
        if (name == "stats.jsonl")
            for (std::size_t at; (at = bytes.find(",\"bytes\"")) != std::string::npos;)
                bytes.erase(at, bytes.find('\n', at) - at);
        files[name] = bytes;
    }
    return files;
}

/// The first difference of two snapshots, or nothing.
inline std::string difference(const std::map<std::string, std::string>& a,
                              const std::map<std::string, std::string>& b) {
    for (const auto& [name, bytes] : a)
        if (!b.count(name)) return name + " is missing";
    for (const auto& [name, bytes] : b) {
        if (!a.count(name)) return name + " is too much";
        if (a.at(name) != bytes) return name + " differs";
    }
    return "";
}

/// What the hook throws to stop a run.
struct Stopped {};

/// Stops the run before its file operation number `at`, and all operations after it.
class StopAt {
public:
    explicit StopAt(int at) {
        set_file_hook([this, at](std::string_view, const std::string&) {
            if (count_++ >= at) throw Stopped();
        });
    }
    ~StopAt() { set_file_hook({}); }
    int count() const { return count_; }

private:
    int count_ = 0;
};

}  // namespace fake
