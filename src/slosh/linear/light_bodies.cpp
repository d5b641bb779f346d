#include "slosh/linear/light_bodies.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "slosh/base/parallel.h"
#include "slosh/linear/stencil_row.h"

namespace slosh {

namespace {

/// Added to the diagonal of E, relative to it: columns of F may be the same, or none (a hinge).
constexpr double kRidge = 1e-6;

/// Bodies that one thread takes at a time.
constexpr std::size_t kGroups = 4;

using Matrix = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

template <int D>
std::uint64_t key(const SplitPlace<D>& p) {
    return (static_cast<std::uint64_t>(p.block) * 2 + p.colour) * kHalf<D> + p.at;
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
    : given_(F), level_(finest), E_(std::make_unique<Factor>()) {
    const double unit = 1 / std::sqrt(static_cast<double>(finest.weight));
    for (const auto& e : F.entries) {
        F_.places.push_back(split_place<D>(e.block, e.offset));
        Values& v = F_.values.emplace_back();
        for (int k = 0; k < N; ++k) v[k] = static_cast<float>(e.f[k] * unit);
    }
    F_.first = F.first;
    Z_ = F_;
}

template <int D>
LightBodies<D>::~LightBodies() = default;

template <int D>
struct LightBodies<D>::Part {
    std::vector<Place> places;
    std::vector<Values> values;
};

template <int D>
void LightBodies<D>::build(const Field<std::uint8_t, D>* active) {
    std::vector<Part> parts(given_.groups());
    parallel_for(parts.size(), 1, [&](std::size_t g) {
        parts[g] = build_group(static_cast<int>(g), active);
    });
    AZ_ = {.places = {}, .values = {}, .first = {0}};
    for (const Part& part : parts) {
        AZ_.places.insert(AZ_.places.end(), part.places.begin(), part.places.end());
        AZ_.values.insert(AZ_.values.end(), part.values.begin(), part.values.end());
        AZ_.first.push_back(AZ_.places.size());
    }
    factor();
}

/// Z and A Z of one body.
template <int D>
auto LightBodies<D>::build_group(int g, const Field<std::uint8_t, D>* active) -> Part {
    struct Term {
        std::uint64_t key;
        Place place;
        std::size_t entry;
        float c;
    };
    std::vector<Term> terms;
    for (std::size_t i = F_.first[g]; i < F_.first[g + 1]; ++i) {
        const auto& e = given_.entries[i];
        const StencilRow<D> row(level_, e.block, e.offset);
        const bool fixed = row.diagonal == 0 || (active && active->block(e.block)[e.offset]);
        for (int k = 0; k < N; ++k) Z_.values[i][k] = fixed ? 0 : F_.values[i][k] / row.diagonal;
        if (fixed) continue;
        terms.push_back({key<D>(F_.places[i]), F_.places[i], i, row.diagonal});
        for (int side = 0; side < 2 * D; ++side)
            if (row.c[side] != 0)
                terms.push_back({key<D>(row.near[side]), row.near[side], i, -row.c[side]});
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& a, const Term& b) { return a.key < b.key; });
    Part part;
    for (std::size_t j = 0; j < terms.size(); ++j) {
        if (j == 0 || terms[j].key != terms[j - 1].key) {
            part.places.push_back(terms[j].place);
            part.values.push_back({});
        }
        const Values& z = Z_.values[terms[j].entry];
        for (int k = 0; k < N; ++k) part.values.back()[k] += terms[j].c * z[k];
    }
    return part;
}

template <int D>
void LightBodies<D>::factor() {
    const int n = given_.columns();
    std::unordered_map<std::uint64_t, std::vector<std::pair<int, std::size_t>>> at;  // group, entry
    for (int g = 0; g < given_.groups(); ++g)
        for (std::size_t i = F_.first[g]; i < F_.first[g + 1]; ++i)
            at[key<D>(F_.places[i])].push_back({g, i});
    // Sums over the cells that two bodies share: `left` of F's cells times the rows of `right`.
    const auto product = [&](const Rows& left, const Rows& right) {
        Triplets list;
        for (int g = 0; g < given_.groups(); ++g)
            for (std::size_t i = right.first[g]; i < right.first[g + 1]; ++i) {
                const auto found = at.find(key<D>(right.places[i]));
                if (found == at.end()) continue;
                for (const auto& [h, j] : found->second)
                    for (int a = 0; a < N; ++a)
                        for (int b = 0; b < N; ++b)
                            list.emplace_back(h * N + a, g * N + b,
                                              static_cast<double>(left.values[j][a]) * right.values[i][b]);
            }
        Matrix m(n, n);
        m.setFromTriplets(list.begin(), list.end());
        return m;
    };
    E_->T = product(F_, Z_);
    Matrix E = product(Z_, AZ_) + Matrix(E_->T.transpose() * E_->T);
    E = 0.5 * (E + Matrix(E.transpose()));
    for (int k = 0; k < n; ++k) {
        const double d = E.coeff(k, k);
        E.coeffRef(k, k) = d > 0 ? (1 + kRidge) * d : 1;
    }
    E_->of_E.compute(E);
}

template <int D>
void LightBodies<D>::gather(const Rows& m, int group, const SplitField<D>& x, double* to) {
    double sum[N] = {};
    for (std::size_t i = m.first[group]; i < m.first[group + 1]; ++i) {
        const double v = m.places[i].in(x);
        for (int k = 0; k < N; ++k) sum[k] += m.values[i][k] * v;
    }
    std::copy_n(sum, N, to);
}

template <int D>
void LightBodies<D>::scatter(const Rows& m, int group, const double* c, SplitField<D>& x) {
    for (std::size_t i = m.first[group]; i < m.first[group + 1]; ++i) {
        double s = 0;
        for (int k = 0; k < N; ++k) s += m.values[i][k] * c[k];
        m.places[i].in(x) += static_cast<float>(s);
    }
}

template <int D>
void LightBodies<D>::begin(SplitField<D>& r) {
    E_->Zr.resize(given_.columns());
    parallel_for(given_.groups(), kGroups, [&](std::size_t g) {
        gather(Z_, static_cast<int>(g), r, &E_->Zr[g * N]);
    });
    E_->c = E_->of_E.solve(E_->Zr);
    kept_.clear();
    for (const Rows* m : {&F_, &AZ_})
        for (const Place& place : m->places) kept_.push_back(place.in(r));
    const Eigen::VectorXd c = -E_->c, Tc = E_->T * c;  // -C Z c = A Z c + F T c, of this c
    for (int g = 0; g < given_.groups(); ++g) {
        scatter(AZ_, g, &c[g * N], r);
        scatter(F_, g, &Tc[g * N], r);
    }
}

template <int D>
double LightBodies<D>::end(SplitField<D>& r, SplitField<D>& z) {
    std::size_t next = 0;
    for (const Rows* m : {&F_, &AZ_})
        for (const Place& place : m->places) place.in(r) = kept_[next++];
    Eigen::VectorXd AZz(given_.columns()), Fz(given_.columns());
    parallel_for(given_.groups(), kGroups, [&](std::size_t i) {
        const int g = static_cast<int>(i);
        gather(AZ_, g, z, &AZz[g * N]);
        gather(F_, g, z, &Fz[g * N]);
    });
    const Eigen::VectorXd CZz = AZz + E_->T.transpose() * Fz;
    const Eigen::VectorXd more = E_->c - E_->of_E.solve(CZz);
    for (int g = 0; g < given_.groups(); ++g) scatter(Z_, g, &more[g * N], z);
    // The cycle's own r.z lacks (C Z c).z.
    return CZz.dot(E_->c) + E_->Zr.dot(more);
}

template class LightBodies<2>;
template class LightBodies<3>;

}  // namespace slosh
