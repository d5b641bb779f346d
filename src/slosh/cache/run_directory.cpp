#include "slosh/cache/run_directory.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/stats.h"
#include "slosh/cache/vtk.h"

namespace slosh {

namespace fs = std::filesystem;

namespace {

/// Folders that hold one file a frame.
constexpr const char* kFolders[] = {"surface", "particles", "volumes", "paraview",
                                    "bodies",  "probes",    "maps"};
/// Everything else a run writes at the top of its directory.
constexpr const char* kTopFiles[] = {"manifest.json", "scene.json",  "stats.jsonl",
                                     "slosh.pvd",     "checkpoints", "preview.mp4"};

constexpr const char* kWayOut = "choose another directory with -o, or delete this one";

/// The parts of "stem.0001.extension".
struct FrameName {
    std::string stem, extension;
    int frame = 0;
};

std::optional<FrameName> parse_name(const std::string& name) {
    const std::size_t end = name.rfind('.');
    if (end == std::string::npos || end == 0) return {};
    const std::size_t start = name.rfind('.', end - 1);
    if (start == std::string::npos) return {};
    FrameName parts{name.substr(0, start), name.substr(end + 1), 0};
    const char *first = name.data() + start + 1, *last = name.data() + end;
    const auto [rest, failure] = std::from_chars(first, last, parts.frame);
    if (failure != std::errc() || rest != last || last - first < 4) return {};
    return parts;
}

/// Whether slosh writes files of this name in a folder; others are the user's and left alone.
bool is_ours(const std::string& folder, const FrameName& name) {
    if (folder == "paraview") return name.extension == "vtp" || name.extension == "vti";
    for (const char* extension : {"ply", "vdb", "json", "csv", "pfm"})
        if (name.extension == extension) return name.stem == folder;
    return false;
}

/// Name of the first thing in a directory that a run would write, or nothing.
std::optional<std::string> trace_of_run(const std::string& directory) {
    for (const char* name : kTopFiles)
        if (fs::exists(directory + "/" + name)) return name;
    for (const char* name : kFolders)
        if (fs::exists(directory + "/" + name)) return name;
    return {};
}

std::optional<Manifest> try_manifest(const std::string& directory) {
    try {
        return read_manifest(directory);
    } catch (const InputError&) {
        return {};
    }
}

/// A checkpoint that is whole, or nothing.
std::optional<CheckpointInfo> try_checkpoint(const std::string& path) {
    try {
        return check_checkpoint(path);
    } catch (const InputError&) {
        return {};
    }
}

void refuse_other_scene(const std::string& directory, const std::string& scene, std::uint64_t found,
                        std::uint64_t wanted) {
    if (found == wanted) return;
    throw InputError(fmt::format(
        "{} holds a run of another scene or of this one before it was changed ('{}', hash {:016x}; "
        "now {:016x}); undo the change to resume, {}",
        directory, scene, found, wanted, kWayOut));
}

}  // namespace

std::string checkpoint_path(const std::string& directory, int frame) {
    return fmt::format("{}/checkpoints/checkpoint.{:04d}.ckpt", directory, frame);
}

std::set<int> checkpoint_frames(const std::string& directory) {
    std::set<int> frames;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory + "/checkpoints", failure)) {
        const auto name = parse_name(entry.path().filename().string());
        if (name && name->stem == "checkpoint" && name->extension == "ckpt")
            frames.insert(name->frame);
    }
    return frames;
}

std::string RunDirectory::checkpoint_file(int frame) const {
    return checkpoint_path(path_, frame);
}

RunDirectory RunDirectory::open_new(const std::string& directory, const Manifest& about,
                                    const std::string& scene_json, const CheckpointPolicy& policy) {
    throw_if_in_use(directory);
    if (const auto trace = trace_of_run(directory)) {
        const auto found = try_manifest(directory);
        if (!found)
            throw InputError(fmt::format("{} holds files that this run did not write ({}); {}",
                                         directory, *trace, kWayOut));
        refuse_other_scene(directory, found->scene, found->scene_hash, about.scene_hash);
        throw InputError(
            fmt::format("{} already holds a run of this scene ({} frames); go on with "
                        "--resume, {}",
                        directory, found->frames, kWayOut));
    }
    RunDirectory run;
    run.start(directory, about, scene_json, policy);
    return run;
}

RunDirectory RunDirectory::open_resume(const std::string& directory, const Manifest& about,
                                       const std::string& scene_json,
                                       const CheckpointPolicy& policy) {
    const auto trace = trace_of_run(directory);
    if (!trace) return open_new(directory, about, scene_json, policy);

    RunDirectory run;
    run.path_ = directory;
    run.manifest_ = about;
    run.policy_ = policy;
    run.lock_ = std::make_unique<DirectoryLock>(directory);

    // A manifest that cannot be read is no reason to lose a run: checkpoints name the scene too.
    const auto found = try_manifest(directory);
    const std::set<int> frames = checkpoint_frames(directory);
    if (found)
        refuse_other_scene(directory, found->scene, found->scene_hash, about.scene_hash);
    else if (frames.empty())
        throw InputError(fmt::format("{} holds files ({}) but no run to resume; {}", directory,
                                     *trace, kWayOut));

    const int newest = run.newest_checkpoint();
    if (newest == 0 && (!frames.empty() || found->frames > 1))
        throw InputError(
            fmt::format("{} has no whole checkpoint of this scene left to resume from; "
                        "{} and start again",
                        directory, kWayOut));

    remove_temporaries(directory);
    remove_temporaries(directory + "/checkpoints");
    for (const char* folder : kFolders) remove_temporaries(directory + "/" + folder);
    run.take_back_after(newest);
    const std::string scene_file = directory + "/scene.json";
    if (!fs::exists(scene_file) || read_file(scene_file) != scene_json)
        write_file(scene_file, scene_json);  // same hash: only the end or a comment differs
    return run;
}

void RunDirectory::start(const std::string& directory, const Manifest& about,
                         const std::string& scene_json, const CheckpointPolicy& policy) {
    path_ = directory;
    manifest_ = about;
    manifest_.frames = 0;
    manifest_.files.clear();
    policy_ = policy;
    make_directory(directory);
    lock_ = std::make_unique<DirectoryLock>(directory);
    // Between the look and the lock another run may have begun here.
    if (trace_of_run(directory))
        throw InputError(
            fmt::format("{} already holds a run; go on with --resume, {}", directory, kWayOut));
    remove_temporaries(directory);
    write_file(path_ + "/manifest.json", to_json(manifest_));
    write_file(path_ + "/scene.json", scene_json);
}

int RunDirectory::newest_checkpoint() const {
    const std::set<int> frames = checkpoint_frames(path_);
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
        const auto info = try_checkpoint(checkpoint_file(*f));
        if (info && info->frame == *f && info->scene_hash == manifest_.scene_hash &&
            info->dim == manifest_.dim)
            return *f;
    }
    return 0;
}

void RunDirectory::take_back_after(int frame) {
    // Checkpoints first: once the newer, damaged ones are gone, `frame` is the newest for good.
    for (const int f : checkpoint_frames(path_))
        if (f > frame) remove_file(checkpoint_file(f));

    const std::string stats = path_ + "/stats.jsonl";
    if (fs::exists(stats)) {
        const std::string text = read_file(stats);
        const std::size_t kept = stats_bytes_up_to(text, frame);
        if (kept < text.size()) truncate_file(stats, kept);
    }

    // The index before the files, so that it never names a file that is gone.
    std::map<std::string, std::set<int>> newer = scan();
    files_ = newer;
    for (auto& [pattern, frames] : files_) frames.erase(frames.upper_bound(frame), frames.end());
    std::erase_if(files_, [](const auto& series) { return series.second.empty(); });
    manifest_.frames = frame;
    write_index();
    for (const auto& [pattern, frames] : newer)
        for (auto f = frames.upper_bound(frame); f != frames.end(); ++f)
            remove_file(path_ + "/" + frame_file(pattern, *f));
    prune_checkpoints(frame);
}

/// All data files on disk, by pattern.
std::map<std::string, std::set<int>> RunDirectory::scan() const {
    std::map<std::string, std::set<int>> found;
    for (const std::string folder : kFolders) {
        std::error_code failure;
        for (const auto& entry : fs::directory_iterator(path_ + "/" + folder, failure))
            if (const auto name = parse_name(entry.path().filename().string());
                name && is_ours(folder, *name))
                found[folder + "/" + name->stem + ".%04d." + name->extension].insert(name->frame);
    }
    return found;
}

template <int D>
LiquidState<D> RunDirectory::load_state() const {
    SLOSH_EXPECT(done() > 0);
    return load_checkpoint<D>(checkpoint_file(done()));
}

void RunDirectory::add_stats(const StepReport& report, int frame, std::size_t substep) {
    stats_ += stats_line(report, frame, substep) + "\n";
}

void RunDirectory::write_stats() {
    append_file(path_ + "/stats.jsonl", stats_);
    stats_.clear();
}

std::string RunDirectory::data_file(int frame, const std::string& folder, const std::string& stem,
                                    const std::string& extension) {
    if (!fs::exists(path_ + "/" + folder)) make_directory(path_ + "/" + folder);
    const std::string pattern = folder + "/" + stem + ".%04d." + extension;
    files_[pattern].insert(frame);
    return path_ + "/" + frame_file(pattern, frame);
}

void RunDirectory::publish(int frame) {
    manifest_.frames = frame;
    write_index();
}

void RunDirectory::write_index() {
    manifest_.files.clear();
    std::vector<std::pair<double, std::string>> shown;
    for (const auto& [pattern, frames] : files_) {
        manifest_.files.push_back(
            {pattern, *frames.begin(), *frames.rbegin(), static_cast<int>(frames.size())});
        if (pattern.ends_with(".vtp") || pattern.ends_with(".vti"))
            for (const int f : frames)
                shown.emplace_back(manifest_.time_of(f), frame_file(pattern, f));
    }
    write_file(path_ + "/manifest.json", to_json(manifest_));
    const std::string pvd = path_ + "/slosh.pvd";
    if (!shown.empty())
        write_pvd(pvd, shown);
    else if (fs::exists(pvd))
        remove_file(pvd);
}

bool RunDirectory::checkpoint_due(int frame) const {
    return (frame - 1) % policy_.every == 0 || frame == policy_.last_frame;
}

template <int D>
std::size_t RunDirectory::write_checkpoint(int frame, const LiquidState<D>& state) {
    if (!fs::exists(path_ + "/checkpoints")) make_directory(path_ + "/checkpoints");
    const std::size_t bytes =
        save_checkpoint(checkpoint_file(frame), state, frame, manifest_.scene_hash);
    prune_checkpoints(frame);
    return bytes;
}

/// Keeps the newest checkpoint and one before it, for the case that the newest is damaged. The
/// second is chosen by the schedule and not by age: then a run that was interrupted, and so has a
/// checkpoint out of turn, ends with the same files as one that was not.
void RunDirectory::prune_checkpoints(int newest) {
    const std::set<int> frames = checkpoint_frames(path_);
    int second = 0;
    for (const int f : frames)
        if (f < newest && (f - 1) % policy_.every == 0) second = f;
    if (second == 0)
        for (const int f : frames)
            if (f < newest) second = f;
    for (const int f : frames)
        if (f != newest && f != second) remove_file(checkpoint_file(f));
}

#define SLOSH_INSTANTIATE(D)                                     \
    template LiquidState<D> RunDirectory::load_state<D>() const; \
    template std::size_t RunDirectory::write_checkpoint<D>(int, const LiquidState<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
