#include "slosh/linear/light_bodies.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "slosh/base/parallel.h"
#include "slosh/linear/stencil_row.h"

namespace slosh {

namespace {

/// Added to the diagonal of E, relative to it: columns of F may be the same, or none (a hinge).
constexpr double kRidge = 1e-6;

/// Bodies that one thread takes at a time.
constexpr std::size_t kGroups = 4;

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

/// a b^T
template <std::size_t N>
Eigen::Matrix<double, static_cast<int>(N), static_cast<int>(N)> outer(const std::array<float, N>& a,
                                                                      const std::array<float, N>& b) {
    using Column = Eigen::Matrix<float, static_cast<int>(N), 1>;
    return (Eigen::Map<const Column>(a.data()) * Eigen::Map<const Column>(b.data()).transpose())
        .template cast<double>();
}

template <std::size_t N>
double dot(const std::array<float, N>& a, const double* c) {
    double s = 0;
    for (std::size_t k = 0; k < N; ++k) s += a[k] * c[k];
    return s;
}

}  // namespace

template <int D>
struct LightBodies<D>::Factor {
    Matrix T;  // F^T Z
    Eigen::SimplicialLLT<Matrix> of_E;
    Eigen::VectorXd Zr, c;  // Z^T r; E^-1 of it
};

template <int D>
LightBodies<D>::LightBodies(const LowRank<D>& F, const MultigridLevel<D>& finest)
    : given_(F), E_(std::make_unique<Factor>()) {
    const double unit = 1 / std::sqrt(static_cast<double>(finest.weight));
    const std::size_t n = F.entries.size();
    cells_.resize(n);
    F_.resize(n);
    group_.resize(n);
    const auto number = [&](const SplitPlace<D>& p) {
        return static_cast<std::uint32_t>((p.colour * (finest.size() + 1) + p.block) * kHalf<D> + p.at);
    };
    for (int g = 0; g < F.groups(); ++g)
        for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i) {
            const auto& e = F.entries[i];
            const StencilRow<D> row(finest, e.block, e.offset);
            Cell& cell = cells_[i];
            group_[i] = g;
            cell.own = number(split_place<D>(e.block, e.offset));
            cell.diagonal = row.diagonal;
            for (int side = 0; side < 2 * D; ++side) {
                cell.c[side] = row.c[side];
                cell.near[side] = row.c[side] != 0 ? number(row.near[side]) : cell.own;
            }
            for (int k = 0; k < N; ++k) F_[i][k] = static_cast<float>(e.f[k] * unit);
        }
    Z_.resize(n);
    find_couples(2 * (static_cast<std::size_t>(finest.size()) + 1) * kHalf<D>);
    kept_.resize(touched_.size());
}

template <int D>
LightBodies<D>::~LightBodies() = default;

template <int D>
template <class Body>
void LightBodies<D>::for_each_group(const Body& body) const {
    parallel_for(given_.groups(), kGroups, [&](std::size_t g) {
        body(static_cast<int>(g), static_cast<Eigen::Index>(g) * N, given_.first[g], given_.first[g + 1]);
    });
}

template <int D>
void LightBodies<D>::find_couples(std::size_t places) {
    // Entries by place: the first of each, and after each the next.
    constexpr int kNone = -1, kSeen = -2;
    std::vector<int> first(places, kNone), next(cells_.size(), kNone);
    for (int i = static_cast<int>(cells_.size()) - 1; i >= 0; --i) {
        int& head = first[cells_[i].own];
        if (head == kNone) touched_.push_back(cells_[i].own);
        next[i] = head;
        head = i;
    }
    inner_.assign(given_.groups(), {});
    for (int i = 0; i < static_cast<int>(cells_.size()); ++i) {
        const Cell& cell = cells_[i];
        const auto add = [&](std::uint32_t place, float a, bool same) {
            if (first[place] == kNone) {
                touched_.push_back(place);
                first[place] = kSeen;
            }
            for (int j = first[place]; j >= 0; j = next[j]) {
                if (group_[j] != group_[i])
                    outer_.push_back({i, j, a, same});
                else if (i < j)
                    inner_[group_[i]].push_back({i, j, a, same});
            }
        };
        add(cell.own, cell.diagonal, true);
        for (int side = 0; side < 2 * D; ++side)
            if (cell.c[side] != 0) add(cell.near[side], -cell.c[side], false);
    }
}

template <int D>
void LightBodies<D>::build(const Field<std::uint8_t, D>* active) {
    std::vector<std::uint8_t> now(cells_.size(), 0);
    if (active)
        for (std::size_t i = 0; i < now.size(); ++i)
            now[i] = active->block(given_.entries[i].block)[given_.entries[i].offset];
    if (now == active_) return;
    active_ = std::move(now);
    factor();
}

template <int D>
void LightBodies<D>::factor() {
    BlockMatrix<N> T(given_.groups()), E(given_.groups());
    for_each_group([&](int g, Eigen::Index, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const float d = cells_[i].diagonal;
            for (int k = 0; k < N; ++k) Z_[i][k] = active_[i] || d == 0 ? 0 : F_[i][k] / d;
            T.own[g] += outer(F_[i], Z_[i]);
            E.own[g] += d * outer(Z_[i], Z_[i]);
        }
        for (const Couple& c : inner_[g]) {
            const auto block = outer(Z_[c.i], Z_[c.j]);
            E.own[g] += c.a * (block + block.transpose());
        }
    });
    for (const Couple& c : outer_) {
        E.add(group_[c.i], group_[c.j], c.a * outer(Z_[c.i], Z_[c.j]));
        if (c.same) T.add(group_[c.i], group_[c.j], outer(F_[c.i], Z_[c.j]));
    }
    E_->T = T.matrix();
    Matrix sum = E.matrix() + Matrix(E_->T.transpose() * E_->T);
    for (int k = 0; k < given_.columns(); ++k) {
        double& d = sum.coeffRef(k, k);
        d = d > 0 ? (1 + kRidge) * d : 1;
    }
    E_->of_E.compute(sum);
}

template <int D>
void LightBodies<D>::begin(SplitField<D>& field) {
    float* r = field.half(0, 0);
    E_->Zr.resize(given_.columns());
    for_each_group([&](int, Eigen::Index column, std::size_t begin, std::size_t end) {
        double sum[N] = {};
        for (std::size_t i = begin; i < end; ++i)
            for (int k = 0; k < N; ++k) sum[k] += static_cast<double>(Z_[i][k]) * r[cells_[i].own];
        std::copy_n(sum, N, &E_->Zr[column]);
    });
    E_->c = E_->of_E.solve(E_->Zr);
    for (std::size_t i = 0; i < touched_.size(); ++i) kept_[i] = r[touched_[i]];
    const Eigen::VectorXd Tc = E_->T * E_->c;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        const Cell& cell = cells_[i];
        const auto y = static_cast<float>(dot(Z_[i], &E_->c[group_[i] * N]));
        const auto f = static_cast<float>(dot(F_[i], &Tc[group_[i] * N]));
        r[cell.own] -= cell.diagonal * y + f;
        for (int side = 0; side < 2 * D; ++side) r[cell.near[side]] += cell.c[side] * y;
    }
}

template <int D>
double LightBodies<D>::end(SplitField<D>& r_field, SplitField<D>& z_field) {
    float *r = r_field.half(0, 0), *z = z_field.half(0, 0);
    for (std::size_t i = 0; i < touched_.size(); ++i) r[touched_[i]] = kept_[i];
    Eigen::VectorXd ZAz(given_.columns()), Fz(given_.columns());
    for_each_group([&](int, Eigen::Index column, std::size_t begin, std::size_t end) {
        double a[N] = {}, f[N] = {};
        for (std::size_t i = begin; i < end; ++i) {
            const Cell& cell = cells_[i];
            const float own = z[cell.own];
            float Az = cell.diagonal * own;
            for (int side = 0; side < 2 * D; ++side) Az -= cell.c[side] * z[cell.near[side]];
            for (int k = 0; k < N; ++k) {
                a[k] += static_cast<double>(Z_[i][k]) * Az;
                f[k] += static_cast<double>(F_[i][k]) * own;
            }
        }
        std::copy_n(a, N, &ZAz[column]);
        std::copy_n(f, N, &Fz[column]);
    });
    const Eigen::VectorXd ZCz = ZAz + E_->T.transpose() * Fz;
    const Eigen::VectorXd more = E_->c - E_->of_E.solve(ZCz);
    for (std::size_t i = 0; i < cells_.size(); ++i)
        z[cells_[i].own] += static_cast<float>(dot(Z_[i], &more[group_[i] * N]));
    // The cycle's own r.z lacks (C Z c).z.
    return ZCz.dot(E_->c) + E_->Zr.dot(more);
}

template class LightBodies<2>;
template class LightBodies<3>;

}  // namespace slosh
