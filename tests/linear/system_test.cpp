#include <doctest/doctest.h>

#include <algorithm>

#include "common.h"
#include "linear/dense.h"
#include "linear/problems.h"
#include "slosh/linear/pockets.h"

using namespace slosh;

namespace {
/// Components without excess, by brute force on the dense matrix: the pocket of each row, or -1.
template <int D>
std::pair<int, std::vector<int>> dense_pockets(const test::Dense<D>& m) {
    const int n = static_cast<int>(m.cell.size());
    std::vector<int> label(n, -2);
    int count = 0;
    for (int seed = 0; seed < n; ++seed) {
        if (label[seed] != -2) continue;
        std::vector<int> part{seed};
        label[seed] = -3;
        for (std::size_t k = 0; k < part.size(); ++k)
            for (int j = 0; j < n; ++j)
                if (label[j] == -2 && m.A[part[k]][j] != 0) {
                    label[j] = -3;
                    part.push_back(j);
                }
        bool wet = false;
        for (int i : part) {
            double sum = 0;
            for (int j = 0; j < n; ++j) sum += m.A[i][j];
            wet = wet || sum > 1e-9;
        }
        for (int i : part) label[i] = wet ? -1 : count;
        count += !wet;
    }
    return {count, label};
}
}  // namespace

TEST_CASE_TEMPLATE("The residual is that of the dense matrix", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto s = test::random_system<D>(3, 0.5, 0.3, 0);
    const test::Dense<D> m(s);
    Field<double, D> x(s.blocks), r(s.blocks);
    for (std::size_t i = 0; i < m.cell.size(); ++i) x.set(m.cell[i], hash_uniform(9, i, 0) - 0.5);
    const double worst = residual(s, x, r);
    double largest = 0;
    for (std::size_t i = 0; i < m.cell.size(); ++i) {
        double v = m.b[i], scale = 1;
        for (std::size_t j = 0; j < m.cell.size(); ++j) {
            v -= m.A[i][j] * x.get(m.cell[j]);
            scale += std::abs(m.A[i][j]);
        }
        CHECK(std::abs(r.get(m.cell[i]) - v) < 1e-14 * scale);
        largest = std::max(largest, std::abs(r.get(m.cell[i])));
    }
    CHECK(worst == largest);
    CHECK(s.unknowns() == m.cell.size());
}

TEST_CASE_TEMPLATE("Pockets are those a flood of the dense matrix finds", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (int seed = 0; seed < 8; ++seed) {
        // Sparse filling makes many small components, isolated cells among them.
        auto s = test::random_system<D>(seed, D == 2 ? 0.6 : 0.35, 0.02, 0);
        const test::Dense<D> m(s);
        const auto [count, label] = dense_pockets(m);
        REQUIRE(count > 3);
        CHECK(make_consistent(s) == count);
        std::vector<double> before(count, 0), cells(count, 0);
        for (std::size_t i = 0; i < m.cell.size(); ++i)
            if (label[i] >= 0) {
                before[label[i]] += m.b[i];
                cells[label[i]] += 1;
            }
        for (std::size_t i = 0; i < m.cell.size(); ++i) {
            const double mean = label[i] >= 0 ? before[label[i]] / cells[label[i]] : 0;
            CHECK(s.rhs.get(m.cell[i]) == doctest::Approx(m.b[i] - mean).epsilon(1e-12));
            if (label[i] >= 0 && cells[label[i]] == 1) CHECK(s.rhs.get(m.cell[i]) == 0);
        }
    }
}
