#include "slosh/particles/spacing.h"

#include <cmath>

#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/particles/cell_list.h"

namespace slosh {

namespace {

constexpr double kReach = 2;         // of the kernel, in spacings
constexpr float kTogether = 1e-5f;   // cells; closer particles have no direction between them
constexpr double kLongest = 0.5;     // way of a particle in an iteration, in spacings

/// w(r) = peak (1 - r/R)^3 and what a wall stands for.
template <int D>
class Kernel {
public:
    explicit Kernel(int per_axis);
    float radius;
    float peak;
    /// 1 - r/R, or 0 out of reach.
    Floats nearness(Floats r) const { return max_lanes(1 - r * (1 / radius), Floats{}); }
    Floats at(Floats t) const { return peak * t * t * t; }
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

double raw(double q) { return q < 1 ? std::pow(1 - q, 3) : 0.0; }

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
    const int fine = 16 * kSamples;
    std::vector<double> plane(fine + 1);
    for (int i = 0; i <= fine; ++i)
        for (int k = 0; k < fine; ++k) {
            const double s = (k + 0.5) / fine;
            plane[i] += raw(std::hypot(s, static_cast<double>(i) / fine)) * (D == 3 ? s : 1);
        }
    double beyond = 0;
    beyond_[kSamples] = beyond_[kSamples + 1] = 0;
    for (int i = fine - 1; i >= 0; --i) {
        beyond += 0.5 * (plane[i] + plane[i + 1]);
        if (i % 16 == 0) beyond_[i / 16] = beyond;
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

/// From a particle to eight of its neighbourhood.
template <int D>
struct Ways {
    Floats way[D];  // towards the neighbour
    Floats square = {};
    Ways(const Neighbourhood<D>& near, int k, const float (&x)[D]) {
        for (int d = 0; d < D; ++d) {
            way[d] = load_lanes(near.x(d) + k, kLanes) - x[d];
            square += way[d] * way[d];
        }
    }
    /// One bit per lane.
    int in_reach(float radius) const { return bits(square < radius * radius); }
};

/// One iteration: densities first, then the moves they ask for.
template <int D>
class Spacer {
public:
    Spacer(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
           const Field<float, D>& solid, const ExactSolids<D>* exact, int per_axis)
        : list_(particles, pblocks),
          solid_(solid),
          exact_(exact),
          kernel_(per_axis),
          spacing_(1.0f / static_cast<float>(per_axis)),
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
    void measure_at(std::uint32_t slot, const Neighbourhood<D>& near, SolidWalker<D>& walker);
    Point<D> density_move(std::uint32_t slot, const Neighbourhood<D>& near,
                          SolidWalker<D>& walker) const;
    Point<D> distance_move(std::uint32_t slot, const Neighbourhood<D>& near) const;
    Point<D> parting(std::uint32_t slot, int together) const;
    void position(std::uint32_t slot, float (&x)[D]) const {
        for (int d = 0; d < D; ++d) x[d] = list_.x(d)[slot];
    }
    void use_solids(int b, SolidWalker<D>& walker) const {
        walker.use(exact_ && exact_->needed(list_.blocks().coord(b)) ? exact_ : nullptr);
    }

    CellList<D> list_;
    const Field<float, D>& solid_;
    const ExactSolids<D>* exact_;
    Kernel<D> kernel_;
    float spacing_;
    int reach_;
    AlignedVector<float> density_, lambda_, phi_;  // by slot
};

template <int D>
double Spacer<D>::measure() {
    std::vector<float> greatest(list_.blocks().size());
    parallel_ranges(greatest.size(), 4, [&](std::size_t begin, std::size_t end) {
        Neighbourhood<D> near;
        SolidWalker<D> walker(solid_);
        for (std::size_t b = begin; b < end; ++b) {
            use_solids(static_cast<int>(b), walker);
            for_each_cell(static_cast<int>(b), [&](const Index<D>& cell, std::uint32_t first,
                                                   std::uint32_t last) {
                near.gather(list_, static_cast<int>(b), cell, reach_);
                for (std::uint32_t slot = first; slot < last; ++slot) {
                    measure_at(slot, near, walker);
                    greatest[b] = std::max(greatest[b], density_[slot]);
                }
            });
        }
    });
    return greatest.empty() ? 0 : *std::max_element(greatest.begin(), greatest.end());
}

template <int D>
void Spacer<D>::measure_at(std::uint32_t slot, const Neighbourhood<D>& near,
                           SolidWalker<D>& walker) {
    float x[D];
    position(slot, x);
    Floats sum = {};
    for (int k = 0; k < near.size(); k += kLanes) {
        const Ways<D> to(near, k, x);
        if (to.in_reach(kernel_.radius)) sum += kernel_.at(kernel_.nearness(root(to.square)));
    }
    Point<D> centre, slope;
    for (int d = 0; d < D; ++d) centre[d] = x[d];
    const double phi = walker.distance(centre, slope);
    double fall;
    const double density = sum_lanes(sum) + kernel_.wall(phi, fall);
    density_[slot] = static_cast<float>(density);
    phi_[slot] = static_cast<float>(phi);
    lambda_[slot] = 0;
    if (density <= 1) return;

    Floats squares = {}, gradient[D] = {};
    for (int k = 0; k < near.size(); k += kLanes) {
        const Ways<D> to(near, k, x);
        if (!to.in_reach(kernel_.radius)) continue;
        const Floats r = root(to.square), push = kernel_.push(r);
        squares += push * push * to.square;
        for (int d = 0; d < D; ++d) gradient[d] += push * to.way[d];
    }
    Point<D> g;
    for (int d = 0; d < D; ++d) g[d] = sum_lanes(gradient[d]);
    g -= slope * fall;
    const double size = sum_lanes(squares) + dot(g, g);
    lambda_[slot] = static_cast<float>(size > 0 ? (density - 1) / size : 0);
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

/// (P6) without alpha.
template <int D>
Point<D> Spacer<D>::density_move(std::uint32_t slot, const Neighbourhood<D>& near,
                                 SolidWalker<D>& walker) const {
    float x[D];
    position(slot, x);
    const float own = lambda_[slot];
    Floats move[D] = {};
    int active = own > 0, together = 0;
    for (int k = 0; k < near.size(); k += kLanes) {
        const Ways<D> to(near, k, x);
        const int in = to.in_reach(kernel_.radius);
        if (in == 0) continue;
        const Floats r = root(to.square), lambda = load_lanes(near.value() + k, kLanes);
        const int apart = bits(r > kTogether);
        active += __builtin_popcount(in & apart & bits(lambda > 0.0f));
        together += __builtin_popcount(in & ~apart);
        const Floats push = (lambda + own) * kernel_.push(r);
        for (int d = 0; d < D; ++d) move[d] -= push * to.way[d];
    }
    Point<D> sum;
    if (active == 0) return sum;
    Point<D> centre, slope;
    for (int d = 0; d < D; ++d) {
        sum[d] = sum_lanes(move[d]);
        centre[d] = x[d];
    }
    double fall;
    if (own > 0 && kernel_.wall(phi_[slot], fall) > 0) {
        (void)walker.distance(centre, slope);
        sum += slope * (own * fall);
    }
    return sum / static_cast<double>(active) + parting(slot, together);
}

template <int D>
Point<D> Spacer<D>::distance_move(std::uint32_t slot, const Neighbourhood<D>& near) const {
    float x[D];
    position(slot, x);
    Floats move[D] = {};
    int close = 0, together = 0;
    for (int k = 0; k < near.size(); k += kLanes) {
        const Ways<D> to(near, k, x);
        if (!to.in_reach(spacing_)) continue;
        const Floats r = root(to.square);
        together += __builtin_popcount(bits(r <= kTogether));
        const Ints is_close = (r < spacing_) & (r > kTogether);
        close += __builtin_popcount(bits(is_close));
        const Floats push = choose(is_close, 0.5f * (spacing_ - r) / r, Floats{});
        for (int d = 0; d < D; ++d) move[d] -= push * to.way[d];
    }
    Point<D> sum;
    for (int d = 0; d < D; ++d) sum[d] = close ? sum_lanes(move[d]) / close : 0.0;
    return sum + parting(slot, together);
}

template <int D>
void Spacer<D>::spread(const SpacingOptions& options, Particles<D>& particles) const {
    const bool by_density = options.kind == Spacing::Density;
    const SolidMap<D> map(solid_);
    parallel_ranges(list_.blocks().size(), 4, [&](std::size_t begin, std::size_t end) {
        Neighbourhood<D> near;
        SolidWalker<D> walker(solid_);
        for (std::size_t b = begin; b < end; ++b) {
            const int block = static_cast<int>(b);
            use_solids(block, walker);
            const bool near_solid = map.is_near(list_.blocks().coord(block));
            for_each_cell(block, [&](const Index<D>& cell, std::uint32_t first, std::uint32_t last) {
                near.gather(list_, block, cell, reach_, lambda_.data());
                for (std::uint32_t slot = first; slot < last; ++slot) {
                    Point<D> way = by_density ? density_move(slot, near, walker)
                                              : distance_move(slot, near);
                    if (by_density) way *= std::clamp<double>(phi_[slot], 1, options.max_scale);
                    const double way_length = length(way), longest = kLongest * spacing_;
                    if (!(way_length > 0)) continue;
                    if (way_length > longest) way *= longest / way_length;
                    const std::uint32_t i = list_.particle(slot);
                    Point<D> x = particles.position(i);
                    if (near_solid)
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
    SpacingReport report;
    while (true) {
        Spacer<D> spacer(particles, pblocks, solid, exact, options.per_axis);
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
                                          const Field<float, D>& solid,
                                          const ExactSolids<D>* exact, int per_axis) {
    Spacer<D> spacer(particles, pblocks, solid, exact, per_axis);
    (void)spacer.measure();
    return spacer.by_particle();
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template SpacingReport space_particles<D>(const Field<float, D>&, const ExactSolids<D>*,     \
                                              const SpacingOptions&, Particles<D>&,              \
                                              ParticleBlocks<D>&);                               \
    template std::vector<float> densities_at_particles<D>(                                       \
        const Particles<D>&, const ParticleBlocks<D>&, const Field<float, D>&,                   \
        const ExactSolids<D>*, int);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
