// A small dense symmetric system, solved by Cholesky's method.
#pragma once

#include <cmath>
#include <vector>

namespace slosh {

class DenseCholesky {
public:
    DenseCholesky() = default;
    /// `matrix` row by row, n x n, positive semi-definite. A direction whose pivot is less than
    /// `drop` of its diagonal is left out: the solution is zero there.
    DenseCholesky(std::vector<double> matrix, int n, double drop) : l_(std::move(matrix)), n_(n) {
        for (int j = 0; j < n_; ++j) {
            const double diagonal = at(j, j);
            double pivot = diagonal;
            for (int k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
            const bool dropped = !(pivot > drop * diagonal) || !(diagonal > 0);
            const double scale = dropped ? 0 : 1 / std::sqrt(pivot);
            for (int i = j + 1; i < n_; ++i) {
                double s = at(i, j);
                for (int k = 0; k < j; ++k) s -= at(i, k) * at(j, k);
                at(i, j) = s * scale;
            }
            at(j, j) = scale;  // the inverse of the pivot's root
        }
    }
    int size() const { return n_; }
    std::size_t bytes() const { return l_.size() * sizeof(double); }

    /// x = matrix^-1 x
    template <class T>
    void solve(T* x) const {
        for (int i = 0; i < n_; ++i) {
            double s = x[i];
            for (int k = 0; k < i; ++k) s -= at(i, k) * x[k];
            x[i] = static_cast<T>(s * at(i, i));
        }
        for (int i = n_ - 1; i >= 0; --i) {
            double s = x[i];
            for (int k = i + 1; k < n_; ++k) s -= at(k, i) * x[k];
            x[i] = static_cast<T>(s * at(i, i));
        }
    }

private:
    double& at(int i, int j) { return l_[static_cast<std::size_t>(i) * n_ + j]; }
    double at(int i, int j) const { return l_[static_cast<std::size_t>(i) * n_ + j]; }
    std::vector<double> l_;
    int n_ = 0;
};

}  // namespace slosh
