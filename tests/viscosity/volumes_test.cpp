#include "slosh/viscosity/volumes.h"

#include <doctest/doctest.h>

#include "common.h"
#include "flows.h"

namespace slosh {
namespace {

template <int D>
double total(const Field<float, D>& f) {
    double sum = 0;
    for (std::size_t i = 0; i < f.cells(); ++i) sum += f.data()[i];
    return sum;
}

/// Largest difference between the sums over cells, faces of each axis and edges of each pair.
template <int D>
double inconsistency(const SampleVolumes<D>& v) {
    const double cells = total(v.cell);
    double worst = 0;
    for (int d = 0; d < D; ++d) worst = std::max(worst, std::abs(total(v.face.axis(d)) - cells));
    for (const auto& e : v.edge) worst = std::max(worst, std::abs(total(e) - cells));
    return worst / cells;
}

template <int D>
double ball(const Point<D>& x) {
    return length(x - Point<D>::filled(0.47)) - 0.29;
}

}  // namespace

TEST_CASE_TEMPLATE("samples that overlap count the same volume", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto flow = [](VolumeKind kind) {
        return test::Flow<D>(24, test::no_solid<D>, ball<D>, kind).liquid;
    };
    CHECK(inconsistency(flow(VolumeKind::Consistent)) < 1e-6);
    CHECK(inconsistency(flow(VolumeKind::Supersampled)) < 1e-6);
    CHECK(inconsistency(flow(VolumeKind::Independent)) > 1e-5);
}

TEST_CASE_TEMPLATE("only consistent volumes see a drop of one cell", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    // As the level set of a lone particle: a shallow cell amid air.
    const auto drop = [](const Point<D>& x) {
        return length(x - Point<D>::filled(8.5 / 16)) < 1e-6 ? -0.3 / 16 : 3.0 / 16;
    };
    for (const VolumeKind kind :
         {VolumeKind::Consistent, VolumeKind::Independent, VolumeKind::Supersampled}) {
        const test::Flow<D> flow(16, test::no_solid<D>, drop, kind);
        const Index<D> at = Index<D>::filled(8);
        for (int d = 0; d < D; ++d)
            for (const Index<D>& face : {at, at + unit<D>(d)})
                CHECK((flow.liquid.face.axis(d).get(face) > 0) == (kind == VolumeKind::Consistent));
    }
}

TEST_CASE_TEMPLATE("consistent volumes are second order", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const double exact = D == 2 ? M_PI * 0.29 * 0.29 : 4 * M_PI / 3 * 0.29 * 0.29 * 0.29;
    const auto error = [&](int n, VolumeKind kind) {
        const test::Flow<D> flow(n, test::no_solid<D>, ball<D>, kind);
        return std::abs(total(flow.liquid.cell) * std::pow(1.0 / n, D) / exact - 1);
    };
    const double coarse = error(16, VolumeKind::Consistent),
                 fine = error(32, VolumeKind::Consistent);
    CHECK(coarse < 0.03);
    CHECK(fine < 0.3 * coarse);
}

TEST_CASE_TEMPLATE("a wall along the grid opens faces, cells and edges by 0, 1/2 or 1", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    const test::Flow<D> flow(
        16, [](const Point<D>& x) { return x[1] - 0.25; }, test::all_liquid<D>);
    Index<D> at = Index<D>::filled(5);
    at[1] = 4;  // the first row of cells above the wall
    CHECK(flow.open.cell.get(at) == 1);
    CHECK(flow.open.face.axis(0).get(at) == 1);
    CHECK(flow.open.face.axis(1).get(at) == 0.5f);
    CHECK(flow.open.edge[pair_of(0, 1)].get(at) == 0.5f);
    at[1] = 3;
    CHECK(flow.open.cell.get(at) == 0);
    CHECK(flow.open.face.axis(1).get(at) == 0);
}

}  // namespace slosh
