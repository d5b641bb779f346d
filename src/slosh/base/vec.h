// Small fixed-size vectors and matrices, for positions (double), grid indices (int) and kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace slosh {

template <class T, int D>
struct Vec {
    T v[D] = {};

    constexpr T& operator[](int i) { return v[i]; }
    constexpr const T& operator[](int i) const { return v[i]; }

    static constexpr Vec filled(T s) {
        Vec r;
        for (int d = 0; d < D; ++d) r.v[d] = s;
        return r;
    }
    template <class S>
    constexpr Vec<S, D> as() const {
        Vec<S, D> r;
        for (int d = 0; d < D; ++d) r.v[d] = static_cast<S>(v[d]);
        return r;
    }
    constexpr Vec& operator+=(const Vec& o) {
        for (int d = 0; d < D; ++d) v[d] += o.v[d];
        return *this;
    }
    constexpr Vec& operator-=(const Vec& o) {
        for (int d = 0; d < D; ++d) v[d] -= o.v[d];
        return *this;
    }
    constexpr Vec& operator*=(T s) {
        for (int d = 0; d < D; ++d) v[d] *= s;
        return *this;
    }
    friend constexpr Vec operator+(Vec a, const Vec& b) { return a += b; }
    friend constexpr Vec operator-(Vec a, const Vec& b) { return a -= b; }
    friend constexpr Vec operator-(Vec a) { return a *= T(-1); }
    friend constexpr Vec operator*(Vec a, T s) { return a *= s; }
    friend constexpr Vec operator*(T s, Vec a) { return a *= s; }
    friend constexpr Vec operator/(Vec a, T s) {
        for (int d = 0; d < D; ++d) a.v[d] /= s;
        return a;
    }
    friend constexpr bool operator==(const Vec& a, const Vec& b) {
        for (int d = 0; d < D; ++d)
            if (a.v[d] != b.v[d]) return false;
        return true;
    }
};

template <int D>
using Index = Vec<int, D>;
template <int D>
using Point = Vec<double, D>;

/// The unit vector along `axis`.
template <int D, class T = int>
constexpr Vec<T, D> unit(int axis) {
    Vec<T, D> r;
    r[axis] = T(1);
    return r;
}

template <class T, int D>
constexpr T dot(const Vec<T, D>& a, const Vec<T, D>& b) {
    T s = a[0] * b[0];
    for (int d = 1; d < D; ++d) s += a[d] * b[d];
    return s;
}
template <class T, int D>
T length(const Vec<T, D>& a) {
    return std::sqrt(dot(a, a));
}
template <class T, int D>
constexpr Vec<T, D> min(const Vec<T, D>& a, const Vec<T, D>& b) {
    Vec<T, D> r;
    for (int d = 0; d < D; ++d) r[d] = std::min(a[d], b[d]);
    return r;
}
template <class T, int D>
constexpr Vec<T, D> max(const Vec<T, D>& a, const Vec<T, D>& b) {
    Vec<T, D> r;
    for (int d = 0; d < D; ++d) r[d] = std::max(a[d], b[d]);
    return r;
}
template <class T>
constexpr Vec<T, 3> cross(const Vec<T, 3>& a, const Vec<T, 3>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// Rounds every component down to an integer.
template <class T, int D>
Index<D> floor(const Vec<T, D>& a) {
    Index<D> r;
    for (int d = 0; d < D; ++d) r[d] = static_cast<int>(std::floor(a[d]));
    return r;
}

/// A D x D matrix, row by row.
template <int D>
struct Mat {
    Point<D> row[D];

    static constexpr Mat identity() {
        Mat m;
        for (int d = 0; d < D; ++d) m.row[d][d] = 1;
        return m;
    }
    friend constexpr Point<D> operator*(const Mat& m, const Point<D>& x) {
        Point<D> r;
        for (int d = 0; d < D; ++d) r[d] = dot(m.row[d], x);
        return r;
    }
    friend constexpr Mat operator*(const Mat& a, const Mat& b) {
        Mat r;
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j)
                for (int k = 0; k < D; ++k) r.row[i][j] += a.row[i][k] * b.row[k][j];
        return r;
    }
    constexpr Mat transposed() const {
        Mat r;
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) r.row[i][j] = row[j][i];
        return r;
    }
};

/// An axis-aligned box; empty unless lo <= hi in every component.
template <int D>
struct Box {
    Point<D> lo, hi;

    static Box everywhere() { return {Point<D>::filled(-1e30), Point<D>::filled(1e30)}; }
    static Box nowhere() { return {Point<D>::filled(1e30), Point<D>::filled(-1e30)}; }
    bool contains(const Point<D>& x) const {
        for (int d = 0; d < D; ++d)
            if (x[d] < lo[d] || x[d] > hi[d]) return false;
        return true;
    }
    bool overlaps(const Box& o) const {
        for (int d = 0; d < D; ++d)
            if (hi[d] < o.lo[d] || o.hi[d] < lo[d]) return false;
        return true;
    }
    Box grown(double by) const { return {lo - Point<D>::filled(by), hi + Point<D>::filled(by)}; }
};

}  // namespace slosh
