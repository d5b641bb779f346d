#include "slosh/lcp/multigrid_solvers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "lcp/grid_lcp.h"

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
    std::vector<FasOptions> variants(7);
    variants[0].hierarchy.transfer.kind = CoarseTransfer::Trilinear;
    variants[1].hierarchy.transfer.kind = CoarseTransfer::Constant;
    variants[2].hierarchy.transfer.one_sided = variants[2].hierarchy.transfer.normalise = false;
    variants[3].hierarchy.galerkin = false;
    variants[4].restrict_solution = FasOptions::Restrict::Transposed;
    variants[5].coarse_constraint = FasOptions::Coarse::Most;
    variants[6].visits = 2;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        CAPTURE(v);
        std::vector<double> p;
        CHECK(solve_fas(lcp, {.tolerance = 1e-9, .max_iterations = 100}, p, variants[v]).converged);
        CHECK(largest_difference(p, reference) <= 100 * 1e-9 * largest(lcp.b));
    }
}
