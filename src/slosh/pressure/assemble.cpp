#include "slosh/pressure/assemble.h"

#include "slosh/base/inline.h"
#include "slosh/grid/tile.h"
#include "slosh/linear/cell_mask.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

namespace {

template <int D>
bool all_set(const Tile<std::uint8_t, D, 1>& flags) {
    std::uint8_t all = 1;
    for (std::uint8_t k : flags.v) all &= k;
    return all;
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
        CellMask<D> liquid = compare<D, _CMP_LT_OQ>(phi.block(b), 0);
        if (solid.block_kind[b] != kBlockOpen && any<D>(liquid)) {
            const CellMask<D> open = compare_faces<D, _CMP_GT_OQ>(solid.open, b, 0);
            for (int z = 0; z < kPlanes<D>; ++z) liquid[z] &= open[z];
        }
        store_marks<D>(liquid, unknown.block(b));
    });
}

/// All ones in the lanes of the four cells whose byte is not zero.
inline __m256d lanes_set(const std::uint8_t* marks) {
    int bytes;
    std::memcpy(&bytes, marks, sizeof bytes);
    const __m256i wide = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
    return _mm256_castsi256_pd(_mm256_cmpgt_epi64(wide, _mm256_setzero_si256()));
}

/// r -= a - b
inline void subtract_difference(detail::Row& r, const detail::Row& a, const detail::Row& b) {
    r.low = _mm256_sub_pd(r.low, _mm256_sub_pd(a.low, b.low));
    r.high = _mm256_sub_pd(r.high, _mm256_sub_pd(a.high, b.high));
}

/// Rows of the velocity with which volume crosses faces: u where they are open, the solid's where
/// they are not. `kOpen`: all of the block's are open.
template <int D, bool kOpen>
struct FluxRows {
    BlockRows<float, D> u, w, s;

    FluxRows(const FaceField<float, D>& velocity, const SolidFields<D>& solid, int axis, int b)
        : u(velocity.axis(axis), b), w(solid.open.axis(axis), b), s(solid.velocity.axis(axis), b) {}
    /// Row (y, z); y or z may be 8.
    detail::Row row(int y, int z) const {
        using namespace detail;
        const Row free = load_row(u.row(y, z));
        if constexpr (kOpen) return free;
        const Row open = load_row(w.row(y, z)), solid = load_row(s.row(y, z));
        return {mix(open.low, free.low, solid.low), mix(open.high, free.high, solid.high)};
    }
    /// At x = 8 of the row.
    double right(int y, int z) const {
        if constexpr (kOpen) return u.right(y, z);
        const double open = w.right(y, z);
        return open * u.right(y, z) + (1 - open) * s.right(y, z);
    }

private:
    static __m256d mix(__m256d open, __m256d free, __m256d solid) {
        const __m256d closed = _mm256_sub_pd(_mm256_set1_pd(1), open);
        return _mm256_add_pd(_mm256_mul_pd(open, free), _mm256_mul_pd(closed, solid));
    }
};

/// Minus the net outflow of the unknowns of a block.
template <int D, bool kOpen>
void net_inflow(const FaceField<float, D>& u, const SolidFields<D>& solid, int b,
                const std::uint8_t* unknown, double* rhs) {
    using namespace detail;
    const FluxRows<D, kOpen> x(u, solid, 0, b), y(u, solid, 1, b), z(u, solid, D - 1, b);
    for (int k = 0, o = 0; k < kPlanes<D>; ++k)
        for (int j = 0; j < kSide; ++j, o += kSide) {
            const Row row = x.row(j, k);
            Row sum{_mm256_setzero_pd(), _mm256_setzero_pd()};
            subtract_difference(sum, from_right(row, x.right(j, k)), row);
            subtract_difference(sum, y.row(j + 1, k), y.row(j, k));
            if constexpr (D == 3) subtract_difference(sum, z.row(j, k + 1), z.row(j, k));
            _mm256_store_pd(rhs + o, _mm256_and_pd(sum.low, lanes_set(unknown + o)));
            _mm256_store_pd(rhs + o + 4, _mm256_and_pd(sum.high, lanes_set(unknown + o + 4)));
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

/// All ones in the lanes of the eight cells whose byte is not zero.
inline __m256 eight_set(const std::uint8_t* marks) {
    const __m128i row = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(marks));
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(row), _mm256_setzero_si256()));
}

/// All ones in the cells of a row whose bit is set.
inline detail::Row wide_lanes_of(std::uint64_t row_bits) {
    const __m256i lanes = _mm256_castps_si256(lanes_of(row_bits));
    const auto wide = [](__m128i four) { return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(four)); };
    return {wide(_mm256_castsi256_si128(lanes)), wide(_mm256_extracti128_si256(lanes, 1))};
}
/// The rows of q and phi that a block's lower faces along one axis lie between.
template <int D>
struct FaceRows {
    BlockRows<double, D> q;
    BlockRows<float, D> phi;

    FaceRows(const Field<double, D>& pressure, const Field<float, D>& distance, int b)
        : q(pressure, b), phi(distance, b) {}
    detail::Row q_below(const detail::Row& here, int axis, int y, int z) const {
        if (axis == 0) return detail::from_left(here, q.left(y, z));
        return detail::load_row(axis == 1 ? q.row(y - 1, z) : q.row(y, z - 1));
    }
    __m256 phi_below(__m256 here, int axis, int y, int z) const {
        if (axis > 0) return _mm256_load_ps(axis == 1 ? phi.row(y - 1, z) : phi.row(y, z - 1));
        const __m256i order = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
        return _mm256_blend_ps(_mm256_permutevar8x32_ps(here, order),
                               _mm256_set1_ps(phi.left(y, z)), 1);
    }
};

/// u - grad q in a block with surface or solid in it, at the faces `some` along one axis. `here`
/// and `below` tell on which sides of a face there are unknowns; q of what is none counts as zero.
template <int D>
void subtract_at_edges(const FaceRows<D>& rows, int axis, const CellMask<D>& here,
                       const CellMask<D>& below, const CellMask<D>& some, float* u) {
    using namespace detail;
    for (int z = 0, o = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, o += kSide) {
            const std::uint64_t faces = row_of(some[z], y);
            if (faces == 0) continue;
            const std::uint64_t upper = row_of(here[z], y), lower = row_of(below[z], y);
            const Row q_i = load_row(rows.q.self + o), q_j = rows.q_below(q_i, axis, y, z);
            const Row is_i = wide_lanes_of(upper), is_j = wide_lanes_of(lower);
            Row d{_mm256_sub_pd(_mm256_and_pd(q_i.low, is_i.low), _mm256_and_pd(q_j.low, is_j.low)),
                  _mm256_sub_pd(_mm256_and_pd(q_i.high, is_i.high),
                                _mm256_and_pd(q_j.high, is_j.high))};
            if (faces & ~(upper & lower)) {  // (P2) between an unknown and air, else (P1)
                const __m256 p_i = _mm256_load_ps(rows.phi.self + o);
                const __m256 p_j = rows.phi_below(p_i, axis, y, z), i = lanes_of(upper);
                const __m256 to_air =
                    surface_theta(_mm256_blendv_ps(p_j, p_i, i), _mm256_blendv_ps(p_i, p_j, i));
                const __m256 theta =
                    _mm256_blendv_ps(to_air, _mm256_set1_ps(1), lanes_of(upper & lower));
                d.low = _mm256_div_pd(d.low, _mm256_cvtps_pd(_mm256_castps256_ps128(theta)));
                d.high = _mm256_div_pd(d.high, _mm256_cvtps_pd(_mm256_extractf128_ps(theta, 1)));
            }
            const Row before = load_row(u + o);
            const __m256 after =
                _mm256_set_m128(_mm256_cvtpd_ps(_mm256_sub_pd(before.high, d.high)),
                                _mm256_cvtpd_ps(_mm256_sub_pd(before.low, d.low)));
            _mm256_maskstore_ps(u + o, _mm256_castps_si256(lanes_of(faces)), after);
        }
}

/// (P1), (P2); with kFromZero of u = 0, of which nothing is read.
template <int D, bool kFromZero>
void apply_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                    const SolidFields<D>& solid, const Field<double, D>& q, FaceField<float, D>& u,
                    FaceField<std::uint8_t, D>& known) {
    const Blocks<D>& blocks = *system.blocks;
    parallel_for(blocks.size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const CellMask<D> here = nonzero<D>(system.unknown.block(b));
        CellMask<D> below[D];
        CellMask<D> all = here, some = here;
        for (int d = 0; d < D; ++d) {
            const int near = blocks.neighbour(b, face_code<D>(2 * d));
            below[d] = from_below<D>(here, nonzero<D>(system.unknown.block(near)), d);
            for (int z = 0; z < kPlanes<D>; ++z) {
                all[z] &= below[d][z];
                some[z] |= below[d][z];
            }
        }
        const bool is_open = solid.block_kind[b] == kBlockOpen;
        // Most blocks are liquid through and through: no surface, no solid, no branch.
        if (is_open && is_full<D>(all)) {
            subtract_inside<D, kFromZero>(q, b, u);
            for (int d = 0; d < D; ++d) std::fill_n(known.axis(d).block(b), kBlockCells<D>, 1);
            return;
        }
        const FaceRows<D> rows(q, phi, b);
        for (int d = 0; d < D; ++d) {
            float* v = u.axis(d).block(b);
            if (kFromZero) std::fill_n(v, kBlockCells<D>, 0.0f);
            if (!any<D>(some)) {
                std::fill_n(known.axis(d).block(b), kBlockCells<D>, 0);
                continue;
            }
            CellMask<D> faces;
            for (int z = 0; z < kPlanes<D>; ++z) faces[z] = here[z] | below[d][z];
            if (!is_open) {
                const CellMask<D> open = compare<D, _CMP_GT_OQ>(solid.open.axis(d).block(b), 0);
                for (int z = 0; z < kPlanes<D>; ++z) faces[z] &= open[z];
            }
            store_marks<D>(faces, known.axis(d).block(b));
            subtract_at_edges<D>(rows, d, here, below[d], faces, v);
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
            for (int o = 0; o < kBlockCells<D>; o += kSide) {
                const int t = Tile<float, D, 1>::offset(local_cell<D>(o));
                const __m256 here = eight_set(unknown.v + t), p_i = _mm256_loadu_ps(p.v + t);
                const __m256 both = _mm256_and_ps(here, eight_set(unknown.v + t - step));
                _mm256_store_ps(c + o, _mm256_and_ps(both, _mm256_loadu_ps(w + t)));
                // Air on either side pulls the pressure to zero at the surface (P2). A cell with
                // phi < 0 that is no unknown is closed off by solid: its faces have w = 0.
                const auto pull = [&](const float* there, const float* face) SLOSH_INLINE {
                    const __m256 p_j = _mm256_loadu_ps(there);
                    const __m256 air = _mm256_cmp_ps(p_j, _mm256_setzero_ps(), _CMP_GE_OQ);
                    const __m256 e = _mm256_div_ps(_mm256_loadu_ps(face), surface_theta(p_i, p_j));
                    return _mm256_and_ps(_mm256_and_ps(here, air), e);
                };
                const __m256 e =
                    _mm256_add_ps(_mm256_load_ps(excess + o), pull(p.v + t - step, w + t));
                _mm256_store_ps(excess + o, _mm256_add_ps(e, pull(p.v + t + step, w + t + step)));
            }
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
        if (solid.block_kind[b] == kBlockOpen)
            net_inflow<D, true>(u, solid, b, unknown, rhs);
        else
            net_inflow<D, false>(u, solid, b, unknown, rhs);
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
