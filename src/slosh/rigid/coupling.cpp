#include "slosh/rigid/coupling.h"

#include <algorithm>
#include <tuple>

#include "slosh/shape/motion_along.h"

namespace slosh {

static_assert(kColumns<2> == kFreedoms<2> && kColumns<3> == kFreedoms<3>);

namespace {

/// The cell below a lower face; `block` may be the topology's size: there is none.
template <int D>
struct CellBelow {
    int block, offset;
    CellBelow(const Blocks<D>& blocks, const BodyFace& f) : block(f.block), offset(0) {
        Index<D> local = local_cell<D>(f.offset);
        if (--local[f.axis] < 0) {
            Index<D> step;
            step[f.axis] = -1;
            block = blocks.neighbour(f.block, neighbour_code<D>(step));
            local[f.axis] += kSide;
        }
        offset = cell_offset<D>(local);
    }
};

}  // namespace

template <int D>
LowRank<D> body_fluxes(const GridGeometry<D>& grid, const std::vector<BodyFace>& faces,
                       const Field<std::uint8_t, D>& unknown,
                       const std::vector<BodyState<D>>& states) {
    using Entry = typename LowRank<D>::Entry;
    const Blocks<D>& blocks = unknown.blocks();
    std::vector<std::vector<Entry>> of_body(states.size());
    for (const BodyFace& f : faces) {
        const auto add = [&](int block, int offset, double sign) {
            if (block == blocks.size() || !unknown.block(block)[offset]) return;
            const Index<D> cell = blocks.first_cell(f.block) + local_cell<D>(f.offset);
            const Twist<D> j =
                motion_along<D>(f.axis, grid.face(f.axis, cell) - states[f.body].position);
            Entry e{block, offset, {}};
            for (int k = 0; k < kFreedoms<D>; ++k) e.f[k] = sign * f.share * j[k];
            of_body[f.body].push_back(e);
        };
        const CellBelow<D> below(blocks, f);
        add(f.block, f.offset, -1);
        add(below.block, below.offset, 1);
    }
    // A cell that several faces contribute to becomes one entry.
    LowRank<D> out;
    for (std::vector<Entry>& list : of_body) {
        std::stable_sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.block, a.offset) < std::tie(b.block, b.offset);
        });
        for (const Entry& e : list) {
            const bool same = out.entries.size() > out.first.back() &&
                              out.entries.back().block == e.block &&
                              out.entries.back().offset == e.offset;
            if (!same) {
                out.entries.push_back(e);
                continue;
            }
            for (int k = 0; k < kFreedoms<D>; ++k) out.entries.back().f[k] += e.f[k];
        }
        out.first.push_back(out.entries.size());
    }
    return out;
}

template <int D>
LowRank<D> body_term(const LowRank<D>& fluxes, const GridGeometry<D>& grid, double density,
                     const std::vector<Body<D>>& bodies, const std::vector<BodyState<D>>& states) {
    LowRank<D> F = fluxes;
    const double scale = std::sqrt(density * std::pow(grid.dx, D));
    for (int n = 0; n < F.groups(); ++n) {
        const TwistMatrix<D> L = cholesky<D>(inverse_mass(bodies[n], states[n]));
        F.lightness = std::max(F.lightness, density * bodies[n].mass.volume / bodies[n].mass.mass);
        for (std::size_t i = F.first[n]; i < F.first[n + 1]; ++i) {
            Twist<D> k, f;
            for (int c = 0; c < kFreedoms<D>; ++c) k[c] = F.entries[i].f[c];
            for (int c = 0; c < kFreedoms<D>; ++c) f += L.row[c] * k[c];  // K L
            for (int c = 0; c < kFreedoms<D>; ++c) F.entries[i].f[c] = scale * f[c];
        }
    }
    return F;
}

namespace {

template <int D>
std::vector<Twist<D>> as_twists(const std::vector<double>& t, double scale) {
    std::vector<Twist<D>> out(t.size() / kFreedoms<D>);
    for (std::size_t i = 0; i < t.size(); ++i)
        out[i / kFreedoms<D>][static_cast<int>(i % kFreedoms<D>)] = scale * t[i];
    return out;
}

/// Whether the unknowns see the body from all sides: its faces then sum to nothing.
template <int D>
bool is_enclosed(const LowRank<D>& fluxes, int n) {
    double net[D] = {}, sum = 0;
    for (std::size_t i = fluxes.first[n]; i < fluxes.first[n + 1]; ++i)
        for (int d = 0; d < D; ++d) {
            net[d] += fluxes.entries[i].f[d];
            sum += std::abs(fluxes.entries[i].f[d]);
        }
    for (int d = 0; d < D; ++d)
        if (!(std::abs(net[d]) < 1e-5 * sum)) return false;
    return true;
}

}  // namespace

template <int D>
std::vector<Twist<D>> pressure_impulses(const LowRank<D>& fluxes, const GridGeometry<D>& grid,
                                        double density, const Field<double, D>& q) {
    return as_twists<D>(fluxes.transposed(q), density * std::pow(grid.dx, D));
}

template <int D>
std::vector<Twist<D>> hydrostatic_error(const LowRank<D>& fluxes, const GridGeometry<D>& grid,
                                        const Blocks<D>& blocks, double density,
                                        const std::vector<Body<D>>& bodies,
                                        const std::vector<BodyState<D>>& states,
                                        const Point<D>& gravity, double dt) {
    std::vector<Twist<D>> error(bodies.size());
    for (int n = 0; n < fluxes.groups(); ++n) {
        if (!is_enclosed(fluxes, n)) continue;
        // In liquid at rest q_i - q_j = g dt across every face: q = dt g.x / dx.
        Twist<D> push;
        for (std::size_t i = fluxes.first[n]; i < fluxes.first[n + 1]; ++i) {
            const auto& e = fluxes.entries[i];
            const Index<D> cell = blocks.first_cell(e.block) + local_cell<D>(e.offset);
            const double q = dt * dot(gravity, grid.centre(cell) - states[n].position) / grid.dx;
            for (int k = 0; k < kFreedoms<D>; ++k) push[k] += e.f[k] * q;
        }
        error[n] = push * (density * std::pow(grid.dx, D));
        for (int d = 0; d < D; ++d)
            error[n][d] += density * bodies[n].mass.volume * gravity[d] * dt;
    }
    return error;
}

#define SLOSH_INSTANTIATE(D)                                                                       \
    template LowRank<D> body_fluxes<D>(const GridGeometry<D>&, const std::vector<BodyFace>&,       \
                                       const Field<std::uint8_t, D>&,                              \
                                       const std::vector<BodyState<D>>&);                          \
    template LowRank<D> body_term<D>(const LowRank<D>&, const GridGeometry<D>&, double,            \
                                     const std::vector<Body<D>>&,                                  \
                                     const std::vector<BodyState<D>>&);                            \
    template std::vector<Twist<D>> pressure_impulses<D>(const LowRank<D>&, const GridGeometry<D>&, \
                                                        double, const Field<double, D>&);          \
    template std::vector<Twist<D>> hydrostatic_error<D>(                                           \
        const LowRank<D>&, const GridGeometry<D>&, const Blocks<D>&, double,                       \
        const std::vector<Body<D>>&, const std::vector<BodyState<D>>&, const Point<D>&, double);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
