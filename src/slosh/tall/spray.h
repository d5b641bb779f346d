// What the grid is too coarse for: spray, mist and foam as particles, foam and wetness as maps
// [CM11, sec. 3.9.3 and 4].
//
// Trial particles start in cells just under the surface and move with the water. Where one ends
// further outside the new level set than twice the depth it came from, water has been torn off: it
// becomes spray there. Spray and mist fly, mist slowed by the air; spray that falls back is foam on
// the surface, as a particle or on the map. None of it acts on the water.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/tall/water.h"

namespace slosh::tall {

enum class Drop : unsigned char { Spray, Mist, Foam };

struct SprayOptions {
    bool on = true;
    double least_speed = 0.7;  ///< Of water that is tried, in cells a step; slower is never torn.
    int trials = 4;            ///< A cell under a fast surface.
    int children = 3;          ///< Drops from a trial that is torn off.
    double mist_share = 0.25;  ///< Of these that become mist.
    double foam_share = 0.5;   ///< Of spray that falls into water, as foam particles.
    double mist_drag = 3;      ///< 1/s
    double life = 6;           ///< Of mist and foam. s
    double foam_time = 4;      ///< In which the foam map fades by e. s
    double dry_time = 20;      ///< In which wet ground dries by e. s
    std::size_t most = 40000;  ///< Drops; none are made beyond.
};

class Spray {
public:
    explicit Spray(const SprayOptions& options = {}) : options_(options) {}

    /// Before a step of the water: trials.
    void seed(const Water& water, double dt);
    /// After it: new drops, motion, maps.
    void advance(const Water& water, double dt);

    std::size_t size() const { return kind.size(); }
    std::vector<Point<3>> position, velocity;  ///< In the water's domain. m, m/s
    std::vector<Drop> kind;
    std::vector<float> age;  ///< s
    std::vector<std::uint32_t> id;

    /// By column, x fastest: foam on the water, and how wet the ground is; 0 ... 1.
    const std::vector<float>& foam_map() const { return foam_; }
    const std::vector<float>& wet_map() const { return wet_; }

private:
    struct Trial {
        Point<3> at, velocity;
        float radius;
    };
    void emit(const Water& water);
    void fly(const Water& water, double dt);
    void fade(const Water& water, double dt);

    SprayOptions options_;
    std::vector<Trial> trials_;
    std::vector<float> foam_, foam_room_, wet_;
    std::uint32_t next_id_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace slosh::tall
