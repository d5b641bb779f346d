#include "slosh/liquid/sources.h"

#include <unordered_set>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/particles/seed.h"

namespace slosh {

namespace {

/// The cells of the domain that a world box touches: [lo, hi).
template <int D>
CellBox<D> cells_in(const Box<D>& box, const GridGeometry<D>& grid) {
    CellBox<D> cells;
    const Point<D> a = grid.to_grid(box.lo), b = grid.to_grid(box.hi);
    for (int d = 0; d < D; ++d) {
        cells.lo[d] = static_cast<int>(std::floor(std::clamp(a[d], 0.0, double(grid.cells[d]))));
        cells.hi[d] = static_cast<int>(std::ceil(std::clamp(b[d], 0.0, double(grid.cells[d]))));
    }
    return cells;
}

/// World box of a shape under a transform: the box of its transformed corners.
template <int D>
Box<D> placed_bounds(const Shape<D>& shape, const Transform<D>& at) {
    const Box<D> local = shape.bounds();
    for (int d = 0; d < D; ++d)
        if (local.lo[d] < -1e20 || local.hi[d] > 1e20) return Box<D>::everywhere();
    Box<D> world = Box<D>::nowhere();
    for (int corner = 0; corner < kChildren<D>; ++corner) {
        Point<D> x;
        for (int d = 0; d < D; ++d) x[d] = corner >> d & 1 ? local.hi[d] : local.lo[d];
        x = at.apply(x);
        world.lo = min(world.lo, x);
        world.hi = max(world.hi, x);
    }
    return world;
}

/// Velocity of an initial shape at a world point: translation plus spin.
template <int D>
Point<D> initial_velocity(const InitialLiquid<D>& liquid, const Point<D>& x) {
    const Point<D> r = x - liquid.centre;
    if constexpr (D == 2)
        return liquid.velocity + Point<2>{-liquid.spin[2] * r[1], liquid.spin[2] * r[0]};
    else
        return liquid.velocity + cross(liquid.spin, r);
}

SeedOptions seed_options(const StepOptions& step, std::uint64_t seed) {
    return {.per_axis = step.particles_per_axis, .jitter = step.jitter, .seed = seed};
}

void expect_ids_left(std::size_t next) {
    if (next > 0xfffffff0ull)
        throw ResourceError(
            "more than 4.29e9 particles were made in this run; lower the resolution "
            "or end the inflows earlier");
}

/// The sub-cells (of 1/n cell) of a box of cells, counted row by row.
template <int D>
struct SubCells {
    CellBox<D> cells;
    int n;
    static constexpr std::uint64_t kOutside = ~std::uint64_t{0};

    std::uint64_t number(const Point<D>& g) const {
        std::uint64_t number = 0;
        for (int d = D - 1; d >= 0; --d) {
            const int extent = (cells.hi[d] - cells.lo[d]) * n;
            const int i = static_cast<int>(std::floor((g[d] - cells.lo[d]) * n));
            if (i < 0 || i >= extent) return kOutside;
            number = number * extent + i;
        }
        return number;
    }
};

/// Calls visit(i), from several threads, for every particle in the box; returns their sub-cells.
template <int D, class Visit>
std::unordered_set<std::uint64_t> visit_particles(const Particles<D>& p,
                                                  const SubCells<D>& sub_cells,
                                                  const Visit& visit) {
    constexpr std::size_t kChunk = 8192;
    std::vector<std::vector<std::uint64_t>> found((p.size() + kChunk - 1) / kChunk);
    parallel_for(found.size(), 1, [&](std::size_t chunk) {
        for (std::size_t i = chunk * kChunk; i < std::min(p.size(), (chunk + 1) * kChunk); ++i) {
            const std::uint64_t number = sub_cells.number(p.position(i));
            if (number == sub_cells.kOutside) continue;
            found[chunk].push_back(number);
            visit(i);
        }
    });
    std::unordered_set<std::uint64_t> all;
    for (const auto& numbers : found) all.insert(numbers.begin(), numbers.end());
    return all;
}

/// Of a source that may leave it to the scene.
template <int D>
double source_viscosity(const LiquidSetup<D>& setup, double own) {
    return own >= 0 ? own : setup.viscosity;
}

/// Seeds keep this much room to solids, in cells: particles are held off walls by as much.
constexpr double kWallMargin = 0.05;

}  // namespace

template <int D>
bool has_viscosities(const LiquidSetup<D>& setup) {
    const auto own = [](const auto& source) { return source.viscosity >= 0; };
    return std::any_of(setup.liquid.begin(), setup.liquid.end(), own) ||
           std::any_of(setup.inflows.begin(), setup.inflows.end(), own);
}

template <int D>
void seed_initial_liquid(const LiquidSetup<D>& setup, const SolidDistance<D>& solid,
                         LiquidState<D>& state) {
    const auto& grid = setup.grid;
    const bool affine = setup.step.transfer == Transfer::Apic;
    Box<D> all = Box<D>::nowhere();
    for (const auto& liquid : setup.liquid) {
        const Box<D> b = liquid.shape->bounds();
        all.lo = min(all.lo, b.lo);
        all.hi = max(all.hi, b.hi);
    }
    const auto owner = [&](const Point<D>& world) {
        for (std::size_t i = 0; i < setup.liquid.size(); ++i)
            if (setup.liquid[i].shape->distance(world) < 0) return static_cast<int>(i);
        return -1;
    };
    // A seed on the very edge of a shape may be found just outside when asked again, because the
    // compiler may round its world position another way: then it belongs to the nearest shape.
    const auto nearest = [&](const Point<D>& world) {
        int best = owner(world);
        if (best >= 0) return best;
        best = 0;
        for (std::size_t i = 1; i < setup.liquid.size(); ++i)
            if (setup.liquid[i].shape->distance(world) < setup.liquid[best].shape->distance(world))
                best = static_cast<int>(i);
        return best;
    };
    const auto inside = [&](const Point<D>& g) {
        const Point<D> world = grid.to_world(g);
        return owner(world) >= 0 && solid(world) > kWallMargin * grid.dx;
    };
    auto& p = state.particles;
    seed_box<D>(cells_in(all, grid), seed_options(setup.step, setup.step.seed), inside, affine, p);
    expect_ids_left(p.size());
    parallel_for(p.size(), 4096, [&](std::size_t i) {
        const Point<D> world = grid.to_world(p.position(i));
        const Point<D> v = initial_velocity(setup.liquid[nearest(world)], world);
        for (int d = 0; d < D; ++d) p.v[d][i] = static_cast<float>(v[d]);
        p.id[i] = static_cast<std::uint32_t>(i);
    });
    if (has_viscosities(setup)) {
        p.viscosity.resize(p.size());
        parallel_for(p.size(), 4096, [&](std::size_t i) {
            const auto& liquid = setup.liquid[nearest(grid.to_world(p.position(i)))];
            p.viscosity[i] = static_cast<float>(source_viscosity(setup, liquid.viscosity));
        });
    }
    state.next_id = static_cast<std::uint32_t>(p.size());
}

template <int D>
std::size_t run_inflows(const LiquidSetup<D>& setup, const SolidDistance<D>& solid,
                        LiquidState<D>& state) {
    const auto& grid = setup.grid;
    const bool affine = setup.step.transfer == Transfer::Apic;
    auto& p = state.particles;
    std::size_t made = 0;
    for (const auto& inflow : setup.inflows) {
        if (state.time < inflow.start || state.time >= inflow.end) continue;
        const Transform<D> at = inflow.motion.at(state.time);
        Point<D> velocity;
        for (int d = 0; d < D; ++d) velocity[d] = inflow.velocity[d].at(state.time);
        const CellBox<D> cells = cells_in(placed_bounds(*inflow.shape, at), grid);
        const auto inside = [&](const Point<D>& g) {
            return inflow.shape->distance(at.unapply(grid.to_world(g))) < 0;
        };

        // Liquid that is there already moves with the inflow and keeps its sub-cell.
        const SubCells<D> sub_cells{cells, setup.step.particles_per_axis};
        const auto taken = visit_particles(p, sub_cells, [&](std::size_t i) {
            if (!inside(p.position(i))) return;
            for (int d = 0; d < D; ++d) {
                p.v[d][i] = static_cast<float>(velocity[d]);
                for (int e = 0; e < D && affine; ++e) p.c[d][e][i] = 0;
            }
        });
        const std::uint64_t seed = mix64(setup.step.seed ^ mix64(state.steps + 1));
        const auto vacant = [&](const Point<D>& g) {
            return inside(g) && !taken.count(sub_cells.number(g)) &&
                   solid(grid.to_world(g)) > kWallMargin * grid.dx;
        };
        Particles<D> fresh;
        seed_box<D>(cells, seed_options(setup.step, seed), vacant, affine, fresh);
        expect_ids_left(state.next_id + fresh.size());
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            for (int d = 0; d < D; ++d) fresh.v[d][i] = static_cast<float>(velocity[d]);
            fresh.id[i] = state.next_id++;
        }
        if (has_viscosities(setup))
            fresh.viscosity.assign(fresh.size(),
                                   static_cast<float>(source_viscosity(setup, inflow.viscosity)));
        append(p, fresh);
        made += fresh.size();
    }
    return made;
}

template <int D>
std::size_t run_drains(const LiquidSetup<D>& setup, LiquidState<D>& state) {
    const auto& grid = setup.grid;
    bool any_open = false;
    for (bool open : setup.open_side) any_open |= open;
    std::vector<const Drain<D>*> active;
    std::vector<Transform<D>> places;
    for (const auto& drain : setup.drains)
        if (state.time >= drain.start && state.time < drain.end) {
            active.push_back(&drain);
            places.push_back(drain.motion.at(state.time));
        }
    if (!any_open && active.empty()) return 0;

    auto& p = state.particles;
    std::vector<std::uint8_t> gone(p.size());
    parallel_for(p.size(), 4096, [&](std::size_t i) {
        const Point<D> g = p.position(i);
        for (int d = 0; d < D; ++d)
            if (g[d] < 0 || g[d] > grid.cells[d]) gone[i] = 1;
        for (std::size_t k = 0; k < active.size() && !gone[i]; ++k)
            gone[i] = active[k]->shape->distance(places[k].unapply(grid.to_world(g))) < 0;
    });
    std::size_t count = 0;
    for (std::uint8_t m : gone) count += m;
    if (count > 0) remove_marked(p, gone);
    state.drained += count;
    return count;
}

#define SLOSH_INSTANTIATE(D)                                                             \
    template void seed_initial_liquid<D>(const LiquidSetup<D>&, const SolidDistance<D>&, \
                                         LiquidState<D>&);                               \
    template std::size_t run_inflows<D>(const LiquidSetup<D>&, const SolidDistance<D>&,  \
                                        LiquidState<D>&);                                \
    template bool has_viscosities<D>(const LiquidSetup<D>&);                             \
    template std::size_t run_drains<D>(const LiquidSetup<D>&, LiquidState<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
