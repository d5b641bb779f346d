#include "slosh/tall/wave_texture.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

using Complex = std::complex<double>;
constexpr std::uint64_t kSeed = 0x9a7e5;
constexpr double kGravity = 9.81, kTurn = 2 * std::numbers::pi;

/// Inverse transform of n values, n a power of two, in place; not scaled.
void transform(Complex* a, int n, int stride) {
    for (int i = 1, j = 0; i < n; ++i) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(a[i * stride], a[j * stride]);
    }
    for (int length = 2; length <= n; length <<= 1) {
        const Complex turn = std::polar(1.0, kTurn / length);
        for (int i = 0; i < n; i += length) {
            Complex w = 1;
            for (int k = 0; k < length / 2; ++k, w *= turn) {
                Complex &u = a[(i + k) * stride], &v = a[(i + k + length / 2) * stride];
                const Complex t = w * v;
                v = u - t;
                u += t;
            }
        }
    }
}

/// Two normal numbers for the wave (kx, kz).
Complex normal_pair(int kx, int kz) {
    const auto draw = [&](int d) {
        return hash_uniform(kSeed, static_cast<std::uint64_t>(kx + 4096) << 16 | (kz + 4096),
                            static_cast<std::uint64_t>(d));
    };
    return std::polar(std::sqrt(-2 * std::log(std::max(draw(0), 1e-12))), kTurn * draw(1));
}

/// A column's value between columns, x and z in cells; outside: of the nearest.
float between(const std::vector<float>& f, int nx, int nz, double x, double z) {
    const double cx = std::clamp(x, 0.0, nx - 1.001), cz = std::clamp(z, 0.0, nz - 1.001);
    const int ix = static_cast<int>(cx), iz = static_cast<int>(cz);
    const float ax = static_cast<float>(cx - ix), az = static_cast<float>(cz - iz);
    const float* p = &f[static_cast<std::size_t>(iz) * nx + ix];
    return (1 - az) * ((1 - ax) * p[0] + ax * p[1]) + az * ((1 - ax) * p[nx] + ax * p[nx + 1]);
}

}  // namespace

void WaveTexture::advance(const Water& water, double dt) {
    if (!on()) return;
    const Grid& g = water.grid();
    const std::size_t columns = water.terrain().size();
    for (int k : {0, 1}) {
        Copy& copy = copies_[k];
        if (copy.x.empty()) copy.age = 0.5 * k * options_.life;
        copy.age += dt;
        if (copy.x.empty() || copy.age >= options_.life) {
            copy.age = std::fmod(copy.age, options_.life);
            copy.x.assign(columns, 0.0f);
            copy.z.assign(columns, 0.0f);
        }
    }
    std::vector<float> speed_x(columns), speed_z(columns);
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const std::size_t k = static_cast<std::size_t>(z) * g.nx() + x;
            const double y = water.surface_height(x, z) / g.dx() - 0.5, below = std::floor(y);
            const auto at = [&](int cell) {
                return water.velocity().value(g, g.column(x, z), cell, Under::Bottom);
            };
            const int cell = static_cast<int>(below);
            const Float4 low = at(cell),
                         u = low + static_cast<float>(y - below) * (at(cell + 1) - low);
            speed_x[k] = u[0];
            speed_z[k] = u[2];
        }
    });
    room_x_.resize(columns);
    room_z_.resize(columns);
    for (Copy& copy : copies_) {
        for_each_row(g, [&](int z) {
            for (int x = 0; x < g.nx(); ++x) {
                const std::size_t k = static_cast<std::size_t>(z) * g.nx() + x;
                const double way_x = speed_x[k] * dt, way_z = speed_z[k] * dt;
                const double from_x = x - way_x / g.dx(), from_z = z - way_z / g.dx();
                room_x_[k] =
                    between(copy.x, g.nx(), g.nz(), from_x, from_z) + static_cast<float>(way_x);
                room_z_[k] =
                    between(copy.z, g.nx(), g.nz(), from_x, from_z) + static_cast<float>(way_z);
            }
        });
        std::swap(copy.x, room_x_);
        std::swap(copy.z, room_z_);
    }
}

std::vector<float> WaveTexture::tile(double time, double dx) const {
    const int n = options_.cells * options_.texels;
    const double side = options_.cells * dx, longest = options_.wind * options_.wind / kGravity;
    const Point<2> wind = Point<2>{{1, 0.6}} / std::hypot(1.0, 0.6);
    const auto number = [&](int i) { return i < n / 2 ? i : i - n; };
    // h0 without its scale; nothing that the cells hold themselves, or that texels do not.
    const auto start = [&](int kx, int kz) -> Complex {
        const double k = kTurn * std::hypot(kx, kz) / side, length = kTurn / std::max(k, 1e-9);
        if (length > 4 * dx || length < dx) return 0;
        const double along = (kx * wind[0] + kz * wind[1]) / std::hypot(kx, kz);
        const double phillips =
            std::exp(-1 / (k * k * longest * longest)) / std::pow(k, 4) * along * along;
        return std::sqrt(0.5 * phillips) * normal_pair(kx, kz);
    };
    std::vector<Complex> h(static_cast<std::size_t>(n) * n);
    double slope = 0;  // mean square, at this scale
    for (int z = 0; z < n; ++z)
        for (int x = 0; x < n; ++x) {
            const int kx = number(x), kz = number(z);
            if ((kx == 0 && kz == 0) || kx == -n / 2 || kz == -n / 2) continue;
            const double k = kTurn * std::hypot(kx, kz) / side;
            const Complex swing = std::polar(1.0, std::sqrt(kGravity * k) * time);
            const Complex a = start(kx, kz), b = std::conj(start(-kx, -kz));
            h[static_cast<std::size_t>(z) * n + x] = a * swing + b * std::conj(swing);
            slope += k * k * (std::norm(a) + std::norm(b));
        }
    for (int z = 0; z < n; ++z) transform(&h[static_cast<std::size_t>(z) * n], n, 1);
    for (int x = 0; x < n; ++x) transform(&h[static_cast<std::size_t>(x)], n, n);
    // Mean square slope of a windy sea, 0.003 + 0.005 U (Cox and Munk), of which these waves have
    // about a quarter.
    const double scale =
        slope > 0 ? 0.5 * std::sqrt((0.003 + 0.00512 * options_.wind) / slope) : 0.0;
    std::vector<float> out(h.size());
    for (std::size_t i = 0; i < h.size(); ++i) out[i] = static_cast<float>(scale * h[i].real());
    return out;
}

std::vector<float> WaveTexture::heights(const Water& water) const {
    const Grid& g = water.grid();
    const int t = options_.texels, nx = t * g.nx(), nz = t * g.nz(), n = options_.cells * t;
    std::vector<float> out(static_cast<std::size_t>(nx) * nz);
    if (!on() || copies_[0].x.empty()) return out;
    const std::vector<float> waves = tile(water.time(), g.dx());
    const auto wrapped = [&](int i) { return ((i % n) + n) % n; };
    const auto read = [&](double x, double z) {  // in texels
        const double fx = std::floor(x), fz = std::floor(z);
        const float ax = static_cast<float>(x - fx), az = static_cast<float>(z - fz);
        const int x0 = wrapped(static_cast<int>(fx)), x1 = wrapped(x0 + 1),
                  z0 = wrapped(static_cast<int>(fz)), z1 = wrapped(z0 + 1);
        const auto at = [&](int i, int k) { return waves[static_cast<std::size_t>(k) * n + i]; };
        return (1 - az) * ((1 - ax) * at(x0, z0) + ax * at(x1, z0)) +
               az * ((1 - ax) * at(x0, z1) + ax * at(x1, z1));
    };
    float weight[2];
    for (int k : {0, 1})
        weight[k] = static_cast<float>(1 - std::abs(2 * copies_[k].age / options_.life - 1));
    const float whole = std::max(std::hypot(weight[0], weight[1]), 1e-6f);  // keeps the variance
    const double per_metre = t / g.dx();
    parallel_for(static_cast<std::size_t>(nz), 8, [&](std::size_t z) {
        for (int x = 0; x < nx; ++x) {
            const double cx = (x + 0.5) / t - 0.5, cz = (double(z) + 0.5) / t - 0.5;
            float sum = 0;
            for (int k : {0, 1})
                sum += weight[k] *
                       read(x - per_metre * between(copies_[k].x, g.nx(), g.nz(), cx, cz),
                            double(z) - per_metre * between(copies_[k].z, g.nx(), g.nz(), cx, cz));
            out[z * nx + x] = sum / whole;
        }
    });
    return out;
}

}  // namespace slosh::tall
