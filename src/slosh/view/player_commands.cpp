// What viewers ask of the player, and what it tells them.
#include <fmt/format.h>

#include <algorithm>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/render/video.h"
#include "slosh/scene/load.h"
#include "slosh/view/film.h"
#include "slosh/view/player.h"
#include "slosh/view/stage.h"

namespace slosh::view {
namespace {

constexpr std::size_t kMostAsked = 256;  ///< Commands that wait; more are refused.
constexpr int kMostBad = 20;             ///< Bad messages of a viewer until it is sent away.

const char* separation_word(Separation s) {
    switch (s) {
        case Separation::Off:
            return "off";
        case Separation::Cell:
            return "cell";
        case Separation::Node:
            return "node";
        case Separation::Edge:
            return "edge";
    }
    return "off";
}

}  // namespace

// ---- from the server's thread ----

void Player::joined(int viewer) {
    const std::lock_guard lock(mutex_);
    viewers_[viewer] = 0;
    if (holder_ == 0) holder_ = viewer;
    for (const auto& [id, bad] : viewers_) send_role(id);
}

void Player::left(int viewer) {
    const std::lock_guard lock(mutex_);
    viewers_.erase(viewer);
    if (holder_ == viewer) {
        holder_ = viewers_.empty() ? 0 : viewers_.begin()->first;
        take_hands_off();
    }
    for (const auto& [id, bad] : viewers_) send_role(id);
}

/// Nobody's hands stay in the water when the controls go to somebody else.
void Player::take_hands_off() {
    Command release;
    release.what = Do::Release;
    queue_.push_back({0, release});
    something_.notify_one();
}

void Player::said(int viewer, std::string_view text) {
    Command command;
    try {
        command = parse_command(text);
    } catch (const InputError& e) {
        const std::lock_guard lock(mutex_);
        if (++viewers_[viewer] >= kMostBad) return server_->drop(viewer);
        return refuse(viewer, e.what());
    }
    const std::lock_guard lock(mutex_);
    if (command.what == Do::Take) {
        holder_ = viewer;
        for (const auto& [id, bad] : viewers_) send_role(id);
        take_hands_off();
        return;
    }
    if (viewer != holder_)
        return refuse(viewer, "another viewer holds the controls; take them first");
    if (command.of_hands() && !queue_.empty() && queue_.back().command.what == command.what)
        queue_.pop_back();  // only the newest counts
    if (queue_.size() >= kMostAsked) return refuse(viewer, "too much was asked at once");
    queue_.push_back({viewer, std::move(command)});
    something_.notify_one();
}

// ---- what viewers are told; any thread ----

void Player::send_role(int viewer) {
    server_->send(viewer, Slot::Role,
                  text_message(fmt::format(R"({{"type":"role","controls":{},"viewers":{}}})",
                                           viewer == holder_, viewers_.size())));
}

void Player::refuse(int viewer, const std::string& why) {
    server_->send(viewer, Slot::Note,
                  text_message(fmt::format(R"({{"type":"refused","why":{}}})", json_text(why))));
}

void Player::send_stage() {
    StageOptions stage;
    stage.run = run_;
    stage.live = !cached_;
    stage.sides = compare_ ? std::vector<std::string>{"sticky walls", "walls that let go"}
                           : std::vector<std::string>{""};
    if (!cached_) stage.tools = tools_of(sides_[0]->scene);
    server_->broadcast(Slot::Scene, binary_message(encode_stage(sides_[0]->scene, stage)));
}

void Player::send_state() {
    if (sides_.empty()) return;
    const Side& side = *sides_.back();
    const int first = cached_ ? 1 : side.timeline.first();
    const std::string state = fmt::format(
        R"({{"type":"state","run":{},"playing":{},"live":{},"frame":{},"first":{},"last":{},)"
        R"("total":{},"compare":{},"points":{},"separation":"{}","solver":{},"pace":{:.4g},)"
        R"("bytes":{},"video":{{"busy":{},"ready":{},"done":{},"of":{}}}}})",
        run_, playing_, !cached_, shown_, first, last(), std::max(side.scene.frames, last()),
        compare_, points_, separation_word(side.scene.step.separation),
        json_text(side.scene.step.solver), pace_, packed_bytes_.load(), film_busy_.load(),
        film_ready_.load(), film_done_.load(), film_of_.load());
    if (state == last_state_) return;
    last_state_ = state;
    server_->broadcast(Slot::State, text_message(state));
}

void Player::send_stats() {
    std::string list;
    for (const auto& side : sides_) list += (list.empty() ? "" : ",") + side->stats;
    server_->broadcast(Slot::Stats,
                       text_message(fmt::format(
                           R"({{"type":"stats","run":{},"pace":{:.4g},"bytes":{},"sides":[{}]}})",
                           run_, pace_, packed_bytes_.load(), list)));
}

// ---- the player's own thread ----

/// Does what was asked. True if there was anything.
bool Player::take_commands() {
    std::deque<Asked> asked;
    {
        const std::lock_guard lock(mutex_);
        asked.swap(queue_);
    }
    for (const Asked& a : asked) {
        try {
            obey(a.command);
        } catch (const InputError& e) {
            refuse(a.viewer, e.what());
        }
    }
    if (!asked.empty()) send_state();
    return !asked.empty();
}

/// Between two steps of a frame hands move on; whatever else was asked waits for the frame, unless
/// it makes an end of it.
bool Player::hands_between_steps() {
    std::deque<Asked> asked;
    bool on = !stop_();
    {
        const std::lock_guard lock(mutex_);
        while (!queue_.empty() && queue_.front().command.of_hands()) {
            asked.push_back(queue_.front());
            queue_.pop_front();
        }
        for (const Asked& a : queue_) switch (a.command.what) {
                case Do::Reset:
                case Do::Scene:
                case Do::Set:
                case Do::Compare:
                case Do::Seek:
                    on = false;
                    break;
                default:
                    break;
            }
    }
    for (const Asked& a : asked) obey_hands(a.command);
    return on;
}

void Player::obey(const Command& c) {
    if (c.of_hands()) return obey_hands(c);
    if (sides_.empty() && c.what != Do::Scene && c.what != Do::Reset)
        throw InputError("nothing is in view; choose a scene");
    switch (c.what) {
        case Do::Play:
            playing_ = !broken_;
            due_ = wall_seconds();
            break;
        case Do::Pause:
            playing_ = false;
            break;
        case Do::Step:
            playing_ = false;
            if (!broken_ && !(cached_ && shown_ >= last())) go_on();
            break;
        case Do::Reset:
            if (cached_)
                show(1);
            else
                open();
            break;
        case Do::Seek:
            playing_ = false;
            if (c.number > last() || !show(c.number))
                throw InputError(fmt::format("frame {} is not there (yet)", c.number));
            break;
        case Do::Scene:
            obey_scene(c.name);
            break;
        case Do::Set: {
            if (cached_) throw InputError("the frames of a directory are what they are");
            const std::map<std::string, std::string> before = set_;
            try {
                for (const auto& [key, value] : c.values) {
                    if (!is_parameter(sides_.at(0)->scene, key))
                        throw InputError("'" + key + "' is not for viewers to set");
                    set_[key] = value;
                }
                (void)load();
            } catch (const InputError&) {
                set_ = before;
                throw;
            }
            open();
            break;
        }
        case Do::Walls:
            obey_walls(c);
            break;
        case Do::Compare:
            if (c.on && (cached_ || sides_.at(0)->scene.tall || sides_.at(0)->scene.gas))
                throw InputError("only liquid on particles has walls to compare");
            compare_ = c.on;
            open();
            break;
        case Do::Points:
            points_ = c.on;
            // The newest frame is still at hand; older ones stay as they were sent.
            if (!broken_ && (cached_ || shown_ == computed()))
                for (std::size_t s = 0; s < sides_.size(); ++s)
                    pack(*sides_[s], int(s), shown_, true);
            break;
        case Do::Shake:
            for (const auto& side : sides_)
                if (side->live) side->live->shake();
            break;
        case Do::Video:
            start_film();
            break;
        default:
            break;
    }
}

/// Built-in scenes only: no viewer names a file.
void Player::obey_scene(const std::string& name) {
    bool known = false;
    for (const BuiltinScene& s : builtin_scenes()) {
        known = known || name == s.name;
        for (const std::string& v : s.variants) known = known || name == s.name + ":" + v;
    }
    if (!known) throw InputError("there is no built-in scene '" + name + "'");
    cached_.reset();
    name_ = name;
    overrides_.clear();
    set_.clear();
    playing_ = true;
    open();
}

void Player::obey_walls(const Command& c) {
    if (cached_) throw InputError("the walls of this run are what they are");
    if (compare_) throw InputError("both kinds of walls are in view");
    const auto before = set_;
    try {
        set_["separation"] = json_text(c.name);
        if (!sides_.at(0)->scene.tall) set_["solver"] = json_text(c.solver);
        const Scene scene = load();  // says what is wrong with the pair
        for (const auto& side : sides_) {
            side->scene.step = scene.step;
            if (side->live) side->live->set_walls(scene.step.separation, scene.step.solver);
        }
    } catch (const InputError&) {
        set_ = before;
        throw;
    }
}

void Player::obey_hands(const Command& c) {
    switch (c.what) {
        case Do::Drag:
            if (!sides_.empty() && std::size_t(c.number) < sides_[0]->scene.bodies.size())
                hands_.drag = Hands::Drag{c.number, c.at, c.vector};
            break;
        case Do::Pour:
            hands_.pour = Hands::Jet{c.at, c.vector, c.radius};
            break;
        case Do::Push:
            hands_.push = Hands::Jet{c.at, c.vector, c.radius};
            break;
        case Do::Tilt:
            hands_.tilt = c.vector;
            break;
        case Do::Release: {
            const Point<3> tilt = hands_.tilt;  // a tilted tank stays as it is
            hands_ = {};
            hands_.tilt = tilt;
            break;
        }
        default:
            break;
    }
}

/// On a thread of its own: a film takes as long as it takes, and the run goes on.
void Player::start_film() {
    if (film_busy_) throw InputError("a video is being made");
    if (!have_ffmpeg()) throw InputError("ffmpeg is not installed, so there is no video");
    if (film_.joinable()) film_.join();
    std::vector<MessagePtr> frames;
    if (cached_)
        for (int f = 1; f <= last(); ++f) {
            if (!sides_[0]->timeline.get(f)) {
                pack(*sides_[0], 0, f, false);
                sides_[0]->packing.get();
            }
            frames.push_back(sides_[0]->timeline.get(f));
        }
    else
        frames = sides_[0]->timeline.all();
    film_busy_ = true;
    film_ready_ = false;
    film_done_ = 0;
    film_of_ = int(frames.size());
    film_ = std::thread([this, frames = std::move(frames), scene = sides_[0]->scene] {
        try {
            std::string film = make_film(scene, frames, [this](int done) {
                film_done_ = done;
                return !film_stop_;
            });
            if (!film.empty()) {
                server_->offer("/video.mp4", "video/mp4", binary_message(std::move(film)));
                film_ready_ = true;
            }
        } catch (const std::exception& e) {
            server_->broadcast(
                Slot::Note,
                text_message(fmt::format(R"({{"type":"refused","why":{}}})", json_text(e.what()))));
        }
        film_busy_ = false;
    });
}

}  // namespace slosh::view
