#include <doctest/doctest.h>

#include <cmath>

#include "lcp/grid_lcp.h"
#include "slosh/lcp/galerkin.h"
#include "slosh/lcp/geometric.h"
#include "slosh/lcp/interpolation.h"

using namespace slosh;

namespace {

/// A row is *inside* if all cells within `reach` of its own have rows.
std::vector<int> inside_rows(const SparseLcp& lcp, int reach) {
    std::vector<int> rows;
    for (std::size_t i = 0; i < lcp.cells.size(); ++i) {
        int found = 0;
        for (const Index<3>& c : lcp.cells) {
            const Index<3> d = c - lcp.cells[i];
            found += std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])}) <= reach;
        }
        if (found == std::pow(2 * reach + 1, lcp.dim)) rows.push_back(static_cast<int>(i));
    }
    return rows;
}

}  // namespace

TEST_CASE("Geometry is read off a matrix as it was put in") {
    // One column of three liquid cells on a closed floor, the surface at 0.4 above the last centre.
    // Its side walls cannot be told from air where air is: the excess is shared among three faces.
    SparseLcp lcp;
    lcp.cells = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}};
    lcp.dim = 2;
    const double face = 0.8, theta = 0.4;
    lcp.A.start = {0, 2, 5, 7};
    lcp.A.column = {0, 1, 0, 1, 2, 1, 2};
    lcp.A.value = {1, -1, -1, 1 + face, -face, -face, face + 1 / theta};
    const LcpGeometry g = read_geometry(lcp.A, lcp.cells, 2);
    CHECK(g.scale == 1);
    CHECK(g.open[1][3] == doctest::Approx(face));
    CHECK(g.open[2][2] == doctest::Approx(face));
    CHECK(g.open[0][2] == 0);
    CHECK(!g.near_air[0]);
    CHECK(g.near_air[2]);
    REQUIRE(g.cells.size() == 6);  // three faces of the last cell have no row behind them
    // They share the excess: theta = 3 / (1 / 0.4), cut to 1, and a fraction of 2.5 / 3.
    CHECK(g.phi[2] == doctest::Approx(-1));
    CHECK(g.open[2][3] == doctest::Approx(2.5 / 3));
    // Discretised on its own grid, the system is what it was.
    const GeometricOperator again = discretise(g);
    CHECK(again.A.column == lcp.A.column);
    for (std::size_t k = 0; k < again.A.value.size(); ++k)
        CHECK(again.A.value[k] == doctest::Approx(lcp.A.value[k]));
    // One coarse column: fractions averaged over two faces, of which one exists; a quarter scale.
    const LcpGeometry coarse = coarsened(g, true);
    CHECK(coarse.scale == 0.25);
    for (std::size_t c = 0; c < coarse.cells.size(); ++c)
        if (coarse.cells[c] == Index<3>{0, 0, 0})
            CHECK(coarse.open[c][3] == doctest::Approx(face / 2));
}

TEST_CASE("Interpolation is exact for linear functions away from walls, for constants at walls") {
    const SparseLcp lcp = test::sphere_lcp<3>(16);
    const std::vector<Index<3>> coarse = parents_of(lcp.cells);
    for (const CoarseTransfer kind : {CoarseTransfer::Barycentric, CoarseTransfer::Trilinear}) {
        const SparseMatrix P = interpolation(lcp.A, lcp.cells, coarse, 3, {.kind = kind});
        // Cell c has its centre at c + 1/2, parent C at 2 C + 1.
        std::vector<double> linear(coarse.size()), fine;
        for (std::size_t c = 0; c < coarse.size(); ++c)
            linear[c] = 3 + 0.5 * (2 * coarse[c][0] + 1) - 0.25 * (2 * coarse[c][1] + 1) +
                        (2 * coarse[c][2] + 1);
        P.multiply(linear, fine);
        const std::vector<int> inside = inside_rows(lcp, 1);
        REQUIRE(inside.size() > 10);
        for (int i : inside)
            CHECK(fine[i] ==
                  doctest::Approx(3 + 0.5 * (lcp.cells[i][0] + 0.5) -
                                  0.25 * (lcp.cells[i][1] + 0.5) + lcp.cells[i][2] + 0.5));
        std::vector<double> row_sum, ones(lcp.cells.size(), 1);
        lcp.A.multiply(ones, row_sum);
        P.multiply(std::vector<double>(coarse.size(), 1), fine);
        for (std::size_t i = 0; i < fine.size(); ++i)
            if (std::abs(row_sum[i]) < 1e-6) CHECK(fine[i] == doctest::Approx(1));
    }
}

TEST_CASE("One-sided interpolation does not look across a wall") {
    // A row of cells cut between 1 and 2, and one cut between 2 and 3.
    for (const int cut : {1, 2}) {
        SparseLcp lcp;
        lcp.dim = 2;
        for (int x = 0; x < 4; ++x) lcp.cells.push_back({x, 0, 0});
        for (int x = 0; x < 4; ++x) {
            const bool left = x > 0 && x - 1 != cut, right = x < 3 && x != cut;
            if (left) lcp.A.column.push_back(x - 1), lcp.A.value.push_back(-1);
            lcp.A.column.push_back(x), lcp.A.value.push_back(left + right);
            if (right) lcp.A.column.push_back(x + 1), lcp.A.value.push_back(-1);
            lcp.A.start.push_back(static_cast<std::int64_t>(lcp.A.column.size()));
        }
        const std::vector<Index<3>> coarse = parents_of(lcp.cells);
        const SparseMatrix P = interpolation(lcp.A, lcp.cells, coarse, 2, {});
        std::vector<double> fine;
        P.multiply({1, 5}, fine);
        if (cut == 1) CHECK(fine == std::vector<double>{1, 1, 5, 5});
        // Cell 2 is joined to 1, and 1 to 2: they see both coarse cells, 3 sees its own.
        if (cut == 2) {
            CHECK(fine[1] > 1);
            CHECK(fine[2] < 5);
            CHECK(fine[3] == 5);
        }
    }
}

TEST_CASE("Coarse operators are R A P and symmetric") {
    const SparseLcp lcp = test::sphere_lcp<3>(10);
    const std::vector<Index<3>> coarse = parents_of(lcp.cells);
    const int m = static_cast<int>(coarse.size());
    const SparseMatrix P = interpolation(lcp.A, lcp.cells, coarse, 3, {});
    const SparseMatrix R = transposed(P, m, 1.0 / 8);
    const SparseMatrix sparse = galerkin(R, lcp.A, P);
    std::vector<double> column, fine, image;
    double largest_entry = 0, error = 0, asymmetry = 0;
    std::vector<std::vector<double>> H(m, std::vector<double>(m, 0));
    for (int i = 0; i < m; ++i)
        for (std::int64_t k = sparse.start[i]; k < sparse.start[i + 1]; ++k) {
            H[i][sparse.column[k]] = sparse.value[k];
            if (k > sparse.start[i]) CHECK(sparse.column[k - 1] < sparse.column[k]);
        }
    for (int j = 0; j < m; ++j) {
        std::vector<double> unit(m, 0);
        unit[j] = 1;
        P.multiply(unit, fine);
        lcp.A.multiply(fine, image);
        for (int i = 0; i < m; ++i) {
            double expected = 0;
            for (std::size_t f = 0; f < image.size(); ++f)
                for (std::int64_t k = P.start[f]; k < P.start[f + 1]; ++k)
                    if (P.column[k] == i) expected += P.value[k] * image[f] / 8;
            largest_entry = std::max(largest_entry, std::abs(expected));
            error = std::max(error, std::abs(H[i][j] - expected));
            asymmetry = std::max(asymmetry, std::abs(H[i][j] - H[j][i]));
        }
    }
    CHECK(error <= 1e-14 * largest_entry);  // sums of some hundred terms in another order
    CHECK(asymmetry <= 1e-14 * largest_entry);
}
