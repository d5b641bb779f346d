#include "slosh/lcp/prepare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"

namespace slosh {

namespace {

constexpr double kRounding = 1e-12;  // what counts as zero, relative to the terms of a sum

bool all_finite(const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

/// The smallest row number of each row's component.
std::vector<int> components(const SparseMatrix& A) {
    std::vector<int> parent(A.rows());
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](int i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (int i = 0; i < A.rows(); ++i)
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
            if (A.value[k] != 0) {
                const int a = find(i), b = find(A.column[k]);
                parent[std::max(a, b)] = std::min(a, b);
            }
    for (int i = 0; i < A.rows(); ++i) parent[i] = find(i);
    return parent;
}

bool sums_to_zero(const SparseMatrix& A, int row) {
    double sum = 0, terms = 0;
    for (std::int64_t k = A.start[row]; k < A.start[row + 1]; ++k) {
        sum += A.value[k];
        terms += std::abs(A.value[k]);
    }
    return std::abs(sum) <= kRounding * terms;
}

}  // namespace

PreparedLcp::PreparedLcp(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p)
    : given_(given), options_(options), wall_(wall_seconds()), cpu_(cpu_seconds()) {
    const std::size_t n = given.A.rows();
    SLOSH_EXPECT(given.b.size() == n && given.constrained.size() == n);
    SLOSH_EXPECT(given.cells.empty() || given.cells.size() == n);
    diagonal_ = given.A.diagonal();
    for (double b : given.b) largest_b_ = std::max(largest_b_, std::abs(b));
    goal_ = std::max(options.tolerance * largest_b_, options.absolute);
    if (p.size() != n || !all_finite(p)) p.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        if (!(diagonal_[i] > 0)) p[i] = 0;
    find_pockets();
    record(p);
}

SparseLcp& PreparedLcp::change() {
    if (!changed_) changed_ = given_;
    return *changed_;
}

void PreparedLcp::find_pockets() {
    const int n = given_.A.rows();
    const std::vector<int> root = components(given_.A);
    std::vector<std::uint8_t> open(n, 0);  // components that are no pockets
    for (int i = 0; i < n; ++i)
        if (!open[root[i]] && !sums_to_zero(given_.A, i)) open[root[i]] = 1;
    // Where a body feels the pressure, constants are no null space.
    for (const auto& c : given_.A.low_rank)
        for (int i : c.row) open[root[i]] = 1;
    std::vector<int> number(n, -1);
    std::vector<std::vector<int>> pockets;
    for (int i = 0; i < n; ++i) {
        if (open[root[i]]) continue;
        if (root[i] == i) {
            number[i] = static_cast<int>(pockets.size());
            pockets.emplace_back();
        }
        pockets[number[root[i]]].push_back(i);
    }
    pockets_ = static_cast<int>(pockets.size());

    for (std::vector<int>& rows : pockets) {
        double sum = 0;
        std::vector<int> bounded;
        for (int i : rows) {
            sum += given_.b[i];
            if (given_.constrained[i]) bounded.push_back(i);
        }
        const double count = static_cast<double>(rows.size());
        if (!bounded.empty() && sum > kRounding * count * largest_b_) {
            held_.push_back(std::move(bounded));
            continue;
        }
        SparseLcp& lcp = change();
        for (int i : rows) {
            lcp.b[i] -= sum / count;
            lcp.constrained[i] = 0;
        }
        balanced_.push_back(std::move(rows));
    }
}

void PreparedLcp::hold_pockets(const std::vector<double>& p,
                               std::vector<std::uint8_t>& control) const {
    const int n = lcp().A.rows();
    control.resize(n, 0);
    for (int i = 0; i < n; ++i) control[i] = control[i] && lcp().constrained[i];
    std::vector<double> w;
    for (const std::vector<int>& rows : held_) {
        if (std::any_of(rows.begin(), rows.end(), [&](int i) { return control[i]; })) continue;
        if (w.empty()) lcp().A.multiply(p, w);
        const auto gap = [&](int i) { return w[i] + lcp().b[i] - diagonal_[i] * p[i]; };
        control[*std::max_element(rows.begin(), rows.end(),
                                  [&](int i, int j) { return gap(i) < gap(j); })] = 1;
    }
}

double PreparedLcp::residual(const std::vector<double>& p,
                             std::vector<std::uint8_t>* control) const {
    const double worst = natural_residual(lcp(), p, control);
    if (control) hold_pockets(p, *control);
    return worst;
}

void PreparedLcp::record(const std::vector<double>& p) {
    if (options_.history) history_.push_back(residual(p));
}

LcpReport PreparedLcp::finish(std::vector<double>& p, LcpReport report) {
    for (const std::vector<int>& rows : balanced_) {
        double least = std::numeric_limits<double>::infinity();
        for (int i : rows)
            if (given_.constrained[i]) least = std::min(least, p[i]);
        if (!std::isfinite(least)) continue;
        for (int i : rows) p[i] -= least;
    }
    if (changed_) changed_->constrained = given_.constrained;

    std::vector<std::uint8_t> active;
    report.residual = natural_residual(lcp(), p, &active);
    if (!all_finite(p) || !all_finite(given_.b))
        report.residual = std::numeric_limits<double>::infinity();
    report.converged = report.residual <= goal_ && std::isfinite(report.residual);
    report.relative_residual = largest_b_ > 0 ? report.residual / largest_b_ : 0;
    report.unknowns = p.size();
    report.pockets = pockets_;
    report.constrained = std::count_if(given_.constrained.begin(), given_.constrained.end(),
                                       [](std::uint8_t c) { return c != 0; });
    report.active = std::count(active.begin(), active.end(), 1);
    report.history = std::move(history_);
    report.seconds = wall_seconds() - wall_;
    report.cpu_seconds = cpu_seconds() - cpu_;
    return report;
}

}  // namespace slosh
