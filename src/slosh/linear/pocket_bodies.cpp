#include <cmath>

#include "slosh/linear/pockets.h"

namespace slosh {

namespace {

/// F^T times the indicator of each pocket (one column each), and the sum of magnitudes of each.
template <int D>
struct PocketFlux {
    std::vector<std::vector<double>> column;
    std::vector<double> size;

    PocketFlux(const Pockets<D>& pockets, const LowRank<D>& F)
        : column(pockets.count, std::vector<double>(F.columns(), 0.0)), size(pockets.count, 0.0) {
        std::size_t part = 0;
        for (int g = 0; g < F.groups(); ++g)
            for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i) {
                const auto& e = F.entries[i];
                // Entries of a group and parts are both in block order.
                if (i == F.first[g]) part = 0;
                while (part < pockets.parts.size() && pockets.parts[part].block < e.block) ++part;
                for (std::size_t k = part;
                     k < pockets.parts.size() && pockets.parts[k].block == e.block; ++k) {
                    if (!(pockets.parts[k].cells[e.offset / 64] >> (e.offset % 64) & 1)) continue;
                    const int p = pockets.parts[k].pocket;
                    for (int c = 0; c < kColumns<D>; ++c) {
                        column[p][g * kColumns<D> + c] += e.f[c];
                        size[p] += std::abs(e.f[c]);
                    }
                }
            }
    }
};

double norm(const std::vector<double>& v) {
    double s = 0;
    for (double x : v) s += x * x;
    return std::sqrt(s);
}

}  // namespace

template <int D>
std::vector<std::vector<double>> null_combinations(const Pockets<D>& pockets,
                                                   const LowRank<D>* bodies) {
    // What counts as zero: shares of faces are floats.
    constexpr double kZero = 1e-5;
    std::vector<std::vector<double>> null;
    const int n = pockets.count;
    const auto alone = [&](int p) {
        null.emplace_back(n, 0.0);
        null.back()[p] = 1;
    };
    if (!bodies || bodies->empty()) {
        for (int p = 0; p < n; ++p) alone(p);
        return null;
    }
    const PocketFlux<D> flux(pockets, *bodies);
    // Each column that depends on the ones before it gives one combination: orthogonalise, keeping
    // book of what each remainder is made of.
    struct Kept {
        std::vector<double> direction, made_of;
    };
    std::vector<Kept> kept;
    for (int p = 0; p < n; ++p) {
        if (norm(flux.column[p]) <= kZero * flux.size[p]) {
            alone(p);
            continue;
        }
        Kept k{flux.column[p], std::vector<double>(n, 0.0)};
        k.made_of[p] = 1;
        const double before = norm(k.direction);
        for (int pass = 0; pass < 2; ++pass)
            for (const Kept& old : kept) {
                double along = 0;
                for (std::size_t c = 0; c < old.direction.size(); ++c)
                    along += old.direction[c] * k.direction[c];
                for (std::size_t c = 0; c < old.direction.size(); ++c)
                    k.direction[c] -= along * old.direction[c];
                for (int q = 0; q < n; ++q) k.made_of[q] -= along * old.made_of[q];
            }
        const double left = norm(k.direction);
        if (left <= kZero * std::max(before, flux.size[p])) {
            null.push_back(std::move(k.made_of));
            continue;
        }
        for (double& v : k.direction) v /= left;
        for (double& v : k.made_of) v /= left;
        kept.push_back(std::move(k));
    }
    return null;
}

template std::vector<std::vector<double>> null_combinations<2>(const Pockets<2>&,
                                                               const LowRank<2>*);
template std::vector<std::vector<double>> null_combinations<3>(const Pockets<3>&,
                                                               const LowRank<3>*);

}  // namespace slosh
