#include "slosh/viscosity/rows.h"

#include <cmath>

namespace slosh {

template <int D>
void FaceRows<D>::finish() {
    const int n = blocks->size();
    first.assign(n + 1, 0);
    parallel_for(n, 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        int count = 0;
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o) count += number.axis(d).block(b)[o] >= 0;
        first[b + 1] = count;
    });
    for (auto& list : colour) list.clear();
    for (int b = 0; b < n; ++b) {
        if (first[b + 1] > 0) {
            int c = 0;
            for (int d = 0; d < D; ++d) c |= (blocks->coord(b)[d] & 1) << d;
            colour[c].push_back(b);
        }
        first[b + 1] += first[b];
    }
    parallel_for(n, 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        int row = first[b];
        if (row == first[b + 1]) return;
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                int& m = number.axis(d).block(b)[o];
                if (m >= 0) m = row++;
            }
    });
}

namespace {
constexpr std::size_t kChunk = 4096;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return parallel_sum(
        a.size(), [&](std::size_t i) { return a[i] * b[i]; }, kChunk);
}

double max_abs(const std::vector<double>& a) {
    return parallel_max(
        a.size(), [&](std::size_t i) { return std::abs(a[i]); }, 0, kChunk);
}

void add(double s, const std::vector<double>& x, std::vector<double>& y) {
    parallel_for(y.size(), kChunk, [&](std::size_t i) { y[i] += s * x[i]; });
}

template struct FaceRows<2>;
template struct FaceRows<3>;

}  // namespace slosh
