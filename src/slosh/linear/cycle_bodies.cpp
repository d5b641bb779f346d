#include "slosh/linear/cycle_bodies.h"

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "slosh/linear/cell_numbers.h"
#include "slosh/linear/coarsest.h"

namespace slosh {

namespace {

/// The root of what weights grow by from level to level.
template <int D>
constexpr double kStep = D == 3 ? std::numbers::sqrt2 : 1;

/// What F^T D^-1 F may come to, D the diagonal of A: sweeps make a few times as much of it, which
/// must stay below 2. With 0.8 the cycle is no longer positive where light balls lie a cell apart.
constexpr double kBearable = 0.6;

/// Coarsest levels with more cells than this do without bodies.
constexpr std::size_t kMostCells = 256;

/// 1 / diagonal of a cell's row; 0 where there is no unknown.
template <int D>
double inverse_diagonal(const MultigridLevel<D>& level, const SplitPlace<D>& p) {
    const BlockKinds& k = level.kinds[p.block];
    const std::uint32_t bit = 1u << (p.at / 8);
    if (k.plain[p.colour] & bit) return 1.0 / (2 * D);
    if (!(k.mixed[p.colour] & bit)) return 0;
    const std::uint32_t number = k.first[p.colour] + std::popcount(k.mixed[p.colour] & (bit - 1));
    return level.mixed[number].inverse[p.at % 8];
}

/// Whether a matrix of single numbers has an inverse that says something.
bool is_regular(const Eigen::MatrixXd& A) {
    if (A.size() == 0) return false;
    const Eigen::LLT<Eigen::MatrixXd> factors(A);
    const double least = factors.matrixLLT().diagonal().array().square().minCoeff();
    return factors.info() == Eigen::Success && least > 1e-5 * A.diagonal().maxCoeff();
}

template <int D>
Index<D> half(Index<D> cell) {
    for (int d = 0; d < D; ++d) cell[d] >>= 1;
    return cell;
}

}  // namespace

template <int D>
CycleBodies<D>::CycleBodies(const LowRank<D>& F, const MultigridLevel<D>& grid) {
    Level& finest = levels_.emplace_back();
    finest.F = BodyRows<D>(F, 1 / std::sqrt(static_cast<double>(grid.weight)), grid.size());
    for (const auto& e : F.entries) {
        Index<D> cell = local_cell<D>(e.offset);
        for (int d = 0; d < D; ++d) cell[d] += kSide * grid.blocks->coord(e.block)[d];
        finest.cells.push_back(cell);
    }
    find_share(grid, finest);
}

/// A coarser level on top of the last, `grid`: its rows, not yet their values.
template <int D>
void CycleBodies<D>::add_level(const MultigridLevel<D>& grid, int coarse_blocks) {
    Level& fine = levels_.back();
    const int groups = fine.F.groups();
    fine.above.resize(fine.F.size());
    std::vector<std::vector<Index<D>>> cells(groups);
    std::vector<std::vector<std::uint32_t>> places(groups);
    fine.F.for_each_group([&](int g, std::size_t begin, std::size_t end) {
        CellNumbers<D> numbers(begin, end, 0, [&](std::size_t i) { return half(fine.cells[i]); });
        for (std::size_t i = begin; i < end; ++i) {
            const Index<D> cell = half(fine.cells[i]);
            int& number = numbers[cell];
            if (number < 0) {
                number = static_cast<int>(cells[g].size());
                cells[g].push_back(cell);
                Index<D> local = cell;
                for (int d = 0; d < D; ++d) local[d] &= kSide - 1;
                const int block = numbered_place<D>(fine.F.places()[i], grid.size()).block;
                places[g].push_back(place_number(
                    split_place<D>(grid.coarsening.parent[block], cell_offset<D>(local)),
                    coarse_blocks));
            }
            fine.above[i] = static_cast<std::uint32_t>(number);
        }
    });
    Level coarse;
    std::vector<std::uint32_t> all;
    std::vector<std::size_t> first = {0};
    for (int g = 0; g < groups; ++g) {
        for (std::size_t i = fine.F.first(g); i < fine.F.first(g + 1); ++i)
            fine.above[i] += static_cast<std::uint32_t>(all.size());
        all.insert(all.end(), places[g].begin(), places[g].end());
        coarse.cells.insert(coarse.cells.end(), cells[g].begin(), cells[g].end());
        first.push_back(all.size());
    }
    coarse.F = BodyRows<D>(std::move(all), std::move(first), coarse_blocks);
    levels_.push_back(std::move(coarse));
}

template <int D>
void CycleBodies<D>::coarsen(const std::vector<MultigridLevel<D>>& levels,
                             const Field<std::uint8_t, D>* active) {
    constexpr int W = BodyRows<D>::kWidth;
    while (levels_.size() < levels.size())
        add_level(levels[levels_.size() - 1], levels[levels_.size()].size());
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        const Level& fine = levels_[l];
        Level& coarse = levels_[l + 1];
        const auto is_active = [&](std::size_t i) {
            const Place p = numbered_place<D>(fine.F.places()[i], levels[0].size());
            return active->block(p.block)[split_cell<D>(p.colour, p.at / 8, p.at % 8)] != 0;
        };
        fine.F.for_each_group([&](int g, std::size_t begin, std::size_t end) {
            for (std::size_t i = coarse.F.first(g); i < coarse.F.first(g + 1); ++i)
                coarse.F[i] = {};
            for (std::size_t i = begin; i < end; ++i) {
                if (l == 0 && active && is_active(i)) continue;
                auto& sum = coarse.F[fine.above[i]];
                for (int k = 0; k < W; ++k)
                    sum.f[k] += fine.F[i].f[k] * static_cast<float>(1 / kStep<D>);
            }
        });
        find_share(levels[l + 1], coarse);
    }
}

template <int D>
void CycleBodies<D>::find_share(const MultigridLevel<D>& grid, Level& level) {
    constexpr int N = kColumns<D>, W = BodyRows<D>::kWidth;
    level.share.assign(level.F.groups(), 1.0);
    level.F.for_each_group([&](int g, std::size_t begin, std::size_t end) {
        float K[N][W] = {};  // F^T D^-1 F
        for (std::size_t i = begin; i < end; ++i) {
            const auto inverse = static_cast<float>(
                inverse_diagonal(grid, numbered_place<D>(level.F.places()[i], grid.size())));
            const auto& f = level.F[i].f;
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < W; ++k) K[j][k] += inverse * f[j] * f[k];
        }
        double most = 0;  // no eigenvalue is larger than a row's sum of magnitudes
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < N; ++k) sum += std::abs(K[j][k]);
            most = std::max(most, sum);
        }
        if (most > kBearable) level.share[g] = kBearable / most;
    });
}

/// b - F t for b, each group's t by its share.
template <int D>
void CycleBodies<D>::hold(Level& level, SplitField<D>& b) {
    Columns t = level.t;
    for (std::size_t k = 0; k < t.size(); ++k) t[k] *= level.share[k / BodyRows<D>::kWidth];
    if (level.holds)
        level.F.hold_again(t, b);
    else
        level.F.hold(t, b);
    level.holds = true;
}

template <int D>
void CycleBodies<D>::begin(std::size_t l, SplitField<D>& b, const SplitField<D>* x) {
    Level& level = levels_[l];
    if (!x) {  // b is new
        level.holds = false;
        level.t = level.F.no_columns();
    } else {
        level.F.transposed(*x, level.t);
        hold(level, b);
    }
}

template <int D>
void CycleBodies<D>::restrict_rest(std::size_t l, const SplitField<D>& x, SplitField<D>& coarse_b) {
    Level& fine = levels_[l];
    fine.F.transposed(x, fine.swept);
    Columns rest = fine.swept;
    for (std::size_t k = 0; k < rest.size(); ++k)
        rest[k] = (rest[k] - fine.t[k]) / kStep<D> * fine.share[k / BodyRows<D>::kWidth];
    levels_[l + 1].F.subtract(rest, coarse_b);
}

template <int D>
void CycleBodies<D>::correct(std::size_t l, SplitField<D>& b, const SplitField<D>& coarse_x) {
    Level& level = levels_[l];
    levels_[l + 1].F.transposed(coarse_x, level.t);
    for (std::size_t k = 0; k < level.t.size(); ++k)
        level.t[k] = level.swept[k] + kStep<D> * level.t[k];
    hold(level, b);
}

template <int D>
double CycleBodies<D>::end(std::size_t l, SplitField<D>& b, const SplitField<D>& x) {
    return levels_[l].F.restore(b, x);
}

template <int D>
void CycleBodies<D>::set_coarsest(MultigridLevel<D>& level, const std::function<void()>& solve) {
    constexpr int N = kColumns<D>;
    BodyRows<D>& rows = levels_.back().F;
    WholeMatrix<D> matrix(level, kMostCells);
    cells_ = std::move(matrix.cells);
    inverse_.clear();
    if (cells_.size() > kMostCells) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {};
        return;
    }
    const auto n = static_cast<Eigen::Index>(cells_.size());
    const Eigen::MatrixXd A = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
        matrix.a.data(), n, n, Eigen::OuterStride<>(static_cast<Eigen::Index>(matrix.stride)));
    std::vector<Eigen::Index> number(place_count<D>(level.size()), -1);
    for (Eigen::Index j = 0; j < n; ++j) number[place_number(cells_[j], level.size())] = j;
    Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n, rows.groups() * N);
    for (int g = 0; g < rows.groups(); ++g)
        for (std::size_t i = rows.first(g); i < rows.first(g + 1); ++i)
            if (const Eigen::Index j = number[rows.places()[i]]; j >= 0)
                for (int k = 0; k < N; ++k) F(j, g * N + k) = rows[i].f[k];

    Eigen::MatrixXd B;
    if (is_regular(A)) {
        B = (A + F * F.transpose()).llt().solve(Eigen::MatrixXd::Identity(n, n));
    } else {
        // No inverse, as without air: what `solve` stands for, column by column ...
        B.resize(n, n);
        for (const Place& c : cells_) c.in(level.b) = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
            cells_[j].in(level.b) = 1;
            solve();
            cells_[j].in(level.b) = 0;
            for (Eigen::Index i = 0; i < n; ++i) B(i, j) = cells_[i].in(level.x);
        }
        B = (0.5 * (B + B.transpose())).eval();
        // ... and (B^-1 + F F^T)^-1 by Woodbury's formula
        const Eigen::MatrixXd BF = B * F;
        const Eigen::MatrixXd G =
            Eigen::MatrixXd::Identity(F.cols(), F.cols()) + F.transpose() * BF;
        B -= BF * G.llt().solve(BF.transpose());
    }
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j) inverse_.push_back(static_cast<float>(B(i, j)));
}

template <int D>
void CycleBodies<D>::solve_coarsest(MultigridLevel<D>& level) const {
    const std::size_t n = cells_.size();
    std::vector<float> x(n);
    for (std::size_t j = 0; j < n; ++j) {
        const float b = cells_[j].in(level.b);
        const float* column = inverse_.data() + j * n;
        for (std::size_t i = 0; i < n; ++i) x[i] += column[i] * b;
    }
    for (std::size_t i = 0; i < n; ++i) cells_[i].in(level.x) = x[i];
}

template class CycleBodies<2>;
template class CycleBodies<3>;

}  // namespace slosh
