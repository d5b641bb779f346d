// Runs what is watched: computes frames or reads them, keeps them, sends them, and does what the
// viewer who holds the controls asks for.
//
// Three threads meet here. The player's own, the caller of run(), owns the simulations and all that
// is not said otherwise. The server's thread brings in messages, which are checked there and then
// and put into a queue. A frame is packed for the wire on a third while the next one is computed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "slosh/scene/scene.h"
#include "slosh/view/cached.h"
#include "slosh/view/commands.h"
#include "slosh/view/live.h"
#include "slosh/view/server.h"
#include "slosh/view/timeline.h"

namespace slosh::view {

struct PlayerOptions {
    std::string scene;                             ///< Name or file of a scene; or
    std::string directory;                         ///< that of a run.
    std::vector<std::string> overrides;            ///< key=value, laid over the scene.
    bool paused = false;                           ///< Wait for a viewer to press play.
    std::size_t history = std::size_t(256) << 20;  ///< Frames that are kept, each side. Bytes
    /// Cells along the longest side of 3D scenes without tall cells, if they ask for more and
    /// nobody asked for a resolution: a scene for a film is no fun to touch.
    int resolution = 40;
};

class Player {
public:
    /// Reads the scene, so that what is wrong with it is an InputError here.
    explicit Player(PlayerOptions options);

    // From the server's thread.
    void joined(int viewer);
    void left(int viewer);
    void said(int viewer, std::string_view text);

    /// Who brings the messages; before its start.
    void attach(Server& server) { server_ = &server; }

    /// Goes on until `stop` says so. What happens in a run that fails is told to viewers and to
    /// `complain`; the player waits for a better idea.
    void run(const std::function<bool()>& stop,
             const std::function<void(const std::string&)>& complain);

private:
    /// One of the runs in view.
    struct Side {
        explicit Side(std::size_t bytes) : timeline(bytes) {}
        Scene scene;
        std::unique_ptr<LiveRun> live;  // none: cached, or not begun
        int computed = 0;
        int packed = 0;  // the last frame that was
        Timeline timeline;
        std::future<void> packing;
        std::string stats;  // of the newest frame
    };

    Scene load() const;
    template <class Work>
    void guarded(const Work& work);
    void open();
    void open_sides();
    void send_stage();
    void send_state();
    void send_stats();
    void send_role(int viewer);
    void refuse(int viewer, const std::string& why);

    void take_hands_off();
    bool take_commands();
    void obey(const Command& command);
    void obey_scene(const std::string& name);
    void obey_walls(const Command& command);
    void obey_hands(const Command& command);
    bool hands_between_steps();
    void start_film();

    void go_on();
    bool compute(int frame);
    bool may_skip(const Side& side) const;
    void pack(Side& side, int index, int frame, bool send);
    void pack_skipped();
    bool show(int frame);
    int computed() const;
    int last() const;
    void wait_until_due();
    void failed(const std::string& line);

    PlayerOptions options_;
    Server* server_ = nullptr;
    std::function<bool()> stop_;
    std::function<void(const std::string&)> complain_;

    std::string name_;                        // of the scene in view
    std::vector<std::string> overrides_;      // laid over it
    std::map<std::string, std::string> set_;  // and these, by viewers
    std::unique_ptr<CachedRun> cached_;
    std::vector<std::unique_ptr<Side>> sides_;
    int run_ = 0, shown_ = 0;
    bool playing_ = true, compare_ = false, points_ = false, broken_ = false;
    double due_ = 0;   // when the next frame may be shown; wall clock, s
    double pace_ = 0;  // simulated seconds per second of wall clock, lately
    std::string last_state_;
    Hands hands_;

    struct Asked {
        int viewer;
        Command command;
    };
    mutable std::mutex mutex_;  // of what follows
    std::condition_variable something_;
    std::deque<Asked> queue_;
    std::map<int, int> viewers_;  // and how many bad messages each has sent
    int holder_ = 0;              // of the controls; 0: nobody

    std::thread film_;
    std::atomic<int> film_done_{0}, film_of_{0};
    std::atomic<bool> film_stop_{false}, film_busy_{false}, film_ready_{false};
    std::atomic<std::size_t> packed_bytes_{0};
};

}  // namespace slosh::view
