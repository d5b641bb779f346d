#include "slosh/lcp/multigrid_solvers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "lcp/exact.h"
#include "lcp/grid_lcp.h"
#include "slosh/lcp/galerkin.h"
#include "slosh/lcp/geometric.h"

using namespace slosh;

namespace {

using Solver = std::function<LcpReport(const SparseLcp&, const LcpOptions&, std::vector<double>&)>;
struct Named {
    std::string name;
    Solver solve;
};

std::vector<Named> solvers() {
    return {
        {"fas", [](auto& l, auto& o, auto& p) { return solve_fas(l, o, p); }},
        {"policy-mg", [](auto& l, auto& o, auto& p) { return solve_policy_mg(l, o, p); }},
        {"penalty-mg", [](auto& l, auto& o, auto& p) { return solve_penalty_mg(l, o, p); }},
        {"fmg", [](auto& l, auto& o, auto& p) { return solve_fmg(l, o, p); }},
    };
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
    return worst;
}
double largest(const std::vector<double>& x) {
    return largest_difference(x, std::vector<double>(x.size(), 0));
}

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

void check_against_reference(const SparseLcp& lcp) {
    // Policy iteration with MIC(0)-PCG shares nothing with the grids, and is itself tested against
    // Lemke's method. |p - p*| <= |A^-1| |r|, and |A^-1| is about n^2/8 < 100 here.
    std::vector<double> reference;
    const LcpReport tight =
        solve_policy_pcg(lcp, {.tolerance = 1e-12, .max_iterations = 100000}, reference);
    REQUIRE(tight.converged);
    REQUIRE(tight.active > 0);
    REQUIRE(tight.active < tight.constrained);
    for (const Named& s : solvers()) {
        CAPTURE(s.name);
        std::vector<double> p;
        const LcpReport report =
            s.solve(lcp, {.tolerance = 1e-9, .max_iterations = 200, .history = true}, p);
        CHECK(report.converged);
        CHECK(natural_residual(lcp, p) <= 1e-9 * largest(lcp.b));
        CHECK(report.active == tight.active);
        CHECK(largest_difference(p, reference) <= 100 * 1e-9 * largest(lcp.b));
        CHECK(report.history.size() == static_cast<std::size_t>(report.iterations) + 1);
        CHECK(report.bytes > 0);
    }
}

}  // namespace

TEST_CASE("Multigrid solvers find the solution in a sphere") {
    SUBCASE("2D") {
        check_against_reference(test::sphere_lcp<2>(24));
    }
    SUBCASE("3D") {
        check_against_reference(test::sphere_lcp<3>(16));
    }
    SUBCASE("3D, cells on both sides of zero") {
        SparseLcp lcp = test::sphere_lcp<3>(16);
        for (Index<3>& c : lcp.cells) c -= Index<3>{7, 9, 8};
        check_against_reference(lcp);
    }
    SUBCASE("a thin wall between two pools at different heights") {
        const auto wall = [](const Point<2>& x) { return std::abs(x[0] - 0.47) - 0.04; };
        check_against_reference(test::grid_lcp<2>(
            24, [&](const Point<2>& x) { return std::min(test::sphere_solid<2>(x), wall(x)); },
            [](const Point<2>& x) { return x[1] - (x[0] < 0.47 ? 0.72 : 0.41); }));
    }
}

TEST_CASE("Multigrid solvers solve pockets without air") {
    // The sphere quite full: only the walls' release can change the volume of the velocity field.
    SparseLcp lcp =
        test::grid_lcp<3>(16, test::sphere_solid<3>, [](const Point<3>&) { return -1.0; });
    for (double shift : {0.0, 1e-3, -1e-3}) {
        CAPTURE(shift);
        SparseLcp shifted = lcp;
        for (double& b : shifted.b) b += shift;  // sum b zero, positive, negative
        for (const Named& s : solvers()) {
            CAPTURE(s.name);
            if (s.name == "fmg" && shift > 0) continue;  // a weakness that fmg.h states
            std::vector<double> p;
            const LcpReport report =
                s.solve(shifted, {.tolerance = 1e-7, .max_iterations = 200}, p);
            CHECK(report.converged);
            CHECK(report.pockets == 1);
        }
    }
}

TEST_CASE("A solve starts from its first guess and can stop at once") {
    const SparseLcp lcp = test::sphere_lcp<2>(24);
    for (const Named& s : solvers()) {
        CAPTURE(s.name);
        std::vector<double> p;
        CHECK(s.solve(lcp, {.tolerance = 1e-8}, p).converged);
        const std::vector<double> before = p;
        const LcpReport again = s.solve(lcp, {.tolerance = 1e-7}, p);
        CHECK(again.converged);
        CHECK(again.iterations == 0);
        CHECK(p == before);
        p.clear();
        const LcpReport cut = s.solve(lcp, {.tolerance = 1e-8, .max_iterations = 2}, p);
        CHECK(!cut.converged);
        CHECK(cut.iterations == 2);
    }
}

TEST_CASE("Cycles of the full approximation scheme hardly grow with the grid") {
    // 16 to 32 doubles N; methods without coarse constraints double their cycles, [Lai2021] counts
    // one more. Two more are allowed.
    int cycles[2];
    for (int k = 0; k < 2; ++k) {
        std::vector<double> p;
        const LcpReport report = solve_fas(test::sphere_lcp<3>(16 << k), {.tolerance = 1e-7}, p);
        CHECK(report.converged);
        cycles[k] = report.iterations;
    }
    CHECK(cycles[0] <= 10);
    CHECK(cycles[1] <= cycles[0] + 2);
}

TEST_CASE("Full multigrid says so when it stalls") {
    // As printed, residuals of active rows keep pushing: no convergence, and no pretence of it.
    const SparseLcp lcp = test::sphere_lcp<3>(16);
    FmgOptions as_printed;
    as_printed.mask_held = false;
    std::vector<double> p;
    const LcpReport report =
        solve_fmg(lcp, {.tolerance = 1e-8, .max_iterations = 500}, p, as_printed);
    CHECK(!report.converged);
    CHECK(report.iterations < 500);
    CHECK(report.residual == natural_residual(lcp, p));
}

TEST_CASE("Variants of the full approximation scheme find the same solution") {
    const SparseLcp lcp = test::sphere_lcp<3>(16);
    std::vector<double> reference;
    REQUIRE(solve_fas(lcp, {.tolerance = 1e-11}, reference).converged);
    std::vector<FasOptions> variants(6);
    variants[0].hierarchy.transfer.kind = Transfer::Trilinear;
    variants[1].hierarchy.transfer.kind = Transfer::Constant;
    variants[2].hierarchy.transfer.one_sided = variants[2].hierarchy.transfer.normalise = false;
    variants[3].hierarchy.galerkin = false;
    variants[4].restrict_solution = FasOptions::Restrict::Transposed;
    variants[5].coarse_constraint = FasOptions::Coarse::Most;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        CAPTURE(v);
        std::vector<double> p;
        CHECK(solve_fas(lcp, {.tolerance = 1e-9, .max_iterations = 100}, p, variants[v]).converged);
        CHECK(largest_difference(p, reference) <= 100 * 1e-9 * largest(lcp.b));
    }
}

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
    const GridGeometry g = read_geometry(lcp.A, lcp.cells, 2);
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
    const GridGeometry coarse = coarsened(g, true);
    CHECK(coarse.scale == 0.25);
    for (std::size_t c = 0; c < coarse.cells.size(); ++c)
        if (coarse.cells[c] == Index<3>{0, 0, 0})
            CHECK(coarse.open[c][3] == doctest::Approx(face / 2));
}

TEST_CASE("Interpolation is exact for linear functions away from walls, for constants at walls") {
    const SparseLcp lcp = test::sphere_lcp<3>(16);
    const std::vector<Index<3>> coarse = parents_of(lcp.cells);
    for (const Transfer kind : {Transfer::Barycentric, Transfer::Trilinear}) {
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
