// The player's loop: which frame comes next, and where from.
#include "slosh/view/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/cache/stats.h"
#include "slosh/scene/load.h"
#include "slosh/view/stage.h"

namespace slosh::view {
namespace {

using namespace std::chrono_literals;

/// Viewers are told of a run that grows on disk this often. s
constexpr auto kLook = 200ms;
/// Frames that a run may be late and still catch up.
constexpr double kCatchUp = 15;
/// A run of at least this pace that is late leaves out every second frame: it is as good as in
/// time, and frames cost it a fifth of its time. A slower one is not in time without them either.
constexpr double kSkipPace = 0.6;
/// Frames that a run is late by when it leaves out two of three.
constexpr double kVeryLate = 3;

bool sets(const std::vector<std::string>& overrides, const std::string& key) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const std::string& o) { return o.rfind(key + "=", 0) == 0; });
}

/// One line, however it came.
std::string words_of(const std::exception& e) {
    const std::string line = e.what();
    return line.substr(0, line.find('\n'));
}

}  // namespace

Player::Player(PlayerOptions options)
    : options_(std::move(options)), name_(options_.scene), overrides_(options_.overrides) {
    playing_ = !options_.paused;
    if (!options_.directory.empty())
        cached_ = std::make_unique<CachedRun>(options_.directory);
    else
        (void)load();
}

/// The scene in view, small enough to be touched unless somebody asked for more.
Scene Player::load() const {
    if (cached_) return cached_->scene();
    std::vector<std::string> all = overrides_;
    for (const auto& [key, value] : set_) all.push_back(key + "=" + value);
    Scene scene = load_scene(name_, all);
    if (scene.dim == 3 && !scene.tall && scene.resolution > options_.resolution &&
        !sets(all, "resolution") && !sets(all, "cells")) {
        all.push_back(fmt::format("resolution={}", options_.resolution));
        scene = load_scene(name_, all);
    }
    return scene;
}

void Player::run(const std::function<bool()>& stop,
                 const std::function<void(const std::string&)>& complain) {
    stop_ = stop;
    complain_ = complain;
    server_->broadcast(Slot::Scenes, text_message(fmt::format(R"({{"type":"scenes","scenes":{}}})",
                                                              scenes_json())));
    open();
    while (!stop_()) {
        if (take_commands()) continue;
        const bool at_end = !sides_.empty() && !sides_[0]->live && shown_ >= last();
        if (playing_ && !broken_ && !at_end) {
            go_on();
            continue;
        }
        guarded([&] { pack_skipped(); });  // tells of what has grown on disk, too, and of a film
        std::unique_lock lock(mutex_);
        something_.wait_for(lock, kLook, [&] { return !queue_.empty(); });
    }
    for (const auto& side : sides_)
        if (side->packing.valid()) side->packing.wait();
    film_stop_ = true;
    if (film_.joinable()) film_.join();
}

/// A run that fails ends itself, not the page.
template <class Work>
void Player::guarded(const Work& work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        failed("out of memory; a lower resolution needs less");
    } catch (const std::exception& e) {
        failed(words_of(e));
    }
    send_state();
}

/// Begins anew with the scene in view.
void Player::open() {
    guarded([&] { open_sides(); });
}

void Player::open_sides() {
    for (const auto& side : sides_)
        if (side->packing.valid()) side->packing.wait();
    sides_.clear();
    broken_ = false;
    hands_ = {};
    shown_ = 0;
    pace_ = 0;
    ++run_;
    server_->broadcast(Slot::Error, nullptr);
    server_->broadcast(Slot::Left, nullptr);
    server_->broadcast(Slot::Right, nullptr);
    server_->broadcast(Slot::Stats, nullptr);
    const Scene scene = load();
    if (scene.tall || scene.gas || cached_) compare_ = false;
    for (int s = 0; s < (compare_ ? 2 : 1); ++s) {
        sides_.push_back(std::make_unique<Side>(options_.history));
        Side& side = *sides_.back();
        side.scene = scene;
        if (!compare_) continue;
        // Sticky walls on the left, separating ones on the right.
        const bool sticky = scene.step.separation == Separation::Off;
        if ((s == 0) != sticky) {
            side.scene.step.separation = s == 0 ? Separation::Off : Separation::Cell;
            side.scene.step.solver = "auto";
        }
    }
    send_stage();
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        Side& side = *sides_[s];
        if (!cached_) side.live = start_live_run(side.scene);
        side.computed = 1;
        pack(side, int(s), 1, true);
    }
    shown_ = 1;
    due_ = wall_seconds() + 1 / sides_[0]->scene.fps;
}

/// The last frame that there is of every side.
int Player::computed() const {
    int least = sides_.empty() ? 0 : 1 << 30;
    for (const auto& side : sides_) least = std::min(least, side->computed);
    return least;
}

int Player::last() const {
    return cached_ ? cached_->frames() : computed();
}

/// The next frame: a kept one if there is, else a new one.
void Player::go_on() {
    const int next = shown_ + 1;
    guarded([&] {
        if (cached_ || next <= computed()) {
            // Of what was kept the oldest may be gone: then on with the first that is there.
            if (!show(next)) shown_ = std::max(shown_, sides_[0]->timeline.first() - 1);
        } else {
            if (!compute(next)) return;
            shown_ = next;
        }
        wait_until_due();
    });
}

/// False if something else came up; what was computed so far is kept.
bool Player::compute(int frame) {
    const double started = wall_seconds();
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        Side& side = *sides_[s];
        if (!side.live || side.computed >= frame) continue;
        std::vector<StepReport> steps;
        const bool whole = side.live->advance(
            [&] {
                const bool on = hands_between_steps();
                side.live->hands = hands_;
                return on;
            },
            steps);
        if (!whole) return false;
        side.computed = frame;
        std::string lines;
        for (const StepReport& r : steps)
            lines += (lines.empty() ? "" : ",") + stats_line(r, frame, 0);
        std::string history;
        if (!steps.empty())
            for (const double r : steps.back().pressure.history)
                history += fmt::format("{}{:.4g}", history.empty() ? "" : ",", r);
        side.stats = fmt::format(R"({{"frame":{},"wall":{:.4g},"steps":[{}],"history":[{}]}})",
                                 frame, wall_seconds() - started, lines, history);
        if (!may_skip(side)) {
            pack(side, int(s), frame, true);
        } else {
            if (side.packing.valid()) side.packing.get();
            side.timeline.repeat(frame);
        }
    }
    const double took = wall_seconds() - started;
    const double now = took > 0 ? 1 / (sides_[0]->scene.fps * took) : 0;
    pace_ = pace_ > 0 ? 0.9 * pace_ + 0.1 * now : now;
    send_stats();
    return true;
}

/// Whether the frame just computed need not be shown, for the run to keep up with the clock.
bool Player::may_skip(const Side& side) const {
    const double late = (wall_seconds() - due_) * side.scene.fps;  // frames
    const int most = late > kVeryLate ? 2 : late > 1 ? 1 : 0;      // in a row
    return playing_ && pace_ > kSkipPace && side.computed - side.packed <= most;
}

/// Nobody is to look at an older frame than the one a run stands at.
void Player::pack_skipped() {
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        Side& side = *sides_[s];
        if (side.live && side.packed < side.computed)
            pack(side, int(s), side.computed, shown_ == side.computed);
    }
}

/// Takes the frame out of the simulation, and makes its bytes while the next one is computed.
void Player::pack(Side& side, int index, int frame, bool send) {
    if (side.packing.valid()) side.packing.get();
    side.packed = frame;
    ShownFrame shown = cached_ ? cached_->frame(frame, points_) : side.live->shown(points_);
    shown.number = frame;
    side.packing = std::async(
        std::launch::async, [this, &side, index, frame, send, run = run_,
                             room = room_of(side.scene), shown = std::move(shown)]() mutable {
            if (shown.make_surface) shown.surface = shown.make_surface();
            MessagePtr bytes = binary_message(encode_frame(shown, room, run, index));
            packed_bytes_ = bytes->bytes.size();
            if (send) server_->broadcast(index == 0 ? Slot::Left : Slot::Right, bytes);
            side.timeline.put(frame, std::move(bytes));
        });
}

/// Sends a frame that is kept, or that a directory holds. False if there is none such.
bool Player::show(int frame) {
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        Side& side = *sides_[s];
        // What is being packed is sent when it is done: after this one, if that were sent at once.
        if (side.packing.valid()) side.packing.get();
        MessagePtr message = side.timeline.get(frame);
        if (!message && cached_) {
            pack(side, int(s), frame, false);
            side.packing.get();
            message = side.timeline.get(frame);
        }
        if (!message) return false;
        server_->broadcast(s == 0 ? Slot::Left : Slot::Right, message);
    }
    shown_ = frame;
    return true;
}

/// No faster than life. A little lateness is made up for, more is forgotten.
void Player::wait_until_due() {
    const double frame = 1 / sides_[0]->scene.fps;
    const double now = wall_seconds();
    if (due_ > now) {
        std::unique_lock lock(mutex_);
        something_.wait_for(lock, std::chrono::duration<double>(due_ - now),
                            [&] { return !queue_.empty() && !queue_.front().command.of_hands(); });
    }
    due_ = std::max(due_, now - kCatchUp * frame) + frame;
}

void Player::failed(const std::string& line) {
    broken_ = true;
    playing_ = false;
    complain_(line);
    server_->broadcast(Slot::Error, text_message(fmt::format(R"({{"type":"error","text":{}}})",
                                                             json_text("slosh: " + line))));
}

}  // namespace slosh::view
