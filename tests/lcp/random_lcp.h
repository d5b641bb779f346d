// Random small complementarity problems, made of components whose nature is known.
#pragma once

#include <algorithm>
#include <random>

#include "lcp/exact.h"

namespace slosh {

enum class Kind {
    Open,      ///< Some row sums are positive: nonsingular.
    Held,      ///< A pocket with sum b > 0 and rows in S.
    Balanced,  ///< A pocket with sum b = 0.
    Sinking,   ///< A pocket with sum b < 0.
    Sealed,    ///< A pocket with no row in S.
    Empty,     ///< One row without any entry.
};

struct Component {
    Kind kind;
    std::vector<int> rows;
    bool slivers = false;
};

struct RandomLcp {
    SparseLcp lcp;
    Dense A;
    RealVector b;  ///< Made consistent.
    std::vector<Component> components;
};

class LcpMaker {
public:
    explicit LcpMaker(unsigned seed) : engine_(seed) {}

    RandomLcp make() {
        RandomLcp r;
        const int n = 1 + draw(10);
        r.A.assign(n, RealVector(n, 0));
        r.lcp.b.assign(n, 0);
        r.lcp.constrained.assign(n, 0);
        // Numbers are shuffled so that components are not contiguous.
        std::vector<int> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), engine_);
        for (int first = 0; first < n;) {
            const int count = uniform() < 0.5 ? n - first : 1 + draw(n - first);
            Component c{pick_kind(), {order.begin() + first, order.begin() + first + count}};
            if (c.kind == Kind::Empty) c.rows.resize(1);
            first += static_cast<int>(c.rows.size());
            fill(r, c);
            r.components.push_back(c);
        }
        // What a double says is the matrix: diagonals of pockets sum what the solvers will see.
        r.lcp.A = to_sparse_matrix(r.A);
        r.A = to_dense(r.lcp.A);
        r.b.assign(r.lcp.b.begin(), r.lcp.b.end());
        for (const Component& c : r.components) {
            if (c.kind == Kind::Open || is_held(r, c)) continue;
            Real mean = 0;
            for (int i : c.rows) mean += r.b[i] / static_cast<Real>(c.rows.size());
            for (int i : c.rows) r.b[i] -= mean;
        }
        return r;
    }

    /// Pockets whose b has a positive sum and a row of S.
    static bool is_held(const RandomLcp& r, const Component& c) {
        if (c.kind == Kind::Held) return true;
        return c.kind == Kind::Empty && r.lcp.constrained[c.rows[0]] && r.lcp.b[c.rows[0]] > 0;
    }

private:
    double uniform(double a = 0, double b = 1) {
        return std::uniform_real_distribution<double>(a, b)(engine_);
    }
    int draw(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

    Kind pick_kind() {
        const double u = uniform();
        return u < 0.6    ? Kind::Open
               : u < 0.75 ? Kind::Held
               : u < 0.83 ? Kind::Balanced
               : u < 0.9  ? Kind::Sinking
               : u < 0.95 ? Kind::Sealed
                          : Kind::Empty;
    }

    double coefficient(Component& c) {
        if (uniform() < 0.7) return uniform(0.1, 1);
        c.slivers = true;
        return std::pow(10.0, uniform(-6, -1));
    }

    void fill(RandomLcp& r, Component& c) {
        const int n = static_cast<int>(c.rows.size());
        if (c.kind != Kind::Empty) {
            for (int k = 1; k < n; ++k) join(r, c, k, draw(k));  // a tree: all are connected
            for (int k = draw(n + 1); k > 0 && n > 1; --k) join(r, c, draw(n), draw(n));
        }
        if (c.kind == Kind::Open)
            for (int k = 1 + draw(n); k > 0; --k) add_excess(r, c.rows[draw(n)], c);
        const double share[] = {0, 0.3, 0.7, 1};
        const double in_s = share[draw(4)];
        // Multiples of 2^-20 add without rounding: the sums below are what they are said to be.
        double sum = 0;
        for (int i : c.rows) {
            r.lcp.constrained[i] = c.kind != Kind::Sealed && uniform() < in_s;
            sum += r.lcp.b[i] = std::round(uniform(-1, 1) * 1048576) / 1048576;
        }
        double& last = r.lcp.b[c.rows[draw(n)]];
        if (c.kind == Kind::Held) {
            r.lcp.constrained[c.rows[draw(n)]] = 1;
            last += -sum + 0.25 + draw(4);
        } else if (c.kind == Kind::Balanced) {
            last -= sum;
        } else if (c.kind == Kind::Sinking) {
            last += -sum - 0.25 - draw(4);
        }
    }

    void join(RandomLcp& r, Component& c, int k, int l) {
        const int i = c.rows[k], j = c.rows[l];
        if (i == j) return;
        // Sums of floats are exact in double: row sums of pockets vanish exactly.
        const Real a = static_cast<float>(coefficient(c));
        r.A[i][j] -= a;
        r.A[j][i] -= a;
        r.A[i][i] += a;
        r.A[j][j] += a;
    }

    void add_excess(RandomLcp& r, int i, Component& c) {
        r.A[i][i] += static_cast<float>(uniform() < 0.2 ? uniform(1, 100) : coefficient(c));
    }

    std::mt19937 engine_;
};

}  // namespace slosh
