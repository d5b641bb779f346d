#include "slosh/pressure/assemble.h"

#include "slosh/grid/tile.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

namespace {

template <int D>
bool any_liquid(const float* phi) {
    bool any = false;
    for (int o = 0; o < kBlockCells<D>; ++o) any |= phi[o] < 0;
    return any;
}

template <int D>
bool all_set(const Tile<std::uint8_t, D, 1>& flags) {
    std::uint8_t all = 1;
    for (std::uint8_t k : flags.v) all &= k;
    return all;
}
template <int D>
bool none_set(const Tile<std::uint8_t, D, 1>& flags) {
    std::uint8_t any = 0;
    for (std::uint8_t k : flags.v) any |= k;
    return !any;
}

/// One tile per axis of a face field.
template <class T, int D>
struct FaceTiles {
    Tile<T, D, 1> axis[D];
    void load(const FaceField<T, D>& f, int b) {
        for (int d = 0; d < D; ++d) axis[d].load(f.axis(d), b);
    }
};

/// A cell is an unknown if it is liquid and at least one of its faces is open.
template <int D>
void mark_unknowns(const Field<float, D>& phi, const SolidFields<D>& solid,
                   Field<std::uint8_t, D>& unknown) {
    parallel_for(phi.blocks().size(), 8, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const float* p = phi.block(b);
        std::uint8_t* out = unknown.block(b);
        if (!any_liquid<D>(p)) {
            std::fill_n(out, kBlockCells<D>, 0);
            return;
        }
        if (solid.block_kind[b] == 0) {
            for (int o = 0; o < kBlockCells<D>; ++o) out[o] = p[o] < 0;
            return;
        }
        FaceTiles<float, D> open;
        open.load(solid.open, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            bool any = false;
            for (int d = 0; d < D; ++d)
                any |= open.axis[d].v[t] > 0 || open.axis[d].v[t + Tile<float, D, 1>::step(d)] > 0;
            out[o] = p[o] < 0 && any;
        });
    });
}

/// r -= a - b
inline void subtract_difference(detail::Row& r, const detail::Row& a, const detail::Row& b) {
    r.low = _mm256_sub_pd(r.low, _mm256_sub_pd(a.low, b.low));
    r.high = _mm256_sub_pd(r.high, _mm256_sub_pd(a.high, b.high));
}

/// Minus the net outflow of the unknowns of a block far from solids.
template <int D>
void open_inflow(const FaceField<float, D>& u, int b, const std::uint8_t* unknown, double* rhs) {
    using namespace detail;
    const BlockRows<float, D> ux(u.axis(0), b), uy(u.axis(1), b), uz(u.axis(D - 1), b);
    for (int z = 0, o = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, o += kSide) {
            const Row x = load_row(ux.self + o);
            Row sum{_mm256_setzero_pd(), _mm256_setzero_pd()};
            subtract_difference(sum, from_right(x, ux.right(y, z)), x);
            subtract_difference(sum, load_row(uy.row(y + 1, z)), load_row(uy.self + o));
            if constexpr (D == 3)
                subtract_difference(sum, load_row(uz.row(y, z + 1)), load_row(uz.self + o));
            alignas(32) double inflow[kSide];
            _mm256_store_pd(inflow, sum.low);
            _mm256_store_pd(inflow + 4, sum.high);
            for (int i = 0; i < kSide; ++i) rhs[o + i] = unknown[o + i] ? inflow[i] : 0;
        }
}

/// u - grad q, or only minus grad q, in a block that is liquid through and through, with liquid
/// around it.
template <int D, bool kFromZero>
void subtract_inside(const Field<double, D>& q, int b, FaceField<float, D>& u) {
    using namespace detail;
    const BlockRows<double, D> p(q, b);
    const auto subtract = [](float* v, const Row& here, const Row& below) {
        Row r{_mm256_setzero_pd(), _mm256_setzero_pd()};
        if (!kFromZero) r = load_row(v);
        subtract_difference(r, here, below);
        _mm_store_ps(v, _mm256_cvtpd_ps(r.low));
        _mm_store_ps(v + 4, _mm256_cvtpd_ps(r.high));
    };
    for (int z = 0, o = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, o += kSide) {
            const Row here = load_row(p.self + o);
            subtract(u.axis(0).block(b) + o, here, from_left(here, p.left(y, z)));
            subtract(u.axis(1).block(b) + o, here, load_row(p.row(y - 1, z)));
            if constexpr (D == 3) subtract(u.axis(2).block(b) + o, here, load_row(p.row(y, z - 1)));
        }
}

/// (P1), (P2); with kFromZero of u = 0, of which nothing is read.
template <int D, bool kFromZero>
void apply_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                    const SolidFields<D>& solid, const Field<double, D>& q, FaceField<float, D>& u,
                    FaceField<std::uint8_t, D>& known) {
    parallel_for(system.blocks->size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        Tile<std::uint8_t, D, 1> unknown;
        unknown.load(system.unknown, b);
        // Most blocks are liquid through and through: no surface, no solid, no branch.
        if (solid.block_kind[b] == kBlockOpen && all_set(unknown)) {
            subtract_inside<D, kFromZero>(q, b, u);
            for (int d = 0; d < D; ++d) std::fill_n(known.axis(d).block(b), kBlockCells<D>, 1);
            return;
        }
        for (int d = 0; d < D; ++d) {
            std::fill_n(known.axis(d).block(b), kBlockCells<D>, 0);
            if (kFromZero) std::fill_n(u.axis(d).block(b), kBlockCells<D>, 0.0f);
        }
        if (none_set(unknown)) return;
        Tile<double, D, 1> pressure;
        pressure.load(q, b);
        Tile<float, D, 1> p;
        p.load(phi, b);
        for (int d = 0; d < D; ++d) {
            const int step = Tile<float, D, 1>::step(d);
            float* v = u.axis(d).block(b);
            std::uint8_t* k = known.axis(d).block(b);
            const float* w = solid.open.axis(d).block(b);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                const bool here = unknown.v[t], below = unknown.v[t - step];
                if (w[o] <= 0 || !(here || below)) return;
                double gradient;
                if (here && below)
                    gradient = pressure.v[t] - pressure.v[t - step];
                else if (here)
                    gradient = pressure.v[t] / surface_theta(p.v[t], p.v[t - step]);
                else
                    gradient = -pressure.v[t - step] / surface_theta(p.v[t - step], p.v[t]);
                v[o] = static_cast<float>(v[o] - gradient);
                k[o] = 1;
            });
        }
    });
}

}  // namespace

template <int D>
BlockSystem<D> assemble_matrix(const Field<float, D>& phi, const SolidFields<D>& solid) {
    BlockSystem<D> system(phi.blocks_ptr(), Unfilled{});
    mark_unknowns(phi, solid, system.unknown);
    parallel_for(phi.blocks().size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        float* excess = system.excess.block(b);
        std::fill_n(excess, kBlockCells<D>, 0.0f);
        const auto fill_coefficients = [&](float c) {
            for (int d = 0; d < D; ++d)
                std::fill_n(system.coefficient.axis(d).block(b), kBlockCells<D>, c);
        };
        if (!has_unknowns(system, b)) return fill_coefficients(0);
        Tile<std::uint8_t, D, 1> unknown;
        unknown.load(system.unknown, b);
        if (solid.block_kind[b] == kBlockOpen && all_set(unknown)) return fill_coefficients(1);
        Tile<float, D, 1> p;
        p.load(phi, b);
        FaceTiles<float, D> open;
        open.load(solid.open, b);
        for (int d = 0; d < D; ++d) {
            const int step = Tile<float, D, 1>::step(d);
            const float* w = open.axis[d].v;
            float* c = system.coefficient.axis(d).block(b);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                const bool here = unknown.v[t], below = unknown.v[t - step];
                c[o] = here && below ? w[t] : 0.0f;
                if (!here) return;
                // Air on either side pulls the pressure to zero at the surface (P2). A cell with
                // phi < 0 that is no unknown is closed off by solid: its faces have w = 0.
                if (p.v[t - step] >= 0) excess[o] += w[t] / surface_theta(p.v[t], p.v[t - step]);
                if (p.v[t + step] >= 0)
                    excess[o] += w[t + step] / surface_theta(p.v[t], p.v[t + step]);
            });
        }
    });
    return system;
}

template <int D>
void assemble_rhs(const FaceField<float, D>& u, const SolidFields<D>& solid,
                  BlockSystem<D>& system) {
    parallel_for(system.blocks->size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const std::uint8_t* unknown = system.unknown.block(b);
        double* rhs = system.rhs.block(b);
        if (!has_unknowns(system, b)) return;  // zero it is
        if (solid.block_kind[b] == kBlockOpen) return open_inflow(u, b, unknown, rhs);
        std::fill_n(rhs, kBlockCells<D>, 0.0);
        Tile<float, D, 1> v, w, s;
        for (int d = 0; d < D; ++d) {
            const int step = Tile<float, D, 1>::step(d);
            v.load(u.axis(d), b);
            w.load(solid.open.axis(d), b);
            s.load(solid.velocity.axis(d), b);
            auto flux = [&](int t) {
                const double open = w.v[t];
                return open * v.v[t] + (1 - open) * s.v[t];
            };
            for_each_cell<D, 1>(
                [&](const Index<D>&, int o, int t) { rhs[o] -= flux(t + step) - flux(t); });
        }
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (!unknown[o]) rhs[o] = 0;
    });
}

template <int D>
void subtract_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                       const SolidFields<D>& solid, const Field<double, D>& q,
                       FaceField<float, D>& u, FaceField<std::uint8_t, D>& known) {
    apply_gradient<D, false>(system, phi, solid, q, u, known);
}

template <int D>
void minus_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                    const SolidFields<D>& solid, const Field<double, D>& q, FaceField<float, D>& u,
                    FaceField<std::uint8_t, D>& known) {
    apply_gradient<D, true>(system, phi, solid, q, u, known);
}

#define SLOSH_INSTANTIATE(D)                                                                   \
    template BlockSystem<D> assemble_matrix<D>(const Field<float, D>&, const SolidFields<D>&); \
    template void assemble_rhs<D>(const FaceField<float, D>&, const SolidFields<D>&,           \
                                  BlockSystem<D>&);                                            \
    template void subtract_gradient<D>(const BlockSystem<D>&, const Field<float, D>&,          \
                                       const SolidFields<D>&, const Field<double, D>&,         \
                                       FaceField<float, D>&, FaceField<std::uint8_t, D>&);     \
    template void minus_gradient<D>(const BlockSystem<D>&, const Field<float, D>&,             \
                                    const SolidFields<D>&, const Field<double, D>&,            \
                                    FaceField<float, D>&, FaceField<std::uint8_t, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
