#include "slosh/particles/move.h"

#include <cmath>

#include "slosh/base/error.h"
#include "slosh/grid/interpolate.h"
#include "slosh/particles/lanes.h"
#include "slosh/particles/obstacle.h"
#include "slosh/particles/row_tile.h"

namespace slosh {

namespace {

constexpr int kHalo = 3;
/// The FLIP difference is read where the particle starts: in its block, or as far outside as a
/// displacement before the move may have put it (less than a cell).
constexpr int kStartHalo = 2;
template <int D>
using WideTile = RowTile<D, kHalo>;
template <int D>
using NarrowTile = RowTile<D, kStartHalo>;

/// What the move of one block needs; `velocities` is off when only positions change.
struct Plan {
    float dt = 0;  ///< Cells per (m/s).
    int order = 2;
    bool velocities = true;
    Transfer transfer = Transfer::Apic;
    float blend = 0;
    float affine_keep = 1;
};

/// Offset along d that turns positions within a block into places of component `axis` in a tile.
template <int D>
constexpr float face_shift(int axis, int d) {
    return static_cast<float>(WideTile<D>::halo(d)) - (d == axis ? 0.0f : 0.5f);
}

/// Moves the particles of one block, eight at a time.
template <int D>
class BlockMover {
public:
    BlockMover(const Plan& plan, const FaceField<float, D>& velocity,
               const FaceField<float, D>* old_velocity, const SolidMap<D>& map,
               const ExactSolids<D>* exact, Particles<D>& particles)
        : plan_(plan),
          velocity_(velocity),
          old_velocity_(old_velocity),
          map_(map),
          exact_(exact),
          particles_(particles),
          anywhere_(velocity),
          walker_(map.solid()) {}

    MoveReport move(const Index<D>& block, std::size_t begin, std::size_t end);

private:
    /// Lanes whose 2^D faces of every component, and nodes, lie in the wide tiles.
    static Ints in_tile(const Floats (&x)[D]);
    /// The velocity at positions within the block; lanes that left the tile are looked up singly.
    void velocity_at(const Floats (&x)[D], int active, Floats (&u)[D]);
    void gather(std::size_t i, int n, const Floats (&x)[D], Floats (&u)[D]);
    void carry(const Floats (&x)[D], const Floats (&u)[D], int active, Floats (&way)[D]);
    /// Lanes (of the active ones) whose straight way needs the walker.
    int blocked(const Floats (&x)[D], const Floats (&way)[D], Floats way_length, int active) const;
    void load(const Index<D>& block);

    Plan plan_;
    const FaceField<float, D>& velocity_;
    const FaceField<float, D>* old_velocity_;
    const SolidMap<D>& map_;
    const ExactSolids<D>* exact_;
    Particles<D>& particles_;
    VelocitySampler<D> anywhere_;
    SolidWalker<D> walker_;

    Point<D> origin_;
    bool near_solid_ = false;  // in this block or a neighbour
    bool in_reach_ = false;    // in the tile
    WideTile<D> u_[D];
    WideTile<D> phi_;
    NarrowTile<D> old_[D];
};

template <int D>
Ints BlockMover<D>::in_tile(const Floats (&x)[D]) {
    // Faces reach from 1/2 - halo (centred axes) to 7 + halo (own axis); stay clear of rounding.
    const Floats lo = all_lanes(0.51f - kHalo), hi = all_lanes(kSide - 1 + kHalo - 0.01f);
    Ints in = (x[0] >= lo) & (x[0] <= hi);
    for (int d = 1; d < D; ++d) in &= (x[d] >= lo) & (x[d] <= hi);
    return in;
}

template <int D>
void BlockMover<D>::velocity_at(const Floats (&x)[D], int active, Floats (&u)[D]) {
    const Ints in = in_tile(x);
    Floats safe[D];
    for (int d = 0; d < D; ++d) safe[d] = choose(in, x[d], Floats{});
    for (int axis = 0; axis < D; ++axis) {
        Floats at[D];
        for (int d = 0; d < D; ++d) at[d] = safe[d] + face_shift<D>(axis, d);
        u[axis] = sample_value<D, WideTile<D>>(u_[axis].v, at);
    }
    for (int left = active & ~bits(in), lane = 0; left >> lane; ++lane) {
        if (!(left >> lane & 1)) continue;
        Point<D> g = origin_;
        for (int d = 0; d < D; ++d) g[d] += x[d][lane];
        const Point<D> v = anywhere_(g);
        for (int d = 0; d < D; ++d) u[d][lane] = static_cast<float>(v[d]);
    }
}

template <int D>
void BlockMover<D>::gather(std::size_t i, int n, const Floats (&x)[D], Floats (&u)[D]) {
    const bool affine = plan_.velocities && plan_.transfer == Transfer::Apic;
    for (int axis = 0; axis < D; ++axis) {
        Floats at[D];
        for (int d = 0; d < D; ++d) at[d] = x[d] + face_shift<D>(axis, d);
        if (affine) {
            const auto s = sample_gradient<D, WideTile<D>>(u_[axis].v, at);
            u[axis] = s.value;
            for (int d = 0; d < D; ++d)
                store_lanes(particles_.c[axis][d].data() + i, plan_.affine_keep * s.gradient[d], n);
        } else {
            u[axis] = sample_value<D, WideTile<D>>(u_[axis].v, at);
        }
        if (!plan_.velocities) continue;
        Floats v = u[axis];
        if (plan_.transfer == Transfer::Flip) {
            // Exactly the same fractions as above, so that equal grids cancel.
            for (int d = 1; d < D; ++d) at[d] -= static_cast<float>(kHalo - kStartHalo);
            const Floats old = sample_value<D, NarrowTile<D>>(old_[axis].v, at);
            v += plan_.blend * (load_lanes(particles_.v[axis].data() + i, n) - old);
        }
        store_lanes(particles_.v[axis].data() + i, v, n);
    }
}

template <int D>
void BlockMover<D>::carry(const Floats (&x)[D], const Floats (&u)[D], int active,
                          Floats (&way)[D]) {
    const float dt = plan_.dt;
    for (int d = 0; d < D; ++d) way[d] = dt * u[d];
    if (plan_.order == 1) return;
    Floats at[D], k2[D];
    for (int d = 0; d < D; ++d) at[d] = x[d] + 0.5f * dt * u[d];
    velocity_at(at, active, k2);
    for (int d = 0; d < D; ++d) way[d] = dt * k2[d];
    if (plan_.order == 2) return;
    Floats k3[D];
    for (int d = 0; d < D; ++d) at[d] = x[d] + 0.75f * dt * k2[d];
    velocity_at(at, active, k3);
    for (int d = 0; d < D; ++d) way[d] = (dt / 9) * (2.0f * u[d] + 3.0f * k2[d] + 4.0f * k3[d]);
}

template <int D>
int BlockMover<D>::blocked(const Floats (&x)[D], const Floats (&way)[D], Floats way_length,
                           int active) const {
    // Ways that end within the neighbour blocks: the only ones the quick answers below hold for.
    const int brief = bits(way_length <= static_cast<float>(kSide - 1));
    if (!near_solid_) return active & ~brief;
    // phi is a distance, so its interpolant falls by at most sqrt(D) per cell.
    Floats here[D];
    for (int d = 0; d < D; ++d) here[d] = x[d] + static_cast<float>(WideTile<D>::halo(d));
    const Floats fall = way_length * std::sqrt(static_cast<float>(D));
    const Ints far = sample_value<D, WideTile<D>>(phi_.v, here) >= fall + kSolidMargin;
    active &= ~(brief & bits(far));
    if (active == 0) return 0;
    Floats end[D];
    for (int d = 0; d < D; ++d) end[d] = x[d] + way[d];
    const Ints in = in_tile(end);
    if (!in_reach_) return active & ~bits(in);
    // The tile is convex and holds the start, so it holds every point in between.
    const Floats inside_length = choose(in, way_length, Floats{});
    const int steps = std::max(1, static_cast<int>(std::ceil(largest(inside_length) / kSolidGap)));
    Floats lowest = all_lanes(1e30f);
    for (int k = 1; k <= steps; ++k) {
        Floats at[D];
        const float part = static_cast<float>(k) / static_cast<float>(steps);
        for (int d = 0; d < D; ++d)
            at[d] = choose(in, x[d] + part * way[d], Floats{}) +
                    static_cast<float>(WideTile<D>::halo(d));
        lowest = min_lanes(lowest, sample_value<D, WideTile<D>>(phi_.v, at));
    }
    return active & ~bits(in & (lowest >= kSolidMargin));
}

template <int D>
void BlockMover<D>::load(const Index<D>& block) {
    origin_ = (block * kSide).template as<double>();
    const int b = velocity_.blocks().find(block);
    SLOSH_EXPECT(b < velocity_.blocks().size());
    for (int axis = 0; axis < D; ++axis) {
        u_[axis].load(velocity_.axis(axis), b);
        if (old_velocity_) old_[axis].load(old_velocity_->axis(axis), b);
    }
    near_solid_ = map_.is_near(block);
    if (!near_solid_) return;
    const Blocks<D>& solid_blocks = map_.solid().blocks();
    const int s = solid_blocks.find(block);
    if (s < solid_blocks.size())
        phi_.load(map_.solid(), s);
    else  // let the walker deal with every particle of this rare block
        std::fill_n(phi_.v, WideTile<D>::kCells, -1.0f);
    in_reach_ = phi_.lowest() < kSolidMargin;
    walker_.use(exact_ && exact_->needed(block) ? exact_ : nullptr);
}

template <int D>
MoveReport BlockMover<D>::move(const Index<D>& block, std::size_t begin, std::size_t end) {
    load(block);
    MoveReport report;
    Floats longest = {};
    for (std::size_t i = begin; i < end; i += kLanes) {
        const int n = static_cast<int>(std::min<std::size_t>(kLanes, end - i));
        Floats start[D], x[D], u[D], way[D];
        for (int d = 0; d < D; ++d) {
            start[d] = load_lanes(particles_.x[d].data() + i, n);
            x[d] = start[d] - static_cast<float>(origin_[d]);
            if (n < kLanes) x[d] = choose(first_lanes(n), x[d], Floats{});
        }
        int active = (1 << n) - 1;
        gather(i, n, x, u);
        carry(x, u, active, way);

        Floats square = {}, check = {};
        for (int d = 0; d < D; ++d) {
            square += way[d] * way[d];
            check += u[d] * u[d];  // a first stage that is not a number can hide in the way
        }
        const Ints sane = (square < 1e12f) & (check < 1e30f);  // false for anything not a number
        if (int bad = active & ~bits(sane); bad != 0) {
            report.not_finite += static_cast<std::size_t>(__builtin_popcount(bad));
            active &= ~bad;
            square = choose(sane, square, Floats{});
            for (int d = 0; d < D; ++d) way[d] = choose(sane, way[d], Floats{});
        }
        if (n < kLanes) square = choose(first_lanes(n), square, Floats{});
        longest = max_lanes(longest, square);

        const int walk = blocked(x, way, root(square), active);
        Floats to[D];
        for (int d = 0; d < D; ++d) to[d] = start[d] + way[d];
        for (int lane = 0; walk >> lane; ++lane) {
            if (!(walk >> lane & 1)) continue;
            Point<D> g, goal;
            for (int d = 0; d < D; ++d) {
                g[d] = start[d][lane];
                goal[d] = g[d] + way[d][lane];
            }
            const MoveOutcome outcome = walker_.walk(g, goal);
            report.pushed_out += outcome == MoveOutcome::Pushed;
            report.left_inside += outcome == MoveOutcome::Inside;
            for (int d = 0; d < D; ++d) to[d][lane] = static_cast<float>(g[d]);
        }
        for (int d = 0; d < D; ++d) store_lanes(particles_.x[d].data() + i, to[d], n);
    }
    report.max_displacement = std::sqrt(largest(longest));
    return report;
}

template <int D>
MoveReport move_all(const Plan& plan, const FaceField<float, D>& velocity,
                    const FaceField<float, D>* old_velocity, const Field<float, D>& solid,
                    const ParticleBlocks<D>& pblocks, Particles<D>& particles,
                    const ExactSolids<D>* exact) {
    SLOSH_EXPECT(pblocks.first.back() == particles.size());
    const SolidMap<D> map(solid);
    std::vector<MoveReport> reports(pblocks.blocks->size());
    parallel_ranges(reports.size(), 8, [&](std::size_t begin, std::size_t end) {
        BlockMover<D> mover(plan, velocity, old_velocity, map, exact, particles);
        for (std::size_t p = begin; p < end; ++p)
            reports[p] = mover.move(pblocks.blocks->coord(static_cast<int>(p)), pblocks.first[p],
                                    pblocks.first[p + 1]);
    });
    MoveReport total;
    for (const MoveReport& r : reports) {
        total.pushed_out += r.pushed_out;
        total.left_inside += r.left_inside;
        total.not_finite += r.not_finite;
        total.max_displacement = std::max(total.max_displacement, r.max_displacement);
    }
    return total;
}

}  // namespace

template <int D>
MoveReport gather_and_move(const FaceField<float, D>& velocity,
                           const FaceField<float, D>* old_velocity, const Field<float, D>& solid,
                           const ParticleBlocks<D>& pblocks, const MoveOptions& options,
                           Particles<D>& particles, const ExactSolids<D>* exact) {
    SLOSH_EXPECT(options.order == 2 || options.order == 3);
    const bool flip = options.transfer == Transfer::Flip;
    SLOSH_EXPECT(!flip || (old_velocity && &old_velocity->blocks() == &velocity.blocks()));
    SLOSH_EXPECT(particles.size() == 0 || options.transfer != Transfer::Apic || particles.affine());
    const Plan plan{.dt = static_cast<float>(options.dt_over_dx),
                    .order = options.order,
                    .velocities = true,
                    .transfer = options.transfer,
                    .blend = static_cast<float>(options.flip_blend),
                    .affine_keep = static_cast<float>(options.affine_keep)};
    return move_all(plan, velocity, flip ? old_velocity : nullptr, solid, pblocks, particles,
                    exact);
}

template <int D>
MoveReport displace(Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                    const FaceField<float, D>& displacement, const Field<float, D>& solid,
                    const ExactSolids<D>* exact) {
    const Plan plan{.dt = 1, .order = 1, .velocities = false};
    return move_all<D>(plan, displacement, nullptr, solid, pblocks, particles, exact);
}

template MoveReport gather_and_move<2>(const FaceField<float, 2>&, const FaceField<float, 2>*,
                                       const Field<float, 2>&, const ParticleBlocks<2>&,
                                       const MoveOptions&, Particles<2>&, const ExactSolids<2>*);
template MoveReport gather_and_move<3>(const FaceField<float, 3>&, const FaceField<float, 3>*,
                                       const Field<float, 3>&, const ParticleBlocks<3>&,
                                       const MoveOptions&, Particles<3>&, const ExactSolids<3>*);
template MoveReport displace<2>(Particles<2>&, const ParticleBlocks<2>&, const FaceField<float, 2>&,
                                const Field<float, 2>&, const ExactSolids<2>*);
template MoveReport displace<3>(Particles<3>&, const ParticleBlocks<3>&, const FaceField<float, 3>&,
                                const Field<float, 3>&, const ExactSolids<3>*);

}  // namespace slosh
