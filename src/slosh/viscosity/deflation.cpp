#include "slosh/viscosity/deflation.h"

#include <numeric>

namespace slosh {

namespace {
constexpr int kChunkRows = 8192;

int root(std::vector<int>& parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}
}  // namespace

/// Labels pieces in the order of their first row.
template <int D>
void RigidModes<D>::find_pieces(const Rows<double>& a, const BodyColumns<D>* bodies) {
    const int rows = a.size(), n = rows + (bodies ? bodies->size() : 0);
    std::vector<int> parent(n);
    std::iota(parent.begin(), parent.end(), 0);
    const auto join = [&](int i, int j) {
        const int p = root(parent, i), q = root(parent, j);
        if (p != q) parent[std::max(p, q)] = std::min(p, q);
    };
    for (int i = 0; i < rows; ++i)
        for (std::uint32_t k = a.first[i]; k < a.first[i + 1] && a.column[k] < i; ++k)
            join(i, a.column[k]);
    for (int b = 0; bodies && b < bodies->bodies(); ++b) {
        const int first = rows + b * kTwist<D>;
        for (int k = 1; k < kTwist<D>; ++k) join(first, first + k);
        for (std::size_t i = bodies->first[b]; i < bodies->first[b + 1]; ++i)
            join(first, bodies->entries[i].row);
    }
    piece_.resize(n);
    int pieces = 0;
    std::vector<int> first = {0};
    for (int i = 0; i < n; ++i) {
        const int r = root(parent, i);
        piece_[i] = r == i ? pieces++ : piece_[r];
        if (r == i) first.push_back(0);
        ++first[piece_[i] + 1];
    }
    for (int p = 0; p < pieces; ++p) first[p + 1] += first[p];
    order_.resize(n);
    std::vector<int> next(first.begin(), first.end() - 1);
    for (int i = 0; i < n; ++i) order_[next[piece_[i]]++] = i;
    for (int p = 0; p < pieces; ++p)
        for (int begin = first[p]; begin < first[p + 1]; begin += kChunkRows)
            chunks_.push_back({p, begin, std::min(begin + kChunkRows, first[p + 1])});
    blocks_.resize(pieces);
}

/// Motions about each piece's own centre, per unit of its size, so that all are alike in length.
template <int D>
void RigidModes<D>::fill_modes(const ViscousSystem<D>& s, const BodyColumns<D>* bodies) {
    const int pieces = static_cast<int>(blocks_.size());
    std::vector<Point<D>> centre(pieces);
    std::vector<double> count(pieces), size(pieces);
    const Blocks<D>& blocks = *s.rows.blocks;
    const auto each = [&](const auto& body) {
        for (int b = 0; b < blocks.size(); ++b) {
            const Point<D> first = blocks.first_cell(b).template as<double>();
            s.rows.each(b, [&](int row, int axis, int o) {
                Point<D> x = first + local_cell<D>(o).template as<double>() + Point<D>::filled(0.5);
                x[axis] -= 0.5;
                body(row, axis, x);
            });
        }
    };
    each([&](int row, int, const Point<D>& x) {
        centre[piece_[row]] += x;
        count[piece_[row]] += 1;
    });
    for (int b = 0; bodies && b < bodies->bodies(); ++b) {
        const int p = piece_[s.rows.size() + b * kTwist<D>];
        centre[p] += bodies->centre[b];
        count[p] += 1;
    }
    for (int p = 0; p < pieces; ++p) centre[p] = centre[p] / count[p];
    each([&](int row, int, const Point<D>& x) {
        const Point<D> r = x - centre[piece_[row]];
        size[piece_[row]] += dot(r, r);
    });
    for (int p = 0; p < pieces; ++p) size[p] = std::sqrt(size[p] / count[p]) + 1e-3;
    modes_.assign(piece_.size() * kModes, 0.0f);
    each([&](int row, int axis, const Point<D>& x) {
        const int p = piece_[row];
        const Point<D> r = (x - centre[p]) / size[p];
        const double w = s.open[row];
        float* z = &modes_[static_cast<std::size_t>(row) * kModes];
        z[axis] = static_cast<float>(w);
        if constexpr (D == 2) {
            z[2] = static_cast<float>(w * (axis == 0 ? -r[1] : r[0]));
        } else {
            const Point<3> turn = cross(r, unit<3, double>(axis));
            for (int k = 0; k < 3; ++k) z[3 + k] = static_cast<float>(w * turn[k]);
        }
    });
    std::vector<double> number(bodies ? bodies->size() : 0);
    for (int b = 0; bodies && b < bodies->bodies(); ++b) {
        const std::size_t first = static_cast<std::size_t>(s.rows.size() + b * kTwist<D>);
        const int p = piece_[first];
        const Point<D> r = (bodies->centre[b] - centre[p]) / size[p];
        for (int m = 0; m < kModes; ++m) {
            Vec<double, kTwist<D>> twist;
            twist[m] = m < D ? 1 : 1 / (size[p] * bodies->dx);
            if (m >= D) {
                Point<D> v;
                if constexpr (D == 2)
                    v = {-r[1], r[0]};
                else
                    v = cross(unit<3, double>(m - D), r);
                for (int d = 0; d < D; ++d) twist[d] = v[d];
            }
            bodies->nearest(twist, b, number.data());
            for (int k = 0; k < kTwist<D>; ++k)
                modes_[(first + k) * kModes + m] = static_cast<float>(number[b * kTwist<D> + k]);
        }
    }
}

/// What bodies add to A Z; empty without them.
template <int D>
std::vector<double> RigidModes<D>::body_product(int rows, const BodyColumns<D>* bodies) const {
    if (!bodies) return {};
    const std::size_t all = piece_.size();
    std::vector<double> pull(all * kModes), z(all), one(all);
    for (int m = 0; m < kModes; ++m) {
        for (std::size_t i = 0; i < all; ++i) z[i] = modes_[i * kModes + m];
        std::fill(one.begin(), one.end(), 0.0);
        bodies->multiply(rows, z, one);
        for (std::size_t i = 0; i < all; ++i) pull[i * kModes + m] = one[i];
    }
    return pull;
}

template <int D>
RigidModes<D>::RigidModes(const ViscousSystem<D>& s, const BodyColumns<D>* bodies) {
    const Rows<double>& a = s.matrix;
    find_pieces(a, bodies);
    fill_modes(s, bodies);
    const std::vector<double> pull = body_product(a.size(), bodies);
    product_.resize(modes_.size());
    using Block = std::array<double, kModes * kModes>;
    std::vector<Block> part(chunks_.size(), Block{});
    parallel_for(chunks_.size(), 1, [&](std::size_t c) {
        for (int n = chunks_[c].begin; n < chunks_[c].end; ++n) {
            const int i = order_[n];
            const std::size_t at = static_cast<std::size_t>(i) * kModes;
            double az[kModes] = {};
            if (bodies) std::copy_n(&pull[at], kModes, az);
            if (i < a.size())
                for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) {
                    const float* z = &modes_[static_cast<std::size_t>(a.column[k]) * kModes];
                    for (int m = 0; m < kModes; ++m) az[m] += a.value[k] * z[m];
                }
            const float* z = &modes_[at];
            for (int m = 0; m < kModes; ++m) product_[at + m] = static_cast<float>(az[m]);
            for (int p = 0; p < kModes; ++p)
                for (int q = 0; q < kModes; ++q) part[c][p * kModes + q] += z[p] * az[q];
        }
    });
    std::vector<Block> sum(blocks_.size(), Block{});
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        for (int k = 0; k < kModes * kModes; ++k) sum[chunks_[c].piece][k] += part[c][k];
    for (std::size_t p = 0; p < blocks_.size(); ++p)
        blocks_[p] = DenseCholesky({sum[p].begin(), sum[p].end()}, kModes, 1e-6);
}

template <int D>
std::vector<double> RigidModes<D>::solve_coarse(const std::vector<float>& with,
                                                const std::vector<double>& r) const {
    using Vector = std::array<double, kModes>;
    std::vector<Vector> part(chunks_.size(), Vector{});
    parallel_for(chunks_.size(), 1, [&](std::size_t c) {
        for (int n = chunks_[c].begin; n < chunks_[c].end; ++n) {
            const int i = order_[n];
            const float* z = &with[static_cast<std::size_t>(i) * kModes];
            for (int m = 0; m < kModes; ++m) part[c][m] += double(z[m]) * r[i];
        }
    });
    std::vector<double> t(blocks_.size() * kModes);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        for (int m = 0; m < kModes; ++m) t[chunks_[c].piece * kModes + m] += part[c][m];
    parallel_for(blocks_.size(), 64, [&](std::size_t p) { blocks_[p].solve(&t[p * kModes]); });
    return t;
}

template <int D>
void RigidModes<D>::take_out(const std::vector<double>& r, std::vector<double>& p,
                             std::vector<double>& t) const {
    t = solve_coarse(modes_, r);
    p.resize(r.size());
    parallel_for(piece_.size(), kRowGrain, [&](std::size_t i) {
        const double* a = &t[static_cast<std::size_t>(piece_[i]) * kModes];
        double s = r[i];
        for (int m = 0; m < kModes; ++m) s -= double(product_[i * kModes + m]) * a[m];
        p[i] = s;
    });
}

template <int D>
void RigidModes<D>::put_back(const std::vector<double>& t, std::vector<double>& z) const {
    const std::vector<double> off = solve_coarse(product_, z);
    parallel_for(piece_.size(), kRowGrain, [&](std::size_t i) {
        const std::size_t first = static_cast<std::size_t>(piece_[i]) * kModes;
        double s = z[i];
        for (int m = 0; m < kModes; ++m)
            s += double(modes_[i * kModes + m]) * (t[first + m] - off[first + m]);
        z[i] = s;
    });
}

template class RigidModes<2>;
template class RigidModes<3>;

}  // namespace slosh
