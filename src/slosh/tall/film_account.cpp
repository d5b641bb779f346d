#include "slosh/tall/film_account.h"

#include <cmath>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

constexpr float kShallow = 6;      ///< Cells of water from which on a column is deep.
constexpr float kDry = 0.05f;      ///< Cells of water below which it cannot grow.
constexpr float kMostMissing = 2;  ///< Cells that a column may lack; more is due elsewhere.
/// Bound of the growth, so that a film is not blown up. 1/s
constexpr float kMostGrowth = 3;

/// Mean velocity along x and z of the upper cells of a column, as deep as shallow water is.
void mean_velocity(const Grid& g, const Columns<float>& phi, const Velocity& velocity, int c,
                   int ground, float& along_x, float& along_z) {
    float x = 0, z = 0, n = 0;
    const int low = std::max(0, ground - g.top(c));
    for (int i = phi.end(c) - 1; i >= low && n < kShallow; --i) {
        if (phi.at(c)[i] >= 0) continue;
        const Float4& u = velocity.at(c)[i];
        x += u[0];
        z += u[2];
        ++n;
    }
    along_x = n > 0 ? x / n : 0;
    along_z = n > 0 ? z / n : 0;
}

}  // namespace

void FilmAccount::move(const Grid& g, const Terrain& terrain, const Columns<float>& phi,
                       const Velocity& velocity, double dt) {
    if (volume_.empty()) return;  // nothing has moved yet
    const std::size_t columns = volume_.size();
    for (int k = 0; k < 2; ++k) {
        along_[k].resize(columns);
        flow_[k].resize(columns);
        carried_[k].resize(columns);
    }
    const float cells = static_cast<float>(dt / g.dx());
    const std::size_t step[2] = {1, static_cast<std::size_t>(g.nx())};
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t n = index(g, x, z);
            along_[0][n] = along_[1][n] = 0;
            const bool beside =
                shallow_[n] || (x > 0 && shallow_[n - 1]) || (x < g.nx() - 1 && shallow_[n + 1]) ||
                (z > 0 && shallow_[n - step[1]]) || (z < g.nz() - 1 && shallow_[n + step[1]]);
            if (beside && volume_[n] > 0)
                mean_velocity(g, phi, velocity, g.column(x, z), terrain[n], along_[0][n],
                              along_[1][n]);
        }
    });
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x)
            for (int k = 0; k < 2; ++k) {
                const std::size_t a = index(g, x, z), b = a + step[k];
                flow_[k][a] = carried_[k][a] = 0;
                const bool last = k == 0 ? x == g.nx() - 1 : z == g.nz() - 1;
                if (last || !(shallow_[a] || shallow_[b])) continue;
                const float ua = along_[k][a], ub = along_[k][b];
                const float u = volume_[a] > 0 && volume_[b] > 0 ? 0.5f * (ua + ub) : ua + ub;
                const std::size_t from = u > 0 ? a : b;
                if (volume_[from] <= 0) continue;
                // What stands higher than the step of the ground between the two.
                const float sill =
                    static_cast<float>(std::max(terrain[a], terrain[b]) - terrain[from]);
                const float share = std::clamp(u * cells, -1.0f, 1.0f);
                flow_[k][a] = share * std::max(volume_[from] - sill, 0.0f);
                carried_[k][a] = missing_[from] * flow_[k][a] / volume_[from];
            }
    });
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t n = index(g, x, z);
            if (!shallow_[n]) continue;
            float in = volume_[n] + missing_[n];
            for (int k = 0; k < 2; ++k) {
                in -= flow_[k][n] + carried_[k][n];
                if ((k == 0 ? x : z) > 0) in += flow_[k][n - step[k]] + carried_[k][n - step[k]];
            }
            due_[n] = in;
        }
    });
}

double FilmAccount::settle(const Grid& g, std::vector<float>& volume,
                           const std::vector<char>& apart) {
    const std::size_t columns = volume.size();
    if (volume_.empty()) {
        shallow_.assign(columns, 0);
        missing_.assign(columns, 0.0f);
        due_ = volume;
    }
    std::vector<float> lack(columns, 0.0f);
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t n = index(g, x, z);
            const bool was = shallow_[n];
            shallow_[n] = x > 0 && z > 0 && x < g.nx() - 1 && z < g.nz() - 1 &&
                          volume[n] < kShallow && !apart[n];
            lack[n] = was && shallow_[n] ? due_[n] - volume[n] : 0.0f;
        }
    });
    std::swap(volume_, volume);
    const auto takes = [&](std::size_t n) { return shallow_[n] && volume_[n] > kDry; };
    const std::size_t row = static_cast<std::size_t>(g.nx());
    const std::size_t beside[4] = {std::size_t(0) - 1, 1, std::size_t(0) - row, row};
    return parallel_sum(
        static_cast<std::size_t>(g.nz()),
        [&](std::size_t z) {
            double sum = 0;
            for (std::size_t n = z * row; n < (z + 1) * row; ++n) {
                missing_[n] = 0;
                if (!takes(n)) continue;
                float all = lack[n];
                // A column that has run dry leaves it to the wet ones beside it.
                for (const std::size_t s : beside) {
                    if (takes(n + s) || lack[n + s] == 0) continue;
                    int heirs = 0;
                    for (const std::size_t t : beside) heirs += takes(n + s + t);
                    all += lack[n + s] / static_cast<float>(heirs);
                }
                missing_[n] = std::clamp(all, -kMostMissing, kMostMissing);
                sum += missing_[n];
            }
            return sum;
        },
        2);
}

void FilmAccount::write_off(double kept) {
    if (kept == 1) return;
    for (float& m : missing_) m *= static_cast<float>(kept);
}

const std::vector<float>& FilmAccount::growth(const Grid& g, double time) {
    growth_.resize(volume_.size());
    const float rate = static_cast<float>(1 / time);
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t n = index(g, x, z);
            growth_[n] = 0;
            if (!shallow_[n] || volume_[n] <= kDry) continue;
            // Of the columns around: what one has too much and the next too little is no loss.
            float lack = 0, water = 0;
            for (int k = -1; k <= 1; ++k)
                for (int i = -1; i <= 1; ++i) {
                    const std::size_t m = index(g, x + i, z + k);
                    if (!shallow_[m]) continue;
                    lack += missing_[m];
                    water += volume_[m];
                }
            growth_[n] = std::clamp(rate * lack / water, -kMostGrowth, kMostGrowth);
        }
    });
    return growth_;
}

}  // namespace slosh::tall
