#include <doctest/doctest.h>

#include <string>

#include "lcp/random_lcp.h"
#include "slosh/lcp/solve.h"

using namespace slosh;

namespace {

struct Exact {
    RealVector p, w;
    Dense inverse;  ///< Of each open component; zero elsewhere.
};

/// Component by component; enumeration and Lemke's method must agree.
Exact solve_exactly(const RandomLcp& r) {
    const int n = static_cast<int>(r.b.size());
    Exact e{RealVector(n, 0), RealVector(n, 0), Dense(n, RealVector(n, 0))};
    for (const Component& c : r.components) {
        const int m = static_cast<int>(c.rows.size());
        Dense A(m, RealVector(m));
        RealVector b(m), p(m, 0);
        std::vector<std::uint8_t> S(m);
        for (int i = 0; i < m; ++i) {
            b[i] = r.b[c.rows[i]];
            S[i] = r.lcp.constrained[c.rows[i]];
            for (int j = 0; j < m; ++j) A[i][j] = r.A[c.rows[i]][c.rows[j]];
        }
        if (c.kind == Kind::Open || c.kind == Kind::Held) {
            const auto tried = solve_by_enumeration(A, b, S), pivoted = solve_by_lemke(A, b, S);
            REQUIRE(tried);
            REQUIRE(pivoted);
            p = *tried;
            for (int i = 0; i < m; ++i)  // p reaches 1e7 where slivers hold it
                CHECK(std::abs(p[i] - (*pivoted)[i]) <= 1e-9L * (1 + std::abs(p[i])));
        } else if (c.kind != Kind::Empty) {
            // w = 0: ground the first row, then shift.
            std::vector<int> rows(m - 1);
            std::iota(rows.begin(), rows.end(), 1);
            p = *solve_rows(A, b, rows);
            Real least = std::numeric_limits<Real>::infinity();
            for (int i = 0; i < m; ++i)
                if (S[i]) least = std::min(least, p[i]);
            if (std::isfinite(least))
                for (Real& x : p) x -= least;
        }
        const RealVector w = multiply(A, p);
        for (int i = 0; i < m; ++i) {
            e.p[c.rows[i]] = p[i];
            e.w[c.rows[i]] = w[i] + b[i];
            if (c.kind != Kind::Open) continue;
            RealVector unit(m, 0);
            unit[i] = -1;
            std::vector<int> rows(m);
            std::iota(rows.begin(), rows.end(), 0);
            const RealVector column = *solve_rows(A, unit, rows);
            for (int j = 0; j < m; ++j) e.inverse[c.rows[j]][c.rows[i]] = column[j];
        }
    }
    return e;
}

/// r_i of (C3), in long double, on the consistent system.
RealVector residuals(const RandomLcp& r, const std::vector<double>& p, RealVector& w) {
    w = multiply(r.A, RealVector(p.begin(), p.end()));
    RealVector res(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        w[i] += r.b[i];
        res[i] = r.lcp.constrained[i] ? std::min(r.A[i][i] * p[i], w[i]) : w[i];
    }
    return res;
}

}  // namespace

TEST_CASE("Every solver finds the exact solution of 10,000 random problems") {
    LcpMaker maker(20261115);
    int finished = 0;  // by Gauss-Seidel
    const int count = 10000;
    for (int trial = 0; trial < count; ++trial) {
        const RandomLcp r = maker.make();
        const int n = static_cast<int>(r.b.size());
        const Exact exact = solve_exactly(r);
        Real largest = 0;
        for (double b : r.lcp.b) largest = std::max(largest, std::abs(Real(b)));
        for (const LcpSolver& solver : lcp_solvers()) {
            if (solver.needs_cells) continue;
            const std::string word = solver.word;
            CAPTURE(trial);
            CAPTURE(word);
            // Gauss-Seidel needs 1 / (smallest eigenvalue) sweeps, millions for slivers: there it
            // may say that it has not finished. Nobody else may.
            LcpOptions options{.tolerance = 1e-8, .max_iterations = word == "pgs" ? 2000 : 20000};
            std::vector<double> p;
            const LcpReport report = solve_lcp(word, r.lcp, options, p);
            if (word != "pgs") CHECK(report.converged);
            finished += word == "pgs" && report.converged;

            RealVector w;
            const RealVector res = residuals(r, p, w);
            Real worst = 0;
            for (Real x : res) worst = std::max(worst, std::abs(x));
            // p up to 1e6 leaves 1e-16 * 1e6 * row length of rounding in a row.
            const Real rounding = 1e-9L * largest;
            CHECK(std::abs(worst - report.residual) <= rounding);
            if (!report.converged) continue;
            CHECK(worst <= 1e-8L * largest + rounding);

            for (const Component& c : r.components)
                for (int i : c.rows) {
                    if (c.kind == Kind::Open) {
                        // |p - p*| <= A^-1 |r| holds for every M-matrix: H(p) - H(p*) equals
                        // (I - D + D M)(p - p*), 0 <= D <= 1, M = A with unit diagonal, and the
                        // inverse of that is at most M^-1, entry by entry.
                        Real bound = 0;
                        for (int j = 0; j < n; ++j) bound += exact.inverse[i][j] * std::abs(res[j]);
                        CHECK(std::abs(p[i] - exact.p[i]) <=
                              1.001L * bound + 1e-12L * (1 + std::abs(exact.p[i])));
                    } else if (!c.slivers || !LcpMaker::is_held(r, c)) {
                        // Singular: w is unique. Without slivers, condition numbers below 1e4 keep
                        // it within 1e4 tolerances.
                        CHECK(std::abs(w[i] - exact.w[i]) <= 1e-4L * largest);
                        if (r.lcp.constrained[i]) CHECK(p[i] >= -1e-7);
                    }
                }
        }
    }
    CHECK(finished >= 0.9 * count);
}
