#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "common.h"
#include "lcp/grids.h"
#include "slosh/base/parallel.h"
#include "slosh/lcp/cholesky.h"
#include "slosh/lcp/solve.h"
#include "slosh/lcp/sparse_solvers.h"

using namespace slosh;

namespace {

struct RestoreThreads {
    ~RestoreThreads() { set_threads(0); }
};

/// -p'' + c >= 0, p >= 0 on (0, 1], p(0) = 1, p'(1) = 0, on n cells whose *right* ends hold p.
SparseLcp obstacle(int n, double c) {
    const double h = 1.0 / n;
    SparseLcp lcp = chain(n);
    add_to_diagonal(lcp, 0, 1);
    for (double& a : lcp.A.value) a /= h * h;
    lcp.b.assign(n, c);
    lcp.b[0] -= 1 / (h * h);
    lcp.constrained.assign(n, 1);
    return lcp;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

}  // namespace

TEST_CASE("Case 6e: the obstacle problem gives the parabola (1 - x/x0)^2") {
    const int n = 64;
    // Where x0 is a node the parabola solves the difference equations exactly; elsewhere the one
    // cell with the kink errs by at most the second difference of the parabola, c h^2.
    for (const double x0 : {32.0 / n, 48.0 / n, 0.4371, 0.7119}) {
        const double c = 2 / (x0 * x0);
        const bool on_node = x0 * n == std::round(x0 * n);
        const SparseLcp lcp = obstacle(n, c);
        for (const LcpSolver& solver : lcp_solvers()) {
            CAPTURE(solver.word);
            CAPTURE(x0);
            std::vector<double> p;
            const LcpReport report =
                solve_lcp(solver.word, lcp, {.tolerance = 1e-9, .max_iterations = 100000}, p);
            CHECK(report.converged);
            // |p - p*| <= A^-1 |r|: the row sums of A^-1 reach 1/2, max|b| is n^2.
            double bound = 0.5 * 1e-9 * n * n;
            if (!on_node) bound += c / (n * n);
            double worst = 0;
            for (int i = 0; i < n; ++i) {
                const double s = std::max(0.0, 1 - (i + 1.0) / n / x0);
                worst = std::max(worst, std::abs(p[i] - s * s));
            }
            CHECK(worst <= bound);
            if (on_node) CHECK(report.active == n - std::lround(x0 * n) + 1);
        }
    }
}

TEST_CASE_TEMPLATE("All solvers agree on a tank, part of whose wall lets go", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const SparseLcp lcp = tank<D>(D == 2 ? 32 : 12);
    std::vector<double> reference;
    const LcpReport exact =
        solve_policy_pcg(lcp, {.tolerance = 1e-12, .max_iterations = 10000}, reference);
    CHECK(exact.converged);
    CHECK(exact.active > exact.constrained / 8);
    CHECK(exact.active < exact.constrained * 7 / 8);
    double largest = 0;
    for (double x : reference) largest = std::max(largest, std::abs(x));
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        const LcpReport report =
            solve_lcp(solver.word, lcp, {.tolerance = 1e-9, .max_iterations = 20000}, p);
        CHECK(report.converged);
        CHECK(report.active == exact.active);
        // Row sums of A^-1 are below n^2 = 1024: 1e-9 of b is 1e-6 of p at the very most.
        CHECK(largest_difference(p, reference) <= 1e-6 * largest);
    }
}

TEST_CASE("A closed tank lets go of its wall if its liquid expands, and only then") {
    SparseLcp lcp = tank<2>(24, true);
    const double n = static_cast<double>(lcp.b.size());
    double mean = 0;
    for (double b : lcp.b) mean += b / n;
    for (const double surplus : {0.01, 0.0, -0.01}) {
        for (double& b : lcp.b) b += surplus - mean;
        mean = surplus;
        for (const LcpSolver& solver : lcp_solvers()) {
            CAPTURE(solver.word);
            CAPTURE(surplus);
            std::vector<double> p, w;
            const LcpReport report =
                solve_lcp(solver.word, lcp, {.tolerance = 1e-9, .max_iterations = 50000}, p);
            CHECK(report.converged);
            CHECK(report.pockets == 1);
            lcp.A.multiply(p, w);
            double released = 0, least = 1;
            for (std::size_t i = 0; i < w.size(); ++i) {
                if (!lcp.constrained[i]) continue;
                released += std::max(0.0, w[i] + lcp.b[i] + std::max(0.0, -surplus));
                least = std::min(least, p[i]);
            }
            // All of the surplus leaves through the wall; 1e-9 of b a row is what may be missing.
            CHECK(std::abs(released - std::max(0.0, surplus) * n) <= 2e-9 * n);
            CHECK(std::abs(least) <= 1e-8);
        }
    }
}

TEST_CASE("The last active set is a head start") {
    const SparseLcp lcp = tank<2>(32);
    const LcpOptions options{.tolerance = 1e-8, .max_iterations = 10000};
    for (const std::string word : {"policy-pcg", "penalty-pcg"}) {
        CAPTURE(word);
        std::vector<double> p, q;
        const LcpReport cold = solve_lcp(word, lcp, options, p);
        std::vector<std::uint8_t> active;
        natural_residual(lcp, p, &active);
        const LcpReport warm = solve_lcp(word, lcp, options, q, &active);
        CHECK(cold.outer > 1);
        CHECK(warm.converged);
        CHECK(warm.outer == 1);
        CHECK(warm.iterations < cold.iterations);
    }
}

TEST_CASE("A control that is all wrong still leads to the solution") {
    const SparseLcp lcp = tank<2>(24);
    const LcpOptions options{.tolerance = 1e-8, .max_iterations = 10000};
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        CHECK(solve_lcp(solver.word, lcp, options, p).converged);
        std::vector<std::uint8_t> wrong;
        natural_residual(lcp, p, &wrong);
        for (std::uint8_t& a : wrong) a = !a;
        std::vector<double> q;
        CHECK(solve_lcp(solver.word, lcp, options, q, &wrong).converged);
        CHECK(largest_difference(p, q) <= 1e-4);
    }
}

TEST_CASE("A solution is recognised without an iteration") {
    const SparseLcp lcp = tank<2>(24);
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        CHECK(
            solve_lcp(solver.word, lcp, {.tolerance = 1e-9, .max_iterations = 10000}, p).converged);
        const LcpReport again = solve_lcp(solver.word, lcp, {.tolerance = 1e-6}, p);
        CHECK(again.converged);
        CHECK(again.iterations == 0);
    }
}

TEST_CASE("Threads do not change a bit of the solution") {
    const RestoreThreads restore;
    const SparseLcp lcp = tank<3>(36);
    REQUIRE(lcp.A.rows() > 10000);  // more than one chunk of rows, and of each colour
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> one;
        for (int count : {1, 2, 3}) {
            set_threads(count);
            std::vector<double> p;
            const LcpReport report = solve_lcp(solver.word, lcp, {.max_iterations = 30}, p);
            CHECK(report.iterations > 0);
            if (count == 1) one = p;
            CHECK(std::memcmp(one.data(), p.data(), p.size() * sizeof(double)) == 0);
        }
    }
}

TEST_CASE("Cells that do not split into red and black are swept in their order") {
    SparseLcp lcp = tank<2>(16), plain = lcp;
    for (Index<3>& cell : lcp.cells) cell[0] *= 2;  // neighbours along x now share a colour
    plain.cells.clear();
    std::vector<double> p, q;
    const LcpReport a = solve_pgs(lcp, {.max_iterations = 20}, p);
    const LcpReport b = solve_pgs(plain, {.max_iterations = 20}, q);
    CHECK(a.residual == b.residual);
    CHECK(p == q);
}

TEST_CASE("MIC(0) takes a tank in a third of the steps that plain conjugate gradients need") {
    const SparseLcp lcp = tank<2>(64);
    const std::vector<std::uint8_t> fixed(lcp.b.size(), 0);
    const std::vector<double> nothing;
    const InnerSystem system{.lcp = lcp,
                             .fixed = fixed,
                             .extra = nothing,
                             .goal = 1e-8,
                             .max_iterations = 1000,
                             .after_each = {}};
    std::vector<double> p(lcp.b.size(), 0), q = p;
    const int with = solve_mic_pcg(system, p).iterations;
    const int without = conjugate_gradients(system, nullptr, q).iterations;
    CHECK(3 * with < without);
    CHECK(largest_difference(p, q) <= 1e-5);
}
