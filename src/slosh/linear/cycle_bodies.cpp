#include "slosh/linear/cycle_bodies.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "slosh/base/parallel.h"
#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

namespace {

/// The root of what weights grow by from level to level.
template <int D>
constexpr double kStep = D == 3 ? std::numbers::sqrt2 : 1;

/// What F^T D^-1 F may come to, D the diagonal of A: sweeps make a few times as much of it, which must
/// stay below 2. With 0.6 the cycle is no longer positive in our tests.
constexpr double kBearable = 0.4;

/// Bodies whose answers one thread takes at a time.
constexpr std::size_t kGroups = 4;

/// Coarsest levels with more cells than this do without bodies.
constexpr std::size_t kMostCells = 256;

/// 1 / diagonal of a cell's row; 0 where there is no unknown.
template <int D>
double inverse_diagonal(const MultigridLevel<D>& level, const SplitPlace<D>& p) {
    const BlockKinds& k = level.kinds[p.block];
    const std::uint32_t bit = 1u << (p.at / 8);
    if (k.plain[p.colour] & bit) return 1.0 / (2 * D);
    if (!(k.mixed[p.colour] & bit)) return 0;
    const std::uint32_t number =
        k.first[p.colour] + std::popcount(k.mixed[p.colour] & (bit - 1));
    return level.mixed[number].inverse[p.at % 8];
}

/// The unknowns of a level.
template <int D>
std::vector<SplitPlace<D>> unknowns_of(const MultigridLevel<D>& level) {
    std::vector<SplitPlace<D>> list;
    for (int b = 0; b < level.size(); ++b)
        for (int t = 0; t < 2; ++t)
            for (int at = 0; at < kHalf<D>; ++at)
                if (inverse_diagonal(level, {b, t, at}) > 0) list.push_back({b, t, at});
    return list;
}

/// The inverse of a level's operator on `cells`, its unknowns; empty if it has none. A half-sweep that
/// starts from a 1 in one cell leaves -a_ij / a_ii beside it. Changes the level's x and b.
template <int D>
Eigen::MatrixXd inverse_of(MultigridLevel<D>& level, const std::vector<SplitPlace<D>>& cells) {
    const auto n = static_cast<Eigen::Index>(cells.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (const auto& c : cells) c.in(level.b) = c.in(level.x) = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
        cells[j].in(level.x) = 1;
        for (int b : level.slabs.blocks())
            if (cells[j].colour == 0)
                relax_block<D, 1>(level, b, level.b, level.x);
            else
                relax_block<D, 0>(level, b, level.b, level.x);
        for (Eigen::Index i = 0; i < n; ++i) {
            if (cells[i].colour == cells[j].colour) continue;
            A(i, j) = -cells[i].in(level.x) / inverse_diagonal(level, cells[i]);
            cells[i].in(level.x) = 0;
        }
        A(j, j) = 1 / inverse_diagonal(level, cells[j]);
        cells[j].in(level.x) = 0;
    }
    const Eigen::LLT<Eigen::MatrixXd> factors((0.5 * (A + A.transpose())).eval());
    // Of single numbers, in which the operator is kept, a pivot this small says nothing.
    const double least = factors.matrixLLT().diagonal().array().square().minCoeff();
    if (factors.info() != Eigen::Success || !(least > 1e-5 * A.diagonal().maxCoeff())) return {};
    return factors.solve(Eigen::MatrixXd::Identity(n, n));
}

}  // namespace

template <int D>
CycleBodies<D>::CycleBodies(const LowRank<D>& F, const MultigridLevel<D>& grid) {
    Level& finest = levels_.emplace_back();
    finest.F = F;
    const double unit = 1 / std::sqrt(static_cast<double>(grid.weight));
    for (auto& e : finest.F.entries)
        for (double& f : e.f) f *= unit;
    for (const auto& e : F.entries) finest.places.push_back(split_place<D>(e.block, e.offset));
    find_share(grid, finest);
}

/// A coarser level on top of the last: its entries, not yet their values.
template <int D>
void CycleBodies<D>::add_level(const Coarsening<D>& up) {
    Level& fine = levels_.back();
    Level coarse;
    fine.above.resize(fine.F.entries.size());
    for (int g = 0; g < fine.F.groups(); ++g) {
        std::map<std::pair<int, int>, std::size_t> of;  // block and offset
        const auto key = [&](const typename LowRank<D>::Entry& e) {
            Index<D> c = local_cell<D>(e.offset);
            int offset = 0;
            for (int d = D - 1; d >= 0; --d)
                offset = kSide * offset + c[d] / 2 + (up.octant[e.block] >> d & 1) * kSide / 2;
            return std::pair(up.parent[e.block], offset);
        };
        for (std::size_t i = fine.F.first[g]; i < fine.F.first[g + 1]; ++i)
            of[key(fine.F.entries[i])] = 0;
        for (auto& [cell, number] : of) {
            number = coarse.F.entries.size();
            coarse.F.entries.push_back({cell.first, cell.second, {}});
            coarse.places.push_back(split_place<D>(cell.first, cell.second));
        }
        coarse.F.first.push_back(coarse.F.entries.size());
        for (std::size_t i = fine.F.first[g]; i < fine.F.first[g + 1]; ++i)
            fine.above[i] = of[key(fine.F.entries[i])];
    }
    levels_.push_back(std::move(coarse));
}

template <int D>
void CycleBodies<D>::coarsen(const std::vector<MultigridLevel<D>>& levels,
                             const Field<std::uint8_t, D>* active) {
    while (levels_.size() < levels.size()) add_level(levels[levels_.size() - 1].coarsening);
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        const Level& fine = levels_[l];
        Level& coarse = levels_[l + 1];
        for (auto& e : coarse.F.entries) std::fill(std::begin(e.f), std::end(e.f), 0.0);
        for (std::size_t i = 0; i < fine.F.entries.size(); ++i) {
            const auto& e = fine.F.entries[i];
            if (l == 0 && active && active->block(e.block)[e.offset]) continue;
            for (int k = 0; k < kColumns<D>; ++k)
                coarse.F.entries[fine.above[i]].f[k] += e.f[k] / kStep<D>;
        }
        find_share(levels[l + 1], coarse);
    }
}

template <int D>
void CycleBodies<D>::find_share(const MultigridLevel<D>& grid, Level& level) {
    constexpr int N = kColumns<D>;
    level.share.assign(level.F.groups(), 1.0);
    for (int g = 0; g < level.F.groups(); ++g) {
        double K[N][N] = {};  // F^T D^-1 F
        for (std::size_t i = level.F.first[g]; i < level.F.first[g + 1]; ++i) {
            const double inverse = inverse_diagonal(grid, level.places[i]);
            const auto& f = level.F.entries[i].f;
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < N; ++k) K[j][k] += inverse * f[j] * f[k];
        }
        double most = 0;  // no eigenvalue is larger than a row's sum of magnitudes
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < N; ++k) sum += std::abs(K[j][k]);
            most = std::max(most, sum);
        }
        if (most > kBearable) level.share[g] = kBearable / most;
    }
}

template <int D>
std::vector<double> CycleBodies<D>::answer(const Level& level, const SplitField<D>& x) {
    constexpr int N = kColumns<D>;
    const LowRank<D>& F = level.F;
    std::vector<double> t(F.columns());
    parallel_for(F.groups(), kGroups, [&](std::size_t g) {
        double sum[N] = {};
        for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i) {
            const double value = level.places[i].in(x);
            for (int k = 0; k < N; ++k) sum[k] += F.entries[i].f[k] * value;
        }
        std::copy_n(sum, N, t.begin() + static_cast<std::ptrdiff_t>(g * N));
    });
    return t;
}

/// b -= F t, each group's t by its share.
template <int D>
void CycleBodies<D>::subtract(const Level& level, std::vector<double> t,
                              const std::vector<double>& share, SplitField<D>& b) {
    constexpr int N = kColumns<D>;
    const LowRank<D>& F = level.F;
    for (int g = 0; g < F.groups(); ++g) {
        double* own = t.data() + g * N;
        for (int k = 0; k < N; ++k) own[k] *= share[g];
        for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i) {
            double sum = 0;
            for (int k = 0; k < N; ++k) sum += F.entries[i].f[k] * own[k];
            level.places[i].in(b) -= static_cast<float>(sum);
        }
    }
}

template <int D>
void CycleBodies<D>::hold(Level& level, std::vector<double> t, SplitField<D>& b) {
    level.t = std::move(t);
    for (std::size_t i = 0; i < level.b.size(); ++i) level.places[i].in(b) = level.b[i];
    subtract(level, level.t, level.share, b);
}

template <int D>
void CycleBodies<D>::begin(std::size_t l, SplitField<D>& b, const SplitField<D>* x) {
    Level& level = levels_[l];
    if (!x) {  // b is new
        level.b.resize(level.F.entries.size());
        for (std::size_t i = 0; i < level.b.size(); ++i) level.b[i] = level.places[i].in(b);
        level.t.assign(level.F.columns(), 0.0);
    } else {
        hold(level, answer(level, *x), b);
    }
}

template <int D>
void CycleBodies<D>::restrict_rest(std::size_t l, const SplitField<D>& x,
                                   SplitField<D>& coarse_b) {
    Level& fine = levels_[l];
    fine.swept = answer(fine, x);
    std::vector<double> rest = fine.swept;
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = (rest[k] - fine.t[k]) / kStep<D>;
    subtract(levels_[l + 1], std::move(rest), fine.share, coarse_b);
}

template <int D>
void CycleBodies<D>::correct(std::size_t l, SplitField<D>& b, const SplitField<D>& coarse_x) {
    std::vector<double> t = levels_[l].swept;
    const std::vector<double> more = answer(levels_[l + 1], coarse_x);
    for (std::size_t k = 0; k < t.size(); ++k) t[k] += kStep<D> * more[k];
    hold(levels_[l], std::move(t), b);
}

template <int D>
double CycleBodies<D>::end(std::size_t l, SplitField<D>& b, const SplitField<D>& x) {
    const Level& level = levels_[l];
    double more = 0;
    for (std::size_t i = 0; i < level.b.size(); ++i) {
        const Place place = level.places[i];
        float& value = place.in(b);
        // A cell that touches two bodies comes twice; the second time it is right already.
        more += (static_cast<double>(level.b[i]) - value) * place.in(x);
        value = level.b[i];
    }
    return more;
}

template <int D>
void CycleBodies<D>::set_coarsest(MultigridLevel<D>& level, const std::function<void()>& solve) {
    Level& own = levels_.back();
    cells_ = unknowns_of(level);
    inverse_.clear();
    if (cells_.size() > kMostCells) {
        for (auto& e : own.F.entries) std::fill(std::begin(e.f), std::end(e.f), 0.0);
        return;
    }
    const auto n = static_cast<Eigen::Index>(cells_.size());
    Eigen::MatrixXd B = inverse_of(level, cells_);
    if (B.size() == 0) {
        // No inverse, as without air: what `solve` stands for, column by column.
        B.resize(n, n);
        for (const Place& c : cells_) c.in(level.b) = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
            cells_[j].in(level.b) = 1;
            solve();
            cells_[j].in(level.b) = 0;
            for (Eigen::Index i = 0; i < n; ++i) B(i, j) = cells_[i].in(level.x);
        }
        B = (0.5 * (B + B.transpose())).eval();
    }
    Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n, own.F.columns());
    std::map<std::array<int, 3>, Eigen::Index> row;
    for (Eigen::Index j = 0; j < n; ++j)
        row[{cells_[j].block, cells_[j].colour, cells_[j].at}] = j;
    for (int g = 0; g < own.F.groups(); ++g)
        for (std::size_t i = own.F.first[g]; i < own.F.first[g + 1]; ++i) {
            const Place place = own.places[i];
            const auto at = row.find({place.block, place.colour, place.at});
            if (at == row.end()) continue;
            for (int k = 0; k < kColumns<D>; ++k)
                F(at->second, g * kColumns<D> + k) = own.F.entries[i].f[k];
        }
    // (B^-1 + F F^T)^-1 by Woodbury's formula
    const Eigen::MatrixXd BF = B * F;
    const Eigen::MatrixXd G = Eigen::MatrixXd::Identity(F.cols(), F.cols()) + F.transpose() * BF;
    B -= BF * G.llt().solve(BF.transpose());
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j) inverse_.push_back(static_cast<float>(B(i, j)));
}

template <int D>
void CycleBodies<D>::solve_coarsest(MultigridLevel<D>& level) const {
    const std::size_t n = cells_.size();
    std::vector<float> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = cells_[i].in(level.b);
    for (std::size_t i = 0; i < n; ++i) {
        float s = 0;
        for (std::size_t j = 0; j < n; ++j) s += inverse_[i * n + j] * b[j];
        cells_[i].in(level.x) = s;
    }
}

template class CycleBodies<2>;
template class CycleBodies<3>;

}  // namespace slosh
