#include "slosh/tall/spray.h"

#include <cmath>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

constexpr std::uint64_t kSeed = 0x5b7a11;

Stencil stencil_at(const Grid& g, const Point<3>& x) {
    return {g, static_cast<float>(x[0] / g.dx() - 0.5), static_cast<float>(x[1] / g.dx() - 0.5),
            static_cast<float>(x[2] / g.dx() - 0.5)};
}

Point<3> water_velocity(const Water& w, const Point<3>& x) {
    const Float4 u = sample(w.velocity(), w.grid(), stencil_at(w.grid(), x));
    return {{u[0], u[1], u[2]}};
}

int column_of(const Grid& g, const Point<3>& x, int& cx, int& cz) {
    cx = std::clamp(static_cast<int>(std::floor(x[0] / g.dx())), 0, g.nx() - 1);
    cz = std::clamp(static_cast<int>(std::floor(x[2] / g.dx())), 0, g.nz() - 1);
    return cz * g.nx() + cx;
}

}  // namespace

void Spray::seed(const Water& water, double dt) {
    trials_.clear();
    ++steps_;
    if (!options_.on || size() >= options_.most) return;
    const Grid& g = water.grid();
    const float dx = static_cast<float>(g.dx());
    const float least = static_cast<float>(options_.least_speed * g.dx() / dt);
    std::vector<std::vector<Trial>> rows(static_cast<std::size_t>(g.nz()));
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            const int ground = water.terrain()[static_cast<std::size_t>(z) * g.nx() + x];
            const float* phi = water.phi().at(c);
            for (int i = std::max(0, ground - g.top(c)); i < water.phi().end(c); ++i) {
                if (phi[i] > 0 || phi[i] < -dx) continue;
                const Float4 u = water.velocity().at(c)[i];
                if (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < least * least) continue;
                const std::uint64_t cell =
                    (static_cast<std::uint64_t>(g.top(c) + i) << 32) ^ static_cast<unsigned>(c);
                for (int k = 0; k < options_.trials; ++k) {
                    const auto draw = [&](int d) {
                        return hash_uniform(kSeed ^ steps_, cell,
                                            static_cast<std::uint64_t>(3 * k + d));
                    };
                    const Point<3> at =
                        Point<3>{{x + draw(0), g.top(c) + i + draw(1), z + draw(2)}} * g.dx();
                    const float depth = -sample(water.phi(), g, stencil_at(g, at));
                    if (depth <= 0) continue;
                    const Point<3> v = water_velocity(water, at);
                    rows[static_cast<std::size_t>(z)].push_back({at + v * dt, v, depth});
                }
            }
        }
    });
    for (const auto& row : rows) trials_.insert(trials_.end(), row.begin(), row.end());
}

void Spray::emit(const Water& water) {
    const Grid& g = water.grid();
    for (const Trial& t : trials_) {
        const float phi = sample(water.phi(), g, stencil_at(g, t.at));
        if (phi < 2 * t.radius || phi < 0.3f * static_cast<float>(g.dx())) continue;
        for (int k = 0; k < options_.children && size() < options_.most; ++k) {
            const std::uint32_t n = next_id_++;
            const auto noise = [&](int d) {
                return hash_uniform(kSeed, n, static_cast<std::uint64_t>(d)) - 0.5;
            };
            const double spread = 0.25 * length(t.velocity);
            position.push_back(t.at + Point<3>{{noise(0), noise(1), noise(2)}} * g.dx());
            velocity.push_back(t.velocity + Point<3>{{noise(3), noise(4), noise(5)}} * spread);
            kind.push_back(noise(6) + 0.5 < options_.mist_share ? Drop::Mist : Drop::Spray);
            age.push_back(0);
            id.push_back(n);
        }
    }
}

void Spray::fly(const Water& water, double dt) {
    const Grid& g = water.grid();
    const Point<3> gravity = water.gravity();
    const Point<3> size_of = {{g.nx() * g.dx(), 1e30, g.nz() * g.dx()}};
    std::vector<char> keep(size(), 1);
    for (std::size_t n = 0; n < size(); ++n) {
        Point<3>&x = position[n], &v = velocity[n];
        age[n] += static_cast<float>(dt);
        int cx, cz;
        if (kind[n] == Drop::Foam) {
            v = water_velocity(water, x);
            x += v * dt;
            column_of(g, x, cx, cz);
            x[1] = water.surface_height(cx, cz);
        } else {
            const double slow = kind[n] == Drop::Mist ? std::exp(-options_.mist_drag * dt) : 1;
            v = v * slow + gravity * dt;
            x += v * dt;
        }
        const bool gone = age[n] > options_.life || x[0] < 0 || x[2] < 0 || x[0] >= size_of[0] ||
                          x[2] >= size_of[2];
        if (gone) {
            keep[n] = 0;
            continue;
        }
        const int column = column_of(g, x, cx, cz);
        const bool dry = x[1] < water.terrain()[static_cast<std::size_t>(column)] * g.dx();
        if (dry) {
            keep[n] = 0;
            wet_[static_cast<std::size_t>(column)] = 1;
        } else if (kind[n] != Drop::Foam && sample(water.phi(), g, stencil_at(g, x)) < 0) {
            float& foam = foam_[static_cast<std::size_t>(column)];
            foam = std::min(1.0f, foam + 0.15f);
            if (kind[n] == Drop::Spray && hash_uniform(kSeed, id[n], 9) < options_.foam_share)
                kind[n] = Drop::Foam, age[n] = 0;
            else
                keep[n] = 0;
        }
    }
    std::size_t to = 0;
    for (std::size_t n = 0; n < keep.size(); ++n) {
        if (!keep[n]) continue;
        position[to] = position[n];
        velocity[to] = velocity[n];
        kind[to] = kind[n];
        age[to] = age[n];
        id[to++] = id[n];
    }
    position.resize(to);
    velocity.resize(to);
    kind.resize(to);
    age.resize(to);
    id.resize(to);
}

void Spray::fade(const Water& water, double dt) {
    const Grid& g = water.grid();
    const float foam_left = static_cast<float>(std::exp(-dt / options_.foam_time)),
                wet_left = static_cast<float>(std::exp(-dt / options_.dry_time));
    foam_room_.resize(foam_.size());
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t k = static_cast<std::size_t>(z) * g.nx() + x;
            const double height = water.surface_height(x, z), ground = water.terrain()[k] * g.dx();
            const bool covered = height > ground + 0.25 * g.dx();
            wet_[k] = covered ? 1.0f : wet_left * wet_[k];
            foam_room_[k] = 0;
            if (!covered) continue;
            // Back along the velocity of the highest cell of water.
            const int c = g.column(x, z), top = water.highest_wet(c);
            const Float4& u = top < 0 ? water.velocity().bottom(c) : water.velocity().at(c)[top];
            const double fx = std::clamp(x - u[0] * dt / g.dx(), 0.0, g.nx() - 1.001),
                         fz = std::clamp(z - u[2] * dt / g.dx(), 0.0, g.nz() - 1.001);
            const int ix = static_cast<int>(fx), iz = static_cast<int>(fz);
            const float ax = static_cast<float>(fx - ix), az = static_cast<float>(fz - iz);
            const float* f = &foam_[static_cast<std::size_t>(iz) * g.nx() + ix];
            foam_room_[k] = foam_left * ((1 - az) * ((1 - ax) * f[0] + ax * f[1]) +
                                         az * ((1 - ax) * f[g.nx()] + ax * f[g.nx() + 1]));
        }
    });
    std::swap(foam_, foam_room_);
}

void Spray::advance(const Water& water, double dt) {
    if (!options_.on) return;
    const std::size_t columns = water.terrain().size();
    foam_.resize(columns);
    wet_.resize(columns);
    fly(water, dt);
    emit(water);
    fade(water, dt);
}

}  // namespace slosh::tall
