// The frames that were computed and are kept, ready to be sent again.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "slosh/view/server.h"

namespace slosh::view {

/// Any thread may call.
class Timeline {
public:
    /// Keeps at most so many bytes; the oldest frames go first.
    explicit Timeline(std::size_t most_bytes) : most_(most_bytes) {}

    void put(int frame, MessagePtr message) {
        const std::lock_guard lock(mutex_);
        Kept& place = frames_[frame];
        bytes_ += message->bytes.size() - place.bytes;
        place = {message, message->bytes.size()};
        while (bytes_ > most_ && frames_.size() > 1) {
            bytes_ -= frames_.begin()->second.bytes;
            frames_.erase(frames_.begin());
        }
    }
    /// Shows the newest frame at this one's place too: it was not packed.
    void repeat(int frame) {
        const std::lock_guard lock(mutex_);
        if (!frames_.empty() && frames_.rbegin()->first < frame)
            frames_[frame] = {frames_.rbegin()->second.message, 0};
    }
    MessagePtr get(int frame) const {
        const std::lock_guard lock(mutex_);
        const auto found = frames_.find(frame);
        return found == frames_.end() ? nullptr : found->second.message;
    }
    std::vector<MessagePtr> all() const {
        const std::lock_guard lock(mutex_);
        std::vector<MessagePtr> list;
        for (const auto& [frame, kept] : frames_) list.push_back(kept.message);
        return list;
    }
    int first() const {
        const std::lock_guard lock(mutex_);
        return frames_.empty() ? 0 : frames_.begin()->first;
    }
    int last() const {
        const std::lock_guard lock(mutex_);
        return frames_.empty() ? 0 : frames_.rbegin()->first;
    }

private:
    struct Kept {
        MessagePtr message;
        std::size_t bytes = 0;  ///< That count for it.
    };
    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<int, Kept> frames_;
    std::size_t bytes_ = 0;
};

}  // namespace slosh::view
