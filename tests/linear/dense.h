// Small systems as dense matrices, for comparison: assembled cell by cell through lookups, so that
// none of the block arithmetic under test is shared.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "slosh/base/hash.h"
#include "slosh/linear/system.h"

namespace slosh::test {

template <int D>
struct Dense {
    std::vector<Index<D>> cell;
    std::vector<std::vector<double>> A;
    std::vector<double> b;

    explicit Dense(const BlockSystem<D>& s) {
        Field<int, D> number(s.blocks, -1);
        for (int i = 0; i < s.blocks->size(); ++i)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                if (!s.unknown.block(i)[o]) continue;
                number.block(i)[o] = static_cast<int>(cell.size());
                cell.push_back(s.blocks->first_cell(i) + local_cell<D>(o));
            }
        const std::size_t n = cell.size();
        A.assign(n, std::vector<double>(n, 0.0));
        b.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            b[i] = s.rhs.get(cell[i]);
            A[i][i] += s.excess.get(cell[i]);
            for (int d = 0; d < D; ++d) {
                const double c = s.coefficient.axis(d).get(cell[i]);
                const int j = number.get(cell[i] - unit<D>(d));
                if (c == 0 || j < 0) continue;
                A[i][i] += c;
                A[j][j] += c;
                A[i][j] -= c;
                A[j][i] -= c;
            }
        }
    }

    /// Gaussian elimination; A is positive definite, so no pivoting.
    std::vector<double> solve() const {
        auto M = A;
        auto x = b;
        const std::size_t n = x.size();
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = k + 1; i < n; ++i) {
                const double f = M[i][k] / M[k][k];
                if (f == 0) continue;
                for (std::size_t j = k; j < n; ++j) M[i][j] -= f * M[k][j];
                x[i] -= f * x[k];
            }
        for (std::size_t k = n; k-- > 0;) {
            for (std::size_t j = k + 1; j < n; ++j) x[k] -= M[k][j] * x[j];
            x[k] /= M[k][k];
        }
        return x;
    }
};

/// A random system on a few blocks around the origin: coefficients from `smallest` to 1, many
/// of them 1 or 0; excess up to 1e4 in a share `wet` of the cells, else `base`.
template <int D>
BlockSystem<D> random_system(std::uint64_t seed, double filled, double wet, double base,
                             double smallest = 1e-6) {
    std::vector<Index<D>> coords;
    for (int i = 0; i < 3; ++i) {
        Index<D> c;
        for (int d = 0; d < D; ++d) c[d] = static_cast<int>(hash_uniform(seed, i, d) * 2) - 1;
        coords.push_back(c);
    }
    BlockSystem<D> s(std::make_shared<const Blocks<D>>(coords));
    int id = 0;
    const auto draw = [&](int k) { return hash_uniform(seed + 1, id, k); };
    for (int b = 0; b < s.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o, ++id) s.unknown.block(b)[o] = draw(0) < filled;
    id = 0;
    for (int b = 0; b < s.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o, ++id) {
            if (!s.unknown.block(b)[o]) continue;
            const Index<D> cell = s.blocks->first_cell(b) + local_cell<D>(o);
            for (int d = 0; d < D; ++d) {
                if (!s.unknown.get(cell - unit<D>(d)) || draw(10 + d) < 0.2) continue;
                const double c = draw(20 + d) < 0.6 ? 1 : std::pow(smallest, draw(30 + d));
                s.coefficient.axis(d).block(b)[o] = static_cast<float>(c);
            }
            s.excess.block(b)[o] =
                static_cast<float>(draw(1) < wet ? std::pow(10, 5 * draw(2) - 1) : base);
            s.rhs.block(b)[o] = 2 * draw(3) - 1;
        }
    return s;
}

}  // namespace slosh::test
