// Exact answers to small complementarity problems, in two independent ways: trying all active sets,
// and Lemke's pivoting. Both in long double, so that they are better than what they judge.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

using Real = long double;
using Dense = std::vector<std::vector<Real>>;
using RealVector = std::vector<Real>;

inline Dense to_dense(const SparseMatrix& A) {
    Dense d(A.rows(), RealVector(A.rows(), 0));
    for (int i = 0; i < A.rows(); ++i)
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) d[i][A.column[k]] = A.value[k];
    return d;
}

inline SparseMatrix to_sparse_matrix(const Dense& d) {
    SparseMatrix A;
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j)
            if (d[i][j] != 0 || i == j) {
                A.column.push_back(static_cast<int>(j));
                A.value.push_back(static_cast<double>(d[i][j]));
            }
        A.start.push_back(static_cast<std::int64_t>(A.column.size()));
    }
    return A;
}

/// A x = f by elimination with row pivoting; none if a pivot vanishes.
inline std::optional<RealVector> eliminate(Dense A, RealVector f) {
    const int n = static_cast<int>(f.size());
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
        if (std::abs(A[best][k]) < 1e-17L) return std::nullopt;
        std::swap(A[k], A[best]);
        std::swap(f[k], f[best]);
        for (int i = k + 1; i < n; ++i) {
            const Real s = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) A[i][j] -= s * A[k][j];
            f[i] -= s * f[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) f[k] -= A[k][j] * f[j];
        f[k] /= A[k][k];
    }
    return f;
}

inline RealVector multiply(const Dense& A, const RealVector& x) {
    RealVector y(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i][j] * x[j];
    return y;
}

/// p with A p + b = 0 in `rows` and p = 0 in all others.
inline std::optional<RealVector> solve_rows(const Dense& A, const RealVector& b,
                                            const std::vector<int>& rows) {
    Dense sub(rows.size(), RealVector(rows.size()));
    RealVector f(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        f[i] = -b[rows[i]];
        for (std::size_t j = 0; j < rows.size(); ++j) sub[i][j] = A[rows[i]][rows[j]];
    }
    const auto x = eliminate(sub, f);
    if (!x) return std::nullopt;
    RealVector p(b.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) p[rows[i]] = (*x)[i];
    return p;
}

/// The solution by trying all active sets.
inline std::optional<RealVector> solve_by_enumeration(const Dense& A, const RealVector& b,
                                                      const std::vector<std::uint8_t>& S) {
    const int n = static_cast<int>(b.size());
    std::vector<int> bounded;
    for (int i = 0; i < n; ++i)
        if (S[i]) bounded.push_back(i);
    const Real slack = 1e-13L;
    for (unsigned active = 0; active < 1u << bounded.size(); ++active) {
        std::vector<std::uint8_t> is_active(n, 0);
        for (std::size_t k = 0; k < bounded.size(); ++k) is_active[bounded[k]] = active >> k & 1;
        std::vector<int> rows;
        for (int i = 0; i < n; ++i)
            if (!is_active[i]) rows.push_back(i);
        const auto p = solve_rows(A, b, rows);
        if (!p) continue;
        bool good = true;
        const RealVector w = multiply(A, *p);
        for (int i : bounded) {
            if (is_active[i]) good = good && w[i] + b[i] >= -slack;
            if (!is_active[i]) good = good && A[i][i] * (*p)[i] >= -slack;
        }
        if (good) return p;
    }
    return std::nullopt;
}

/// 0 <= z perp M z + q >= 0 by Lemke's method with the covering vector of ones; none if it ends on
/// a ray. Ties are broken towards the artificial variable.
inline std::optional<RealVector> lemke(const Dense& M, const RealVector& q) {
    const int n = static_cast<int>(q.size());
    RealVector z(n, 0);
    // Columns: w (0..n-1), z (n..2n-1), artificial (2n), right-hand side (2n+1).
    Dense T(n, RealVector(2 * n + 2, 0));
    std::vector<int> basis(n);
    int row = -1;
    for (int i = 0; i < n; ++i) {
        T[i][i] = 1;
        for (int j = 0; j < n; ++j) T[i][n + j] = -M[i][j];
        T[i][2 * n] = -1;
        T[i][2 * n + 1] = q[i];
        basis[i] = i;
        if (q[i] < 0 && (row < 0 || q[i] < q[row])) row = i;
    }
    if (row < 0) return z;
    int entering = 2 * n;
    for (int pivots = 0; pivots < 1000; ++pivots) {
        const Real pivot = T[row][entering];
        for (Real& t : T[row]) t /= pivot;
        for (int i = 0; i < n; ++i) {
            const Real s = T[i][entering];
            if (i == row || s == 0) continue;
            for (int j = 0; j < 2 * n + 2; ++j) T[i][j] -= s * T[row][j];
        }
        const int leaving = basis[row];
        basis[row] = entering;
        if (leaving == 2 * n) break;
        entering = leaving < n ? leaving + n : leaving - n;
        row = -1;
        Real least = std::numeric_limits<Real>::infinity();
        for (int i = 0; i < n; ++i) {
            if (T[i][entering] <= 1e-15L) continue;
            const Real ratio = T[i][2 * n + 1] / T[i][entering];
            if (ratio < least - 1e-15L || (ratio <= least + 1e-15L && basis[i] == 2 * n)) {
                least = std::min(least, ratio);
                row = i;
            }
        }
        if (row < 0) return std::nullopt;
    }
    for (int i = 0; i < n; ++i)
        if (basis[i] >= n && basis[i] < 2 * n) z[basis[i] - n] = T[i][2 * n + 1];
    return z;
}

/// The solution by Lemke's method, the rows outside S eliminated first.
inline std::optional<RealVector> solve_by_lemke(const Dense& A, const RealVector& b,
                                                const std::vector<std::uint8_t>& S) {
    const int n = static_cast<int>(b.size());
    std::vector<int> bounded, others;
    for (int i = 0; i < n; ++i) (S[i] ? bounded : others).push_back(i);
    const auto base = solve_rows(A, b, others);
    if (!base) return std::nullopt;
    // Column k of `response`: what the other rows do when p is one in row bounded[k].
    std::vector<RealVector> response;
    for (int s : bounded) {
        RealVector column(n);
        for (int i = 0; i < n; ++i) column[i] = A[i][s];
        response.push_back(*solve_rows(A, column, others));
        response.back()[s] = 1;
    }
    const RealVector w0 = multiply(A, *base);
    Dense M(bounded.size(), RealVector(bounded.size()));
    RealVector q(bounded.size());
    for (std::size_t k = 0; k < bounded.size(); ++k) {
        const RealVector w = multiply(A, response[k]);
        for (std::size_t i = 0; i < bounded.size(); ++i) M[i][k] = w[bounded[i]];
        q[k] = w0[bounded[k]] + b[bounded[k]];
    }
    const auto z = lemke(M, q);
    if (!z) return std::nullopt;
    RealVector p = *base;
    for (std::size_t k = 0; k < bounded.size(); ++k)
        for (int i = 0; i < n; ++i) p[i] += (*z)[k] * response[k][i];
    return p;
}

}  // namespace slosh
