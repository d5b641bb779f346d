#include "slosh/surface/show.h"

#include <memory>

#include "slosh/base/error.h"
#include "slosh/surface/byte_rows.h"
#include "slosh/surface/moment_field.h"

namespace slosh {

namespace {

constexpr float kTap = 0.5f;  // of the blur: the kernel reaches two cells, and one by interpolation
constexpr float kFar = 3;     // grid cells

template <int D>
BlocksPtr<D> with_neighbours(const Blocks<D>& blocks) {
    std::vector<Index<D>> coords;
    coords.reserve(static_cast<std::size_t>(blocks.size()) * kNeighbours<D>);
    for (int b = 0; b < blocks.size(); ++b)
        for (int code = 0; code < kNeighbours<D>; ++code)
            coords.push_back(blocks.coord(b) + neighbour_offset<D>(code));
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

/// A field moved to another topology.
template <class T, int D>
Field<T, D> moved(const Field<T, D>& from, const BlocksPtr<D>& topology) {
    Field<T, D> to(topology, from.background());
    parallel_for(topology->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i), n = from.blocks().find(topology->coord(b));
        if (n < from.blocks().size()) std::copy_n(from.block(n), kBlockCells<D>, to.block(b));
    });
    return to;
}

/// Nodal values averaged to cell centres.
template <int D>
Field<float, D> at_centres(const Field<float, D>& nodes) {
    Field<float, D> centres(nodes.blocks_ptr(), nodes.background());
    parallel_for(nodes.blocks().size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 1> tile;
        tile.load(nodes, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            float sum = 0;
            for (int corner = 0; corner < kChildren<D>; ++corner) {
                int at = t;
                for (int d = 0; d < D; ++d) at += (corner >> d & 1) * Tile<float, D, 1>::step(d);
                sum += tile.v[at];
            }
            centres.block(b)[o] = sum / kChildren<D>;
        });
    });
    return centres;
}

template <int D>
Field<Moment, D> blurred(const Field<Moment, D>& raw) {
    Field<Moment, D> wide(raw.blocks_ptr(), Moment{});
    parallel_for(raw.blocks().size(), 4, [&](std::size_t i) {
        Tile<Moment, D, 1> tile;
        tile.load(raw, static_cast<int>(i));
        blur_moments<D>(tile.v, kTap, wide.block(static_cast<int>(i)));
    });
    return wide;
}

/// Blurred moments of the space outside solids.
template <int D>
Field<Moment, D> open_space(const Field<float, D>& solid) {
    const float full = static_cast<float>(std::pow(1 + 2 * kTap, D));
    const Moment everything = {full, 0, 0, 0};
    Field<Moment, D> wide(solid.blocks_ptr(), everything);
    parallel_for(solid.blocks().size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 2> s;
        s.load(solid, b);
        float least = s.v[0];
        for (float v : s.v) least = std::min(least, v);
        if (least >= 1) return;
        Moment tile[Tile<Moment, D, 1>::kCells];
        open_moments<D>(s, tile);
        blur_moments<D>(tile, kTap, wide.block(b));
    });
    return wide;
}

/// A fine point between coarse samples: the lower sample along each axis and the weight of the
/// upper.
struct Place {
    int lower;
    float upper;
};
/// Place of fine cell f (local to a coarse block, 0 .. 8 refine) between cell centres (shift 0.5)
/// or between nodes (shift 0).
inline Place place(int f, int refine, float shift) {
    const float s = (static_cast<float>(f) + 0.5f) / static_cast<float>(refine) - shift;
    const int lower = static_cast<int>(std::floor(s));
    return {lower, s - static_cast<float>(lower)};
}

/// Moments about a point between cell centres.
template <int D>
Moment between(const Tile<Moment, D, 1>& tile, const Place (&at)[D]) {
    Moment sum = {};
    for (int corner = 0; corner < kChildren<D>; ++corner) {
        float w = 1;
        Index<D> c;
        Moment shift = {};
        for (int d = 0; d < D; ++d) {
            const int up = corner >> d & 1;
            w *= up ? at[d].upper : 1 - at[d].upper;
            c[d] = at[d].lower + up;
            shift[d + 1] = static_cast<float>(up) - at[d].upper;
        }
        if (w == 0) continue;
        const Moment m = tile[c];
        sum += w * (m + shift * m[0]);
    }
    return sum;
}

template <int D>
float between(const Tile<float, D, 1>& tile, const Place (&at)[D]) {
    float sum = 0;
    for (int corner = 0; corner < kChildren<D>; ++corner) {
        float w = 1;
        Index<D> c;
        for (int d = 0; d < D; ++d) {
            const int up = corner >> d & 1;
            w *= up ? at[d].upper : 1 - at[d].upper;
            c[d] = at[d].lower + up;
        }
        if (w != 0) sum += w * tile[c];
    }
    return sum;
}

/// What smoothing needs to know of a cell.
enum : std::uint8_t { kUnknown = 0, kFixed = 1, kThick = 2 };

template <int D>
struct Shown {
    Field<float, D> phi;  ///< In grid cells.
    Field<std::uint8_t, D> kind;
    Field<float, D> solid;  ///< At the same places; empty without solids.
};

/// One pass: a thick cell moves towards the mean of its neighbours. These count as no further off
/// than a distance can be (`step`), unknown ones (deep in solids) as equal to the cell itself.
template <int D>
void smooth(Shown<D>& shown, float strength, float step, Field<float, D>& next) {
    parallel_for(shown.phi.blocks().size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const std::uint8_t* own = shown.kind.block(b);
        const float* f = shown.phi.block(b);
        float* out = next.block(b);
        std::copy_n(f, kBlockCells<D>, out);
        bool thick = false;
        for (int o = 0; o < kBlockCells<D>; ++o) thick |= own[o] == kThick;
        if (!thick) return;
        Tile<float, D, 1> tile;
        Tile<std::uint8_t, D, 1> kind;
        tile.load(shown.phi, b);
        kind.load(shown.kind, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (own[o] != kThick) return;
            float sum = 0;
            for (int d = 0; d < D; ++d)
                for (int s : {-Tile<float, D, 1>::step(d), Tile<float, D, 1>::step(d)})
                    if (kind.v[t + s] != kUnknown)
                        sum += std::min(std::max(tile.v[t + s] - f[o], -step), step);
            out[o] = f[o] + strength * sum / (2 * D);
        });
    });
    std::swap(shown.phi, next);
}

}  // namespace

template <int D>
Field<float, D> show_level_set(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                               const ShowOptions& options, const Field<float, D>* solid) {
    const int refine = options.refine;
    SLOSH_EXPECT(refine == 1 || refine == 2);
    const BlocksPtr<D> coarse = with_neighbours(*blocks.blocks);
    const std::vector<int> home = home_blocks(blocks, *coarse);
    Field<float, D> nodes, centres;
    Field<Moment, D> open;
    if (solid) {
        nodes = moved(*solid, coarse);
        centres = at_centres(nodes);
        open = open_space(centres);
    }
    const auto marks = occupancy(particles, blocks, home, solid ? &centres : nullptr, coarse);
    const auto raw = gather_moments<D>(particles, blocks, home, coarse, nullptr);
    const auto wide = blurred(raw);

    // Blocks with particles in reach; what is left out is air.
    std::vector<std::uint8_t> wanted(coarse->size());
    parallel_for(coarse->size(), 8, [&](std::size_t i) {
        Tile<std::uint8_t, D, 3> tile;
        tile.load(marks, static_cast<int>(i));
        std::uint8_t all = 0;
        for (std::uint8_t m : tile.v) all |= m;
        wanted[i] = (all & kOccupied) != 0;
    });
    std::vector<Index<D>> coords;
    for (int b = 0; b < coarse->size(); ++b) {
        if (!wanted[b]) continue;
        for (int child = 0; child < (refine == 2 ? kChildren<D> : 1); ++child) {
            Index<D> c = coarse->coord(b) * refine;
            for (int d = 0; d < D; ++d) c[d] += child >> d & 1;
            coords.push_back(c);
        }
    }
    const auto fine = std::make_shared<const Blocks<D>>(std::move(coords));
    Shown<D> shown{Field<float, D>(fine, kFar), Field<std::uint8_t, D>(fine, kUnknown), {}};
    if (solid) shown.solid = Field<float, D>(fine, kFar);

    // Seen from a point a quarter of the way between two centres the kernel is that of both,
    // weighted; from either side alike.
    const HalfSpaceProfile profile(
        [&](double s) {
            if (refine == 1) return blurred_hat(s, kTap);
            auto quarter = [](double t) {
                return 0.75 * blurred_hat(t + 0.25, kTap) + 0.25 * blurred_hat(t - 0.75, kTap);
            };
            return 0.5 * (quarter(s) + quarter(-s));
        },
        refine == 1 ? 2.0 : 2.75);
    // Moves the zero of a lone particle's ball to its radius, which no fine centre may miss.
    const float miss = 0.5f * std::sqrt(static_cast<float>(D)) / static_cast<float>(refine) + 0.03f;
    const float lone = -profile(std::max(options.drop, miss));
    const float full = static_cast<float>(options.particles_per_cell);
    const float volume = static_cast<float>(std::pow(1 + 2 * kTap, D));

    parallel_for(fine->size(), 2, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Index<D> coord = fine->coord(b), first;
        for (int d = 0; d < D; ++d) {
            first[d] = refine == 2 ? (coord[d] & 1) * kSide : 0;  // within the coarse block
            if (refine == 2) coord[d] >>= 1;
        }
        const int parent = coarse->find(coord);
        Tile<Moment, D, 1> narrow_tile, wide_tile, open_tile;
        Tile<std::uint8_t, D, 1> mark_tile;
        Tile<float, D, 1> solid_tile;
        mark_tile.load(marks, parent);
        narrow_tile.load(raw, parent);
        wide_tile.load(wide, parent);
        if (solid) {
            open_tile.load(open, parent);
            solid_tile.load(nodes, parent);
        }
        alignas(8) std::uint8_t near[kBlockCells<D>];
        dilate<D, 1, 1>(mark_tile, near);
        for_each_cell<D, 0>([&](const Index<D>& local, int o, int) {
            Place at[D], node[D];
            Index<D> cell;
            for (int d = 0; d < D; ++d) {
                const int f = first[d] + local[d];
                at[d] = place(f, refine, 0.5f);
                node[d] = place(f, refine, 0);
                cell[d] = f / refine;
            }
            float& phi = shown.phi.block(b)[o];
            std::uint8_t& kind = shown.kind.block(b)[o];
            float s = kFar;
            if (solid) s = shown.solid.block(b)[o] = between<D>(solid_tile, node);
            const int home_cell = cell_offset(cell);
            if (!(near[home_cell] & kEmpty)) {
                // Liquid all around, or solid: nothing to compute.
                phi = near[home_cell] & kOccupied ? -kFar : kFar;
                kind = near[home_cell] & kOccupied ? kFixed : kUnknown;
                return;
            }
            const Moment m = between<D>(wide_tile, at);
            const Moment everything = {volume, 0, 0, 0};
            const Moment space = solid ? between<D>(open_tile, at) : everything;
            const float share = space[0] / volume;
            if (share < 0.05f) return;  // deep in a solid: unknown, and cut away below
            kind = kFixed;
            if (m[0] <= 0) return;
            const float thickness = m[0] / (volume * full * share);
            phi = height<D>(m, space, profile) + thin_height(thickness, lone);
            const float narrow = between<D>(narrow_tile, at)[0] / full;
            if (s > 0.5f) phi = std::max(phi, gap_height(narrow, thickness));
            phi = std::min(std::max(phi, -kFar), kFar);
            if (thickness > 0.2f) kind = kThick;
        });
    });

    Field<float, D> next(fine, kFar);
    const int passes = refine == 2 ? options.smoothing : (options.smoothing + 3) / 4;
    for (int pass = 0; pass < passes; ++pass)
        smooth(shown, 0.5f, 1.0f / static_cast<float>(refine), next);

    parallel_for(fine->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        float* f = shown.phi.block(b);
        const float* s = solid ? shown.solid.block(b) : nullptr;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (s) f[o] = std::max(f[o], -s[o] - options.overlap);
            f[o] *= static_cast<float>(refine);
        }
    });
    return std::move(shown.phi);
}

template Field<float, 2> show_level_set<2>(const Particles<2>&, const ParticleBlocks<2>&,
                                           const ShowOptions&, const Field<float, 2>*);
template Field<float, 3> show_level_set<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                           const ShowOptions&, const Field<float, 3>*);

}  // namespace slosh
