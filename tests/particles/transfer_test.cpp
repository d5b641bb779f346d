#include "slosh/particles/transfer.h"

#include <doctest/doctest.h>

#include "particles/cloud.h"
#include "slosh/particles/move.h"

using namespace slosh;

namespace {

/// A sorted cloud and its transfer to the grid.
template <int D>
struct Transferred {
    Particles<D> particles;
    ParticleBlocks<D> pblocks;
    BlocksPtr<D> grid;
    FaceField<float, D> velocity, weight;

    explicit Transferred(Particles<D> p) : particles(std::move(p)) {
        pblocks = sort_by_block(particles);
        grid = around(pblocks);
        velocity = FaceField<float, D>(grid);
        weight = FaceField<float, D>(grid);
        // Leftovers of the step before must not matter.
        for (int d = 0; d < D; ++d) velocity.axis(d).fill(9), weight.axis(d).fill(9);
        particles_to_grid(particles, pblocks, velocity, weight);
    }
};

/// First moments M[axis] = sum (amount of component axis) * (its place), whose antisymmetric part
/// is the angular momentum, and the plain sums.
template <int D>
struct Moments {
    Point<D> momentum;
    Mat<D> moment;
};

template <int D>
Moments<D> moments_of_grid(const FaceField<float, D>& velocity, const FaceField<float, D>& weight) {
    Moments<D> m;
    for (int axis = 0; axis < D; ++axis)
        for (int b = 0; b < velocity.blocks().size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                const double amount = static_cast<double>(velocity.axis(axis).block(b)[o]) *
                                      weight.axis(axis).block(b)[o];
                m.momentum[axis] += amount;
                m.moment.row[axis] +=
                    face_point<D>(axis, velocity.blocks().first_cell(b) + local_cell<D>(o)) *
                    amount;
            }
    return m;
}

/// The same of particles: component i carries x v_i + D_i c_i, D_i the kernel's inertia t (1 - t)
/// along each axis among the faces of component i [Jiang et al. 2015].
template <int D>
Moments<D> moments_of_particles(const Particles<D>& p) {
    Moments<D> m;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int axis = 0; axis < D; ++axis) {
            const Point<D> x = p.position(i);
            m.momentum[axis] += p.v[axis][i];
            m.moment.row[axis] += x * static_cast<double>(p.v[axis][i]);
            for (int d = 0; d < D && p.affine(); ++d) {
                const double s = x[d] - (d == axis ? 0 : 0.5), t = s - std::floor(s);
                m.moment.row[axis][d] += t * (1 - t) * p.c[axis][d][i];
            }
        }
    return m;
}

/// Angular momentum (2D: one number, 3D: three), as the antisymmetric part of the first moments.
template <int D>
double antisymmetric(const Mat<D>& m, int i, int j) {
    return m.row[j][i] - m.row[i][j];
}

template <int D>
void check_same(const Moments<D>& a, const Moments<D>& b, std::size_t particles, double reach) {
    // Float sums of terms of size `reach`; the sum of n of them errs by about sqrt(n) ulp.
    const double tolerance = 1e-6 * reach * std::sqrt(static_cast<double>(particles));
    for (int d = 0; d < D; ++d) CHECK(std::abs(a.momentum[d] - b.momentum[d]) < tolerance / reach);
    for (int i = 0; i < D; ++i)
        for (int j = i + 1; j < D; ++j)
            CHECK(std::abs(antisymmetric(a.moment, i, j) - antisymmetric(b.moment, i, j)) <
                  tolerance);
}

}  // namespace

TEST_CASE_TEMPLATE("APIC keeps linear and angular momentum, both ways", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const double reach = 12;
    Transferred<D> t(random_cloud<D>(20000, reach, true));
    const auto on_particles = moments_of_particles(t.particles);
    const auto on_grid = moments_of_grid(t.velocity, t.weight);
    CHECK(std::abs(antisymmetric(on_particles.moment, 0, 1)) > 10);  // there is something to keep
    check_same(on_particles, on_grid, t.particles.size(), reach);

    auto p = t.particles;
    (void)gather_and_move<D>(t.velocity, nullptr, no_solid<D>(t.grid), t.pblocks, {.dt_over_dx = 0},
                             p);
    check_same(on_grid, moments_of_particles(p), p.size(), reach);
}

TEST_CASE_TEMPLATE("the plain transfer keeps linear momentum", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Transferred<D> t(random_cloud<D>(20000, 12, false));
    const auto on_particles = moments_of_particles(t.particles);
    const auto on_grid = moments_of_grid(t.velocity, t.weight);
    for (int d = 0; d < D; ++d)
        CHECK(on_particles.momentum[d] == doctest::Approx(on_grid.momentum[d]).epsilon(1e-5));
}

TEST_CASE_TEMPLATE("weights sum to the number of particles", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Transferred<D> t(random_cloud<D>(30001, 20, true));
    for (int axis = 0; axis < D; ++axis) {
        double sum = 0;
        for (std::size_t c = 0; c < t.weight.axis(axis).cells(); ++c) {
            const float w = t.weight.axis(axis).data()[c];
            sum += w;
            if (w == 0) REQUIRE(t.velocity.axis(axis).data()[c] == 0);
        }
        CHECK(sum == doctest::Approx(30001).epsilon(1e-6));
    }
}

TEST_CASE_TEMPLATE("an affine field passes unchanged through APIC", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Mat<D> a = some_matrix<D>();
    const Point<D> shift = Point<D>::filled(0.3);
    auto cloud = random_cloud<D>(20000, 12, true);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
        const Point<D> u = a * cloud.position(i) + shift;
        for (int d = 0; d < D; ++d) {
            cloud.v[d][i] = static_cast<float>(u[d]);
            for (int e = 0; e < D; ++e) cloud.c[d][e][i] = static_cast<float>(a.row[d][e]);
        }
    }
    Transferred<D> t(std::move(cloud));
    // Every face that a particle reaches carries the field's value there ...
    double worst = 0;
    for (int axis = 0; axis < D; ++axis)
        for (int b = 0; b < t.grid->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                if (t.weight.axis(axis).block(b)[o] == 0) continue;
                const Point<D> x = face_point<D>(axis, t.grid->first_cell(b) + local_cell<D>(o));
                const double u = (a * x + shift)[axis];
                worst = std::max(worst, std::abs(t.velocity.axis(axis).block(b)[o] - u));
            }
    CHECK(worst < 2e-5);
    // ... and so does every particle afterwards, with its gradient.
    auto p = t.particles;
    (void)gather_and_move<D>(t.velocity, nullptr, no_solid<D>(t.grid), t.pblocks, {.dt_over_dx = 0},
                             p);
    double worst_v = 0, worst_c = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int d = 0; d < D; ++d) {
            worst_v = std::max(worst_v, std::abs(p.v[d][i] - (a * p.position(i) + shift)[d]));
            for (int e = 0; e < D; ++e)
                worst_c = std::max(worst_c, std::abs(p.c[d][e][i] - a.row[d][e]));
        }
    CHECK(worst_v < 2e-5);
    CHECK(worst_c < 4e-5);
}

TEST_CASE_TEMPLATE("a particle on a block's edge reaches the faces beyond", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (float x : {0.0f, 7.9999995f, 8.0f, -1e-9f, -8.0f, 3.5f}) {
        Particles<D> p;
        p.resize(1, false);
        for (int d = 0; d < D; ++d) p.x[d][0] = x, p.v[d][0] = 2;
        p.id[0] = 0;
        Transferred<D> t(p);
        const auto m = moments_of_grid(t.velocity, t.weight);
        for (int d = 0; d < D; ++d) {
            CHECK(m.momentum[d] == doctest::Approx(2));
            for (int e = 0; e < D; ++e) CHECK(m.moment.row[d][e] == doctest::Approx(2.0 * x));
        }
    }
}

TEST_CASE_TEMPLATE("the transfer gives the same bytes on any number of threads", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    set_threads(1);
    const Transferred<D> one(random_cloud<D>(50000, 20, true));
    for (int threads : {2, 3}) {
        set_threads(threads);
        const Transferred<D> many(random_cloud<D>(50000, 20, true));
        for (int d = 0; d < D; ++d) {
            const std::size_t n = one.velocity.axis(d).cells() * sizeof(float);
            CHECK(std::memcmp(one.velocity.axis(d).data(), many.velocity.axis(d).data(), n) == 0);
            CHECK(std::memcmp(one.weight.axis(d).data(), many.weight.axis(d).data(), n) == 0);
        }
    }
    set_threads(0);
}
