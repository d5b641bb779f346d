#include "slosh/particles/spacing.h"

#include <cmath>

#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/particles/cell_list.h"

namespace slosh {

namespace {

constexpr double kReach = 2;        // of the kernel, in spacings
constexpr float kTogether = 1e-5f;  // cells; closer particles have no direction between them
constexpr double kLongest = 0.5;    // way of a particle in an iteration, in spacings
constexpr double kRelaxation =
    2;  // of the averaged moves; half the iterations of 1, and 3 diverges

/// w(r) = peak (1 - r/R)^3 and what a wall stands for.
template <int D>
class Kernel {
public:
    explicit Kernel(int per_axis);
    float radius;
    float peak;
    /// 1 - r/R, or 0 out of reach.
    Floats nearness(Floats r) const { return max_lanes(1 - r * (1 / radius), Floats{}); }
    Floats at(Floats r) const {
        const Floats t = nearness(r);
        return peak * t * t * t;
    }
    /// -dw/dr / r: times the way to a neighbour it is the gradient. 0 if they are in one place.
    Floats push(Floats r) const {
        const Floats t = nearness(r);
        return choose(r > kTogether, (3 * peak / radius) * t * t / r, Floats{});
    }
    /// Density that a flat solid at the distance phi stands for, and how it falls with distance.
    double wall(double phi, double& fall) const;

private:
    static constexpr int kSamples = 32;
    double beyond_[kSamples + 2];  // share of the kernel beyond a plane at i / kSamples radii
};

double raw(double q) {
    const double t = std::max(1 - q, 0.0);
    return t * t * t;
}

template <int D>
Kernel<D>::Kernel(int per_axis) : radius(static_cast<float>(kReach / per_axis)) {
    double sum = 0;
    const int n = static_cast<int>(kReach);
    Index<D> o = Index<D>::filled(-n);
    while (o[D - 1] <= n) {
        sum += raw(length(o.template as<double>()) / kReach);
        ++o[0];
        for (int d = 0; d + 1 < D && o[d] > n; ++d) o[d] = -n, ++o[d + 1];
    }
    peak = static_cast<float>(1 / sum);
    // Integrals over planes, then over what lies beyond each.
    constexpr int kParts = 4, kFine = kParts * kSamples;
    std::vector<double> plane(kFine + 1);
    for (int i = 0; i <= kFine; ++i)
        for (int k = 0; k < kFine; ++k) {
            const double s = (k + 0.5) / kFine;
            plane[i] += raw(std::hypot(s, static_cast<double>(i) / kFine)) * (D == 3 ? s : 1);
        }
    double beyond = 0;
    beyond_[kSamples] = beyond_[kSamples + 1] = 0;
    for (int i = kFine - 1; i >= 0; --i) {
        beyond += 0.5 * (plane[i] + plane[i + 1]);
        if (i % kParts == 0) beyond_[i / kParts] = beyond;
    }
    const double others = 1 - peak;  // of a density of one: the particle itself is not missing
    for (double& b : beyond_) b *= 0.5 * others / beyond;
}

template <int D>
double Kernel<D>::wall(double phi, double& fall) const {
    const double s = std::max(phi, 0.0) / radius * kSamples;
    const int i = static_cast<int>(s);
    fall = 0;
    if (i >= kSamples) return 0;
    fall = (beyond_[i] - beyond_[i + 1]) * kSamples / radius;
    return beyond_[i] + (s - i) * (beyond_[i + 1] - beyond_[i]);
}

float sum_lanes(Floats a) {
    float s = 0;
    for (int i = 0; i < kLanes; ++i) s += a[i];
    return s;
}

/// Which lanes to take to bring those of a mask to the front, for every mask.
struct FrontTable {
    int lane[1 << kLanes][kLanes] = {};
    constexpr FrontTable() {
        for (int mask = 0; mask < 1 << kLanes; ++mask)
            for (int i = 0, n = 0; i < kLanes; ++i)
                if (mask >> i & 1) lane[mask][n++] = i;
    }
};
alignas(32) constexpr FrontTable kFront;

/// The particles of a neighbourhood within reach of a particle, itself among them: of eight
/// candidates in the cells around it one is near enough, and only that is worth a root.
template <int D>
class Close {
public:
    void collect(const Neighbourhood<D>& near, const float (&x)[D], float radius, bool values) {
        size_ = 0;
        const std::size_t room = static_cast<std::size_t>(near.size()) + kLanes;
        for (auto& w : way_) w.resize(std::max(w.size(), room));
        value_.resize(std::max(value_.size(), room));
        for (int k = 0; k < near.size(); k += kLanes) {
            Floats way[D], square = {};
            for (int d = 0; d < D; ++d) {
                way[d] = load_lanes(near.x(d) + k, kLanes) - x[d];
                square += way[d] * way[d];
            }
            const int in = bits(square < radius * radius);
            if (in == 0) continue;
            for (int d = 0; d < D; ++d) put(way[d], in, way_[d].data());
            if (values) put(load_lanes(near.value() + k, kLanes), in, value_.data());
            size_ += __builtin_popcount(in);
        }
        // Whole vectors: what fills them up is out of reach.
        for (int d = 0; d < D; ++d) store_lanes(way_[d].data() + size_, all_lanes(radius), kLanes);
        store_lanes(value_.data() + size_, Floats{}, kLanes);
    }
    int size() const { return size_; }
    /// Towards eight of them, from the k-th on; the distance.
    Floats ways(int k, Floats (&way)[D]) const {
        Floats square = {};
        for (int d = 0; d < D; ++d) {
            way[d] = load_lanes(way_[d].data() + k, kLanes);
            square += way[d] * way[d];
        }
        return root(square);
    }
    Floats values(int k) const { return load_lanes(value_.data() + k, kLanes); }

private:
    void put(Floats f, int mask, float* to) const {
        const __m256i order =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(kFront.lane[mask]));
        _mm256_storeu_ps(to + size_, _mm256_permutevar8x32_ps(__m256(f), order));
    }
    AlignedVector<float> way_[D], value_;
    int size_ = 0;
};

/// One iteration: densities first, then the moves they ask for.
template <int D>
class Spacer {
public:
    Spacer(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
           const Field<float, D>& solid, const ExactSolids<D>* exact, const Kernel<D>& kernel)
        : list_(particles, pblocks),
          solid_(solid),
          exact_(exact),
          kernel_(kernel),
          spacing_(kernel.radius / static_cast<float>(kReach)),
          reach_(static_cast<int>(std::ceil(kernel_.radius))),
          density_(particles.size()),
          lambda_(particles.size()),
          phi_(particles.size()) {}

    /// Fills the densities; returns the greatest.
    double measure();
    void spread(const SpacingOptions& options, Particles<D>& particles) const;
    std::vector<float> by_particle() const;

private:
    /// Calls body(cell, first slot, last slot) for every cell with particles of block b.
    template <class Body>
    void for_each_cell(int b, const Body& body) const {
        for (int c = 0; c < kBlockCells<D>; ++c)
            if (list_.start(b, c) < list_.start(b, c + 1))
                body(local_cell<D>(c), list_.start(b, c), list_.start(b, c + 1));
    }
    void measure_at(std::uint32_t slot, const Close<D>& close, SolidWalker<D>& walker);
    Point<D> density_move(std::uint32_t slot, const Close<D>& close, double max_scale,
                          SolidWalker<D>& nodes) const;
    Point<D> distance_move(std::uint32_t slot, const Close<D>& close) const;
    Point<D> parting(std::uint32_t slot, int together) const;
    Vec<float, D> place(std::uint32_t slot) const {
        Vec<float, D> x;
        for (int d = 0; d < D; ++d) x[d] = list_.x(d)[slot];
        return x;
    }
    Point<D> position(std::uint32_t slot) const { return place(slot).template as<double>(); }

    CellList<D> list_;
    const Field<float, D>& solid_;
    const ExactSolids<D>* exact_;
    const Kernel<D>& kernel_;
    float spacing_;
    int reach_;
    AlignedVector<float> density_, lambda_, phi_;  // by slot
};

template <int D>
double Spacer<D>::measure() {
    std::vector<float> greatest(list_.blocks().size());
    parallel_ranges(greatest.size(), 4, [&](std::size_t begin, std::size_t end) {
        Neighbourhood<D> near;
        Close<D> close;
        SolidWalker<D> walker(solid_);
        for (std::size_t b = begin; b < end; ++b) {
            for_each_cell(static_cast<int>(b),
                          [&](const Index<D>& cell, std::uint32_t first, std::uint32_t last) {
                              near.gather(list_, static_cast<int>(b), cell, reach_);
                              for (std::uint32_t slot = first; slot < last; ++slot) {
                                  close.collect(near, place(slot).v, kernel_.radius, false);
                                  measure_at(slot, close, walker);
                                  greatest[b] = std::max(greatest[b], density_[slot]);
                              }
                          });
        }
    });
    return greatest.empty() ? 0 : *std::max_element(greatest.begin(), greatest.end());
}

template <int D>
void Spacer<D>::measure_at(std::uint32_t slot, const Close<D>& close, SolidWalker<D>& walker) {
    Floats sum = {}, squares = {}, gradient[D] = {}, way[D];
    for (int k = 0; k < close.size(); k += kLanes) {
        const Floats r = close.ways(k, way), push = kernel_.push(r);
        sum += kernel_.at(r);
        squares += push * push * r * r;
        for (int d = 0; d < D; ++d) gradient[d] += push * way[d];
    }
    Point<D> g, slope;
    for (int d = 0; d < D; ++d) g[d] = sum_lanes(gradient[d]);
    const double phi = walker.distance(position(slot), slope);
    double fall;
    const double density = sum_lanes(sum) + kernel_.wall(phi, fall);
    g -= slope * fall;
    density_[slot] = static_cast<float>(density);
    phi_[slot] = static_cast<float>(phi);
    const double excess = std::max(density - 1, 0.0), size = sum_lanes(squares) + dot(g, g);
    lambda_[slot] = static_cast<float>(size > 0 ? excess / size : 0);
}

/// Particles in one place: any direction will do, if each has its own. `together` counts the
/// particle itself.
template <int D>
Point<D> Spacer<D>::parting(std::uint32_t slot, int together) const {
    Point<D> way;
    for (int d = 0; d < D && together > 1; ++d)
        way[d] = 0.1 * spacing_ * (2 * hash_uniform(list_.particle(slot), d, 0) - 1);
    return way;
}

/// (P6); alpha by the distance to solids.
template <int D>
Point<D> Spacer<D>::density_move(std::uint32_t slot, const Close<D>& close, double max_scale,
                                 SolidWalker<D>& nodes) const {
    const float own = lambda_[slot];
    Floats move[D] = {}, way[D];
    int active = own > 0, together = 0;
    for (int k = 0; k < close.size(); k += kLanes) {
        const Floats r = close.ways(k, way), lambda = close.values(k);
        const int apart = bits(r > kTogether);
        active += __builtin_popcount(apart & bits(lambda > 0.0f));
        together += __builtin_popcount(~apart & 0xff);
        const Floats push = (lambda + own) * kernel_.push(r);
        for (int d = 0; d < D; ++d) move[d] -= push * way[d];
    }
    Point<D> sum;
    if (active == 0) return sum;
    for (int d = 0; d < D; ++d) sum[d] = sum_lanes(move[d]);
    double fall;
    if (own > 0 && kernel_.wall(phi_[slot], fall) > 0) {
        Point<D> slope;
        (void)nodes.distance(position(slot), slope);
        sum += slope * (own * fall);
    }
    const double alpha = std::clamp<double>(phi_[slot], 1, max_scale);
    return sum * std::min(kRelaxation * alpha / active, 1.0) + parting(slot, together);
}

template <int D>
Point<D> Spacer<D>::distance_move(std::uint32_t slot, const Close<D>& close) const {
    Floats move[D] = {}, way[D];
    int pairs = 0, together = 0;
    for (int k = 0; k < close.size(); k += kLanes) {
        const Floats r = close.ways(k, way);
        const Ints is_close = (r < spacing_) & (r > kTogether);
        pairs += __builtin_popcount(bits(is_close));
        together += __builtin_popcount(bits(r <= kTogether));
        const Floats push = choose(is_close, 0.5f * (spacing_ - r) / r, Floats{});
        for (int d = 0; d < D; ++d) move[d] -= push * way[d];
    }
    Point<D> sum;
    for (int d = 0; d < D; ++d) sum[d] = pairs ? sum_lanes(move[d]) / pairs : 0.0;
    return sum + parting(slot, together);
}

template <int D>
void Spacer<D>::spread(const SpacingOptions& options, Particles<D>& particles) const {
    const bool by_density = options.kind == Spacing::Density;
    const SolidMap<D> map(solid_);
    parallel_ranges(list_.blocks().size(), 4, [&](std::size_t begin, std::size_t end) {
        Neighbourhood<D> near;
        Close<D> close;
        SolidWalker<D> walker(solid_), nodes(solid_);  // the first knows bodies as they are
        for (std::size_t b = begin; b < end; ++b) {
            const int block = static_cast<int>(b);
            const bool near_solid = map.is_near(list_.blocks().coord(block));
            const bool near_body = exact_ && exact_->needed(list_.blocks().coord(block));
            walker.use(near_body ? exact_ : nullptr);
            for_each_cell(block, [&](const Index<D>& cell, std::uint32_t first,
                                     std::uint32_t last) {
                near.gather(list_, block, cell, reach_, lambda_.data());
                for (std::uint32_t slot = first; slot < last; ++slot) {
                    close.collect(near, place(slot).v, by_density ? kernel_.radius : spacing_,
                                  by_density);
                    Point<D> way = by_density ? density_move(slot, close, options.max_scale, nodes)
                                              : distance_move(slot, close);
                    const double way_length = length(way), longest = kLongest * spacing_;
                    if (!(way_length > 0)) continue;
                    if (way_length > longest) way *= longest / way_length;
                    const std::uint32_t i = list_.particle(slot);
                    Point<D> x = particles.position(i);
                    // phi is a distance, so its interpolant falls by at most sqrt(D) per cell.
                    const double fall = std::sqrt(D) * std::min(way_length, longest);
                    if (near_body || (near_solid && phi_[slot] < fall + kSolidMargin))
                        walker.walk(x, x + way);
                    else
                        x += way;
                    for (int d = 0; d < D; ++d) particles.x[d][i] = static_cast<float>(x[d]);
                }
            });
        }
    });
}

template <int D>
std::vector<float> Spacer<D>::by_particle() const {
    std::vector<float> out(density_.size());
    parallel_for(out.size(), 4096,
                 [&](std::size_t slot) { out[list_.particle(slot)] = density_[slot]; });
    return out;
}

}  // namespace

template <int D>
SpacingReport space_particles(const Field<float, D>& solid, const ExactSolids<D>* exact,
                              const SpacingOptions& options, Particles<D>& particles,
                              ParticleBlocks<D>& pblocks) {
    const Kernel<D> kernel(options.per_axis);
    SpacingReport report;
    while (true) {
        Spacer<D> spacer(particles, pblocks, solid, exact, kernel);
        report.max_density = spacer.measure();
        report.converged = report.max_density <= 1 + options.tolerance;
        if (report.converged || report.iterations >= options.max_iterations) return report;
        spacer.spread(options, particles);
        ++report.iterations;
        pblocks = sort_by_block(particles);
    }
}

template <int D>
std::vector<float> densities_at_particles(const Particles<D>& particles,
                                          const ParticleBlocks<D>& pblocks,
                                          const Field<float, D>& solid, int per_axis) {
    const Kernel<D> kernel(per_axis);
    Spacer<D> spacer(particles, pblocks, solid, nullptr, kernel);
    (void)spacer.measure();
    return spacer.by_particle();
}

#define SLOSH_INSTANTIATE(D)                                                                 \
    template SpacingReport space_particles<D>(const Field<float, D>&, const ExactSolids<D>*, \
                                              const SpacingOptions&, Particles<D>&,          \
                                              ParticleBlocks<D>&);                           \
    template std::vector<float> densities_at_particles<D>(                                   \
        const Particles<D>&, const ParticleBlocks<D>&, const Field<float, D>&, int);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
