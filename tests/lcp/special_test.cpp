// What must not break a solver, each fact for every word.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lcp/grids.h"
#include "slosh/base/error.h"
#include "slosh/lcp/prepare.h"
#include "slosh/lcp/solve.h"

using namespace slosh;

namespace {

const LcpOptions kTight{.tolerance = 1e-10, .max_iterations = 100000};

/// Calls body(word, p, report) for every solver, which must have converged.
template <class Body>
void with_each_solver(const SparseLcp& lcp, const Body& body) {
    for (const LcpSolver& solver : lcp_solvers()) {
        const std::string word = solver.word;
        CAPTURE(word);
        std::vector<double> p;
        const LcpReport report = solve_lcp(word, lcp, kTight, p);
        CHECK(report.converged);
        REQUIRE(p.size() == lcp.b.size());
        body(p, report);
    }
}

std::vector<double> w_of(const SparseLcp& lcp, const std::vector<double>& p) {
    std::vector<double> w;
    lcp.A.multiply(p, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += lcp.b[i];
    return w;
}

/// A chain held at p = 0 beyond its first cell.
SparseLcp open_chain(int n) {
    SparseLcp lcp = chain(n);
    add_to_diagonal(lcp, 0, 1);
    return lcp;
}

}  // namespace

TEST_CASE("An empty S leaves a linear system, with negative pressure allowed") {
    SparseLcp lcp = open_chain(5);
    lcp.b.assign(5, 1);
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        // Flux i-1/2 carries what lies right of it: p_i = -(5 + 4 + ... + (5 - i)).
        const double exact[] = {-5, -9, -12, -14, -15};
        for (int i = 0; i < 5; ++i) CHECK(p[i] == doctest::Approx(exact[i]).epsilon(1e-8));
        CHECK(report.active == 0);
        CHECK(report.constrained == 0);
    });
}

TEST_CASE("When every row lets go the pressure is zero") {
    SparseLcp lcp = open_chain(6);
    lcp.b.assign(6, 0.5);
    lcp.constrained.assign(6, 1);
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        for (double x : p) CHECK(std::abs(x) <= 1e-10);
        CHECK(report.active == 6);
    });
}

TEST_CASE("When no row lets go the constraints change nothing") {
    SparseLcp lcp = open_chain(5);
    lcp.b.assign(5, -1);
    lcp.constrained.assign(5, 1);
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        const double exact[] = {5, 9, 12, 14, 15};
        for (int i = 0; i < 5; ++i) CHECK(p[i] == doctest::Approx(exact[i]).epsilon(1e-8));
        CHECK(report.active == 0);
    });
}

TEST_CASE("Without a right-hand side the pressure is zero at once") {
    SparseLcp lcp = open_chain(4);
    lcp.constrained.assign(4, 1);
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        for (double x : p) CHECK(x == 0);
        CHECK(report.iterations == 0);
        CHECK(report.residual == 0);
    });
}

TEST_CASE("A system without rows is solved") {
    with_each_solver(SparseLcp{}, [](const std::vector<double>&, const LcpReport& report) {
        CHECK(report.unknowns == 0);
    });
}

TEST_CASE("A closed pocket without rows in S is made consistent") {
    SparseLcp lcp = chain(4);
    lcp.b = {3, 0, 0, 1};  // mean 1
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        // Consistent b = {2, -1, -1, 0}: differences of p follow, the level does not.
        CHECK(p[1] - p[0] == doctest::Approx(2));
        CHECK(p[2] - p[1] == doctest::Approx(1));
        CHECK(std::abs(p[3] - p[2]) <= 1e-8);
        CHECK(report.pockets == 1);
    });
}

TEST_CASE("A pocket pressed by its walls is made consistent and bears on them") {
    SparseLcp lcp = chain(4);
    lcp.b = {-3, 0, 0, -1};
    lcp.constrained = {1, 0, 0, 1};
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport&) {
        const double exact[] = {3, 1, 0, 0};  // min over S is zero
        for (int i = 0; i < 4; ++i) CHECK(std::abs(p[i] - exact[i]) <= 1e-8);
    });
}

TEST_CASE("A balanced pocket keeps its walls, with the smallest wall pressure zero") {
    SparseLcp lcp = chain(4);
    lcp.b = {-2, 0, 1, 1};
    lcp.constrained = {1, 1, 0, 0};  // the smallest pressure lies outside S
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        const double exact[] = {2, 0, -2, -3};
        for (int i = 0; i < 4; ++i) CHECK(std::abs(p[i] - exact[i]) <= 1e-8);
        for (double w : w_of(lcp, p)) CHECK(std::abs(w) <= 1e-9);
        CHECK(report.pockets == 1);
    });
}

TEST_CASE("A pocket that expands lets go of a wall") {
    SparseLcp lcp = chain(4);
    lcp.b = {-2, 0, 1, 4};
    lcp.constrained = {1, 0, 0, 1};
    with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
        // All of the surplus leaves by the last cell: p = {3, 1, -1, ...} would not be zero there.
        const std::vector<double> w = w_of(lcp, p);
        CHECK(w[3] == doctest::Approx(3));
        for (int i = 0; i < 3; ++i) CHECK(std::abs(w[i]) <= 1e-9);
        const double exact[] = {5, 3, 1, 0};
        for (int i = 0; i < 4; ++i) CHECK(std::abs(p[i] - exact[i]) <= 1e-7);
        CHECK(report.active == 1);
    });
}

TEST_CASE("Rows without a diagonal do no harm") {
    SparseLcp lcp = chain(1);
    for (const auto& [b, in_s] : {std::pair{1.0, 1}, {1.0, 0}, {-1.0, 1}, {-1.0, 0}, {0.0, 1}}) {
        lcp.b[0] = b;
        lcp.constrained[0] = static_cast<std::uint8_t>(in_s);
        with_each_solver(lcp, [&](const std::vector<double>& p, const LcpReport& report) {
            CHECK(p[0] == 0);
            CHECK(report.active == (b > 0 && in_s ? 1 : 0));
        });
    }
}

TEST_CASE("A first guess that is not finite is not used") {
    SparseLcp lcp = open_chain(5);
    lcp.b = {1, -1, 0.5, -0.25, 2};
    lcp.constrained = {1, 0, 1, 0, 1};
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p(5, std::numeric_limits<double>::quiet_NaN()), q;
        CHECK(solve_lcp(solver.word, lcp, kTight, p).converged);
        CHECK(solve_lcp(solver.word, lcp, kTight, q).converged);
        CHECK(p == q);
    }
}

TEST_CASE("A right-hand side that is not finite is never said to be solved") {
    SparseLcp lcp = open_chain(5);
    lcp.b = {1, -1, std::numeric_limits<double>::quiet_NaN(), -0.25, 2};
    lcp.constrained = {1, 0, 1, 0, 1};
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        CHECK_FALSE(solve_lcp(solver.word, lcp, {.max_iterations = 50}, p).converged);
    }
}

TEST_CASE("Running out of iterations is reported, with the residual that was reached") {
    const SparseLcp lcp = tank<2>(24);
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        const LcpReport report =
            solve_lcp(solver.word, lcp, {.tolerance = 1e-10, .max_iterations = 1}, p);
        CHECK_FALSE(report.converged);
        CHECK(report.iterations >= 1);
        CHECK(report.residual == natural_residual(lcp, p));
        CHECK(report.residual > 1e-10);
    }
}

TEST_CASE("A history starts with the guess and ends with the result") {
    const SparseLcp lcp = tank<2>(16);
    for (const LcpSolver& solver : lcp_solvers()) {
        CAPTURE(solver.word);
        std::vector<double> p;
        LcpOptions options = kTight;
        options.history = true;
        const LcpReport report = solve_lcp(solver.word, lcp, options, p);
        CHECK(report.converged);
        REQUIRE(report.history.size() >= 2);
        CHECK(report.history.front() ==
              natural_residual(lcp, std::vector<double>(lcp.b.size(), 0)));
        CHECK(report.history.back() == report.residual);
        // Newton's count holds trial lengths, which leave no mark of their own.
        if (std::string(solver.word) != "newton")
            CHECK(report.history.size() == report.iterations + 1u);
    }
}

TEST_CASE("Unknown words and missing cells are refused") {
    SparseLcp lcp = open_chain(3);
    std::vector<double> p;
    CHECK_THROWS_AS((void)solve_lcp("simplex", lcp, {}, p), InputError);
    lcp.cells.clear();
    for (const LcpSolver& solver : lcp_solvers())
        if (solver.needs_cells)
            CHECK_THROWS_AS((void)solve_lcp(solver.word, lcp, {}, p), InputError);
}
