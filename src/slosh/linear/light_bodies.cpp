#include "slosh/linear/light_bodies.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "slosh/linear/cell_numbers.h"
#include "slosh/linear/stencil_row.h"

namespace slosh {

namespace {

/// Added to the diagonal of E, relative to it: columns of F may be the same, or none (a hinge).
constexpr double kRidge = 1e-6;

using Matrix = Eigen::SparseMatrix<double>;

/// Blocks of N x N numbers: one for each group, and those of couples of groups.
template <int N>
class BlockMatrix {
public:
    using Block = Eigen::Matrix<double, N, N>;
    explicit BlockMatrix(int groups) : own(groups, Block::Zero()) {}
    std::vector<Block> own;
    void add(int g, int h, const Block& block) { others_.push_back({g, h, block}); }
    Matrix matrix() const {
        std::vector<Eigen::Triplet<double>> list;
        const auto put = [&](int g, int h, const Block& block) {
            for (int a = 0; a < N; ++a)
                for (int b = 0; b < N; ++b) list.emplace_back(g * N + a, h * N + b, block(a, b));
        };
        const int groups = static_cast<int>(own.size());
        for (int g = 0; g < groups; ++g) put(g, g, own[g]);
        for (const auto& o : others_) put(o.g, o.h, o.block);
        Matrix m(groups * N, groups * N);
        m.setFromTriplets(list.begin(), list.end());
        return m;
    }

private:
    struct Other {
        int g, h;
        Block block;
    };
    std::vector<Other> others_;
};

/// Sums of a b^T over rows.
template <int D>
class Outer {
public:
    static constexpr int N = kColumns<D>, W = BodyRows<D>::kWidth;
    using Row = typename BodyRows<D>::Row;
    void add(const Row& a, const Row& b) {
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < W; ++k) sum_[j][k] += static_cast<double>(a.f[j]) * b.f[k];
    }
    Eigen::Matrix<double, N, N> sum() const {
        Eigen::Matrix<double, N, N> m;
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < N; ++k) m(j, k) = sum_[j][k];
        return m;
    }

private:
    double sum_[N][W] = {};
};

/// Columns without the zeros that fill them up, and back.
template <int D>
Eigen::VectorXd packed(const std::vector<double>& columns) {
    constexpr int N = kColumns<D>, W = BodyRows<D>::kWidth;
    Eigen::VectorXd v(static_cast<Eigen::Index>(columns.size() / W * N));
    for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = columns[k / N * W + k % N];
    return v;
}
template <int D>
std::vector<double> columns_of(const Eigen::VectorXd& v) {
    constexpr int N = kColumns<D>, W = BodyRows<D>::kWidth;
    std::vector<double> columns(static_cast<std::size_t>(v.size() / N * W));
    for (Eigen::Index k = 0; k < v.size(); ++k) columns[k / N * W + k % N] = v[k];
    return columns;
}

}  // namespace

template <int D>
struct LightBodies<D>::Factor {
    Matrix T;  // F^T Z between groups
    Eigen::SimplicialLLT<Matrix> of_E;
    Eigen::VectorXd Zr, c;  // Z^T r; E^-1 of it
};

template <int D>
LightBodies<D>::LightBodies(const BodyRows<D>& F, const MultigridLevel<D>& finest)
    : F_(F), Z_(F), blocks_(finest.size()), E_(std::make_unique<Factor>()) {
    find_cells(finest);
    find_couples();
}

template <int D>
LightBodies<D>::~LightBodies() = default;

template <int D>
void LightBodies<D>::find_cells(const MultigridLevel<D>& finest) {
    cells_.resize(F_.size());
    std::vector<std::vector<std::uint32_t>> places(F_.groups());
    F_.for_each_group([&](int g, std::size_t begin, std::size_t end) {
        std::vector<Index<D>> cell(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
            const SplitPlace<D> p = numbered_place<D>(F_.places()[i], blocks_);
            Index<D>& c = cell[i - begin];
            c = local_cell<D>(split_cell<D>(p.colour, p.at / 8, p.at % 8));
            for (int d = 0; d < D; ++d) c[d] += kSide * finest.blocks->coord(p.block)[d];
        }
        CellNumbers<D> numbers(0, cell.size(), 1, [&](std::size_t i) { return cell[i]; });
        std::vector<std::uint32_t>& own = places[g];
        for (std::size_t i = begin; i < end; ++i) {
            numbers[cell[i - begin]] = static_cast<int>(own.size());
            own.push_back(F_.places()[i]);
        }
        for (std::size_t i = begin; i < end; ++i) {
            const SplitPlace<D> p = numbered_place<D>(F_.places()[i], blocks_);
            const StencilRow<D> row(finest, p.block, split_cell<D>(p.colour, p.at / 8, p.at % 8));
            Cell& here = cells_[i];
            here.diagonal = row.diagonal;
            for (int side = 0; side < 2 * D; ++side) {
                here.c[side] = row.c[side];
                here.near[side] = static_cast<std::uint32_t>(i - begin);
                if (row.c[side] == 0) continue;
                Index<D> beside = cell[i - begin];
                beside[side / 2] += side & 1 ? 1 : -1;
                int& number = numbers[beside];
                if (number < 0) {
                    number = static_cast<int>(own.size());
                    own.push_back(place_number(row.near[side], blocks_));
                }
                here.near[side] = static_cast<std::uint32_t>(number);
            }
        }
    });
    std::vector<std::uint32_t> all;
    std::vector<std::size_t> first = {0};
    for (int g = 0; g < F_.groups(); ++g) {
        for (std::size_t i = F_.first(g); i < F_.first(g + 1); ++i)
            for (std::uint32_t& near : cells_[i].near)
                near += static_cast<std::uint32_t>(all.size());
        all.insert(all.end(), places[g].begin(), places[g].end());
        first.push_back(all.size());
    }
    W_ = BodyRows<D>(std::move(all), std::move(first), blocks_);
}

template <int D>
void LightBodies<D>::find_couples() {
    auto shared = W_.shared();
    const auto place = [&](const auto& s) { return W_.places()[s.row]; };
    std::stable_sort(shared.begin(), shared.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (std::size_t i = 0, next; i < shared.size(); i = next) {
        next = i;
        while (next < shared.size() && place(shared[next]) == place(shared[i])) ++next;
        for (std::size_t a = i; a < next; ++a) {
            const auto [row, g] = shared[a];
            if (!is_in_F(g, row)) continue;
            const auto f = static_cast<std::uint32_t>(F_.first(g) + (row - W_.first(g)));
            for (std::size_t b = i; b < next; ++b)
                if (shared[b].group != g)
                    couples_.push_back({g, shared[b].group, f, shared[b].row});
        }
    }
}

template <int D>
void LightBodies<D>::build(const Field<std::uint8_t, D>* active) {
    std::vector<std::uint8_t> now(F_.size(), 0);
    if (active)
        for (std::size_t i = 0; i < now.size(); ++i) {
            const SplitPlace<D> p = numbered_place<D>(F_.places()[i], blocks_);
            now[i] = active->block(p.block)[split_cell<D>(p.colour, p.at / 8, p.at % 8)];
        }
    if (now == active_) return;
    active_ = std::move(now);
    factor();
}

template <int D>
void LightBodies<D>::factor() {
    constexpr int N = kColumns<D>, W = BodyRows<D>::kWidth;
    BlockMatrix<N> T(F_.groups()), between(F_.groups()), E(F_.groups());
    F_.for_each_group([&](int g, std::size_t begin, std::size_t end) {
        for (std::size_t w = W_.first(g); w < W_.first(g + 1); ++w) W_[w] = {};
        Outer<D> of_T, of_E;
        const auto add = [&](std::uint32_t w, float a, const typename BodyRows<D>::Row& row) {
            for (int k = 0; k < W; ++k) W_[w].f[k] += a * row.f[k];
        };
        for (std::size_t i = begin; i < end; ++i) {
            const Cell& cell = cells_[i];
            const float inverse = active_[i] || cell.diagonal == 0 ? 0 : 1 / cell.diagonal;
            for (int k = 0; k < W; ++k) Z_[i].f[k] = F_[i].f[k] * inverse;
            add(static_cast<std::uint32_t>(W_.first(g) + (i - begin)), cell.diagonal, Z_[i]);
            for (int side = 0; side < 2 * D; ++side) add(cell.near[side], -cell.c[side], Z_[i]);
            of_T.add(F_[i], Z_[i]);
        }
        T.own[g] = of_T.sum();
        for (std::size_t i = begin; i < end; ++i) {
            auto& row = W_[W_.first(g) + (i - begin)];
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < N; ++k)
                    row.f[k] += F_[i].f[j] * static_cast<float>(T.own[g](j, k));
            of_E.add(Z_[i], row);
        }
        E.own[g] = of_E.sum();
    });
    for (const Couple& c : couples_) {
        Outer<D> of_T, of_E;
        of_E.add(Z_[c.f], W_[c.w]);
        E.add(c.g, c.h, of_E.sum());
        if (!is_in_F(c.h, c.w)) continue;
        of_T.add(F_[c.f], Z_[F_.first(c.h) + (c.w - W_.first(c.h))]);
        T.add(c.g, c.h, of_T.sum());
        between.add(c.g, c.h, of_T.sum());
    }
    Matrix sum = E.matrix();
    if (!couples_.empty()) {
        E_->T = between.matrix();
        sum += Matrix(T.matrix().transpose() * E_->T);
    }
    sum = Matrix(0.5 * (sum + Matrix(sum.transpose())));
    for (int k = 0; k < sum.cols(); ++k) {
        double& d = sum.coeffRef(k, k);
        d = d > 0 ? (1 + kRidge) * d : 1;
    }
    E_->of_E.compute(sum);
}

template <int D>
void LightBodies<D>::begin(SplitField<D>& r) {
    std::vector<double> Zr;
    Z_.transposed(r, Zr);
    E_->Zr = packed<D>(Zr);
    E_->c = E_->of_E.solve(E_->Zr);
    W_.hold(columns_of<D>(E_->c), r);
    if (!couples_.empty()) F_.subtract(columns_of<D>(E_->T * E_->c), r);
}

template <int D>
double LightBodies<D>::end(SplitField<D>& r, SplitField<D>& z) {
    W_.restore(r);
    std::vector<double> Wz;
    W_.transposed(z, Wz);
    Eigen::VectorXd ZCz = packed<D>(Wz);
    if (!couples_.empty()) {
        std::vector<double> Fz;
        F_.transposed(z, Fz);
        ZCz += E_->T.transpose() * packed<D>(Fz);
    }
    const Eigen::VectorXd more = E_->c - E_->of_E.solve(ZCz);
    Z_.subtract(columns_of<D>(-more), z);
    // The cycle's own r.z lacks (C Z c).z.
    return ZCz.dot(E_->c) + E_->Zr.dot(more);
}

template class LightBodies<2>;
template class LightBodies<3>;

}  // namespace slosh
