#include "slosh/scene/estimate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/shape/primitives.h"

namespace slosh {
namespace {

template <int D>
double power(double x) {
    return D == 2 ? x * x : x * x * x;
}

/// A regular set of points, n per axis at most, in the middle of boxes of side `spacing`.
template <int D>
struct Samples {
    Point<D> lower;
    double spacing = 1;
    Index<D> n;

    Samples(Box<D> box, double least, int most) {
        double longest = 0;
        for (int d = 0; d < D; ++d) longest = std::max(longest, box.hi[d] - box.lo[d]);
        spacing = std::max(least, longest / most);
        lower = box.lo;
        for (int d = 0; d < D; ++d)
            n[d] =
                std::max(1, static_cast<int>(std::ceil((box.hi[d] - box.lo[d]) / spacing - 1e-6)));
    }
    std::size_t size() const {
        std::size_t s = 1;
        for (int d = 0; d < D; ++d) s *= std::size_t(n[d]);
        return s;
    }
    Point<D> point(std::size_t i) const {
        Point<D> x;
        for (int d = 0; d < D; ++d) {
            x[d] = lower[d] + spacing * (double(i % std::size_t(n[d])) + 0.5);
            i /= std::size_t(n[d]);
        }
        return x;
    }
    double volume() const { return power<D>(spacing); }
    /// Share of a sample's box with a distance below zero, if the surface is nearly flat.
    double inside(double distance) const { return std::clamp(0.5 - distance / spacing, 0.0, 1.0); }
};

template <int D>
constexpr int kMostSamples = D == 2 ? 256 : 64;

template <int D>
class Estimator {
public:
    Estimator(const Scene& scene, SceneEstimate& out)
        : scene_(scene), out_(out), setup_(make_setup<D>(scene)) {
        domain_ = {setup_.grid.origin, setup_.grid.upper()};
        inside_domain_ = box<D>(domain_.lo, domain_.hi);
        for (const Solid<D>& s : setup_.solids) at_start_.push_back(s.motion.at(0));
    }

    void run(int threads, const CostTable& costs) {
        measure_liquid();
        count_inflow();
        for (std::size_t i = 0; i < setup_.solids.size(); ++i) check_solid(i);
        for (std::size_t i = 0; i < setup_.bodies.size(); ++i) check_body(i);
        check_domain();
        guess_costs(threads, costs);
    }

private:
    void warn(std::string text) { out_.warnings.push_back(std::move(text)); }

    double solid_distance(const Point<D>& x) const {
        double least = 1e30;
        for (std::size_t i = 0; i < setup_.solids.size(); ++i)
            least = std::min(least, setup_.solids[i].distance(x, at_start_[i]));
        return least;
    }
    double body_distance(const Point<D>& x) const {
        double least = 1e30;
        for (const Body<D>& body : setup_.bodies) least = std::min(least, body.shape->distance(x));
        return least;
    }
    /// Room for liquid: negative inside the domain and outside all solids.
    double room(const Point<D>& x) const {
        return std::max(inside_domain_->distance(x), -solid_distance(x));
    }
    Box<D> clipped(Box<D> b) const { return {max(b.lo, domain_.lo), min(b.hi, domain_.hi)}; }
    static bool is_empty(const Box<D>& b) {
        for (int d = 0; d < D; ++d)
            if (!(b.lo[d] < b.hi[d])) return true;
        return false;
    }

    void measure_liquid() {
        Box<D> around = Box<D>::nowhere();
        if (setup_.gas) {  // fills what there is
            setup_.liquid = {{inside_domain_, {}, {}, {}}};
            around = domain_;
        }
        for (std::size_t i = 0; i < scene_.initial.size(); ++i) {
            const Shape<D>& shape = *setup_.liquid[i].shape;
            const Box<D> b = clipped(shape.bounds());
            const std::string name = fmt::format("$.initial[{}]", i);
            if (is_empty(b)) {
                warn(name + ": lies wholly outside the domain; move it or enlarge the domain");
                continue;
            }
            around = {min(around.lo, b.lo), max(around.hi, b.hi)};
            // How much of what was drawn is left once solids are taken away?
            const Samples<D> s(b, 0.25 * scene_.dx(), kMostSamples<D> / 2);
            double drawn = 0, left = 0;
            for (std::size_t k = 0; k < s.size(); ++k) {
                const double d =
                    std::max(shape.distance(s.point(k)), inside_domain_->distance(s.point(k)));
                drawn += s.inside(d);
                if (d < s.spacing) left += s.inside(std::max(d, room(s.point(k))));
            }
            if (left * s.volume() < power<D>(scene_.dx()))
                warn(name + ": holds less than a cell of liquid; it may lie inside a solid");
            else if (left < 0.95 * drawn)
                warn(fmt::format("{}: {:.0f} % of it lies inside solids and is left out", name,
                                 100 * (1 - left / drawn)));
        }
        if (is_empty(around)) return;

        const double dx = scene_.dx();
        const Samples<D> s(clipped(around.grown(kSide * dx)), dx, kMostSamples<D>);
        std::vector<float> phi(s.size());
        parallel_for(s.size(), 256, [&](std::size_t k) {
            const Point<D> x = s.point(k);
            double d = 1e30;
            for (const InitialLiquid<D>& l : setup_.liquid) d = std::min(d, l.shape->distance(x));
            phi[k] = float(std::max({d, room(x), -body_distance(x)}));
        });
        std::set<Index<D>, bool (*)(const Index<D>&, const Index<D>&)> blocks(
            [](const Index<D>& a, const Index<D>& b) {
                return std::lexicographical_compare(a.v, a.v + D, b.v, b.v + D);
            });
        double near = 0, surface = 0;
        for (std::size_t k = 0; k < phi.size(); ++k) {
            out_.volume += s.inside(phi[k]) * s.volume();
            if (std::abs(phi[k]) < 0.5 * s.spacing) surface += s.volume() / s.spacing;
            if (phi[k] < kSide * dx) near += s.volume();
            if (phi[k] > 0) continue;
            // A step's grid: the blocks that hold liquid and all their neighbours.
            const Index<D> block = floor(setup_.grid.to_grid(s.point(k)) / double(kSide));
            for (int code = 0; code < kNeighbours<D>; ++code)
                blocks.insert(block + neighbour_offset<D>(code));
        }
        const double block_volume = power<D>(kSide * dx);
        out_.blocks = s.spacing < kSide * dx ? double(blocks.size()) : near / block_volume;
        out_.liquid_cells = out_.volume / power<D>(dx);
        surface_ = surface;
    }

    /// Liquid that inflows add over the run, as far as there is room.
    void count_inflow() {
        const double dx = scene_.dx(), duration = (scene_.frames - 1) / scene_.fps;
        double added = 0;
        for (std::size_t i = 0; i < setup_.inflows.size(); ++i) {
            const Inflow<D>& in = setup_.inflows[i];
            const std::string name = fmt::format("$.inflows[{}]", i);
            const Samples<D> s(in.shape->bounds().grown(1e-9), 0.25 * dx, kMostSamples<D> / 2);
            double volume = 0, wide[D] = {};
            for (std::size_t k = 0; k < s.size(); ++k)
                volume += s.inside(in.shape->distance(s.point(k))) * s.volume();
            for (int d = 0; d < D; ++d)
                wide[d] = in.shape->bounds().hi[d] - in.shape->bounds().lo[d];
            if (volume < 2 * (1 << D) * power<D>(dx) || *std::min_element(wide, wide + D) < 2 * dx)
                warn(fmt::format(
                    "{}: only {:.1f} cells of volume and {:.1f} cells across; make it "
                    "larger or raise the resolution",
                    name, volume / power<D>(dx), *std::min_element(wide, wide + D) / dx));
            const double start = std::max(0.0, in.start), end = std::min(duration, in.end);
            if (end <= start) {
                warn(name + ": never works within the frames of this run");
                continue;
            }
            for (int j = 0; j < 32; ++j) {  // mean rate: speed times cross-section along it
                Point<D> v;
                for (int d = 0; d < D; ++d)
                    v[d] = in.velocity[d].at(start + (end - start) * (j + 0.5) / 32);
                double along = 0;
                for (int d = 0; d < D; ++d) along += std::abs(v[d]) * wide[d];
                const double speed = length(v);
                if (along > 0) added += speed * volume * speed / along * (end - start) / 32;
                fastest_ = std::max(fastest_, speed);
            }
            added += volume;
        }
        const Samples<D> s(domain_, dx, kMostSamples<D>);
        double free = 0;
        for (std::size_t k = 0; k < s.size(); ++k) free += s.inside(room(s.point(k))) * s.volume();
        bool open = !setup_.drains.empty();
        for (const bool side : setup_.open_side) open |= side;
        if (out_.volume + added > free && !open)
            warn(fmt::format(
                "inflows bring {:.3g} m^{} but there is room for {:.3g}; add a drain, an "
                "open side, or an \"end\" time",
                added, D, std::max(0.0, free - out_.volume)));
        peak_volume_ = std::min(out_.volume + added, free);
    }

    struct Thickness {
        bool anywhere = false;  ///< Whether the shape reaches into the domain at all.
        bool thin = false;      ///< Whether much of it is thinner than two cells.
    };
    /// From points just inside, goes inwards to a depth of two cells: out again means a thin wall.
    /// Sharp edges give some hits as well; a thin wall gives many.
    template <class Distance>
    Thickness thickness(const Distance& distance) const {
        const double dx = scene_.dx();
        const Samples<D> s(domain_, dx, kMostSamples<D>);
        std::size_t skin = 0, thin = 0, anywhere = 0;
        for (std::size_t k = 0; k < s.size(); ++k) {
            const Point<D> x = s.point(k);
            const double d = distance(x);
            anywhere += d < 0.5 * s.spacing;
            if (d >= 0 || d < -dx) continue;
            Point<D> n;
            for (int a = 0; a < D; ++a) {
                Point<D> e;
                e[a] = 0.25 * dx;
                n[a] = distance(x + e) - distance(x - e);
            }
            if (length(n) < 1e-12 * dx) continue;
            ++skin;
            thin += distance(x - n * ((2 * dx + d) / length(n))) > 0;
        }
        return {anywhere > 0, double(thin) > 0.15 * double(skin)};
    }
    static std::string place(const char* list, std::size_t i, const std::string& name) {
        return fmt::format("$.{}[{}]{}", list, i, name.empty() ? "" : " (" + name + ")");
    }

    void check_solid(std::size_t i) {
        const Solid<D>& solid = setup_.solids[i];
        const Thickness t =
            thickness([&](const Point<D>& x) { return solid.distance(x, at_start_[i]); });
        if (!t.anywhere && !solid.motion.moving())
            warn(place("solids", i, solid.name) +
                 ": does not touch the domain, or is far smaller than a cell");
        else if (t.thin)
            warn(place("solids", i, solid.name) +
                 ": has walls thinner than 2 cells; make them thicker or raise the resolution");
    }

    void check_body(std::size_t i) {
        const Body<D>& body = setup_.bodies[i];
        const Thickness t = thickness([&](const Point<D>& x) { return body.shape->distance(x); });
        if (!t.anywhere)
            warn(place("bodies", i, body.name) +
                 ": does not touch the domain, or is far smaller than a cell");
        else if (t.thin)
            warn(place("bodies", i, body.name) +
                 ": is thinner than 2 cells; liquid will not feel both its sides: make it thicker "
                 "or raise the resolution");
    }

    void check_domain() {
        for (int d = 0; d < D; ++d) {
            const double real = scene_.cells()[d] * scene_.dx();
            if (std::abs(real - scene_.size[d]) > 1e-5 * scene_.dx())
                warn(fmt::format(
                    "$.size[{}]: {} m is no whole number of cells; the domain is {:.6g} m", d,
                    scene_.size[d], real));
        }
    }

    /// Of the weight of liquid, or of gas from the sources, how much sets it in motion.
    double most_lift() const {
        double most = setup_.gas ? 0 : 1;
        if (setup_.gas)
            for (const GasSource<D>& s : setup_.gas->sources)
                most = std::max(most, std::abs(setup_.gas->lift(s.smoke, s.temperature)));
        return most;
    }

    void guess_costs(int threads, const CostTable& costs) {
        const StepOptions& step = scene_.step;
        const double dx = scene_.dx(), cell = power<D>(dx);
        double per_cell = 1;
        for (int d = 0; d < D; ++d) per_cell *= step.particles_per_axis;
        out_.particles = out_.liquid_cells * per_cell;
        out_.peak_particles = std::max(out_.particles, peak_volume_ / cell * per_cell);

        // How fast will the fastest particle be, on average? What it has at the start, and what
        // jets and drops were seen to reach: twice the speed of a fall through half the domain.
        Point<D> g;
        double fall = 0;
        for (int d = 0; d < D; ++d) {
            g[d] = most_lift() * setup_.gravity[d].at(0);
            fall += std::abs(g[d]) * 2 * (domain_.hi[d] - domain_.lo[d]);
        }
        for (const InitialLiquid<D>& l : setup_.liquid)
            fastest_ = std::max(fastest_, length(l.velocity) + length(l.spin) * 0.5 *
                                                                   length(domain_.hi - domain_.lo));
        const double speed = std::sqrt(fastest_ * fastest_ + 2 * fall);
        double dt = std::min(step.max_dt, 1 / scene_.fps);
        if (speed > 0) dt = std::min(dt, step.cfl * dx / speed);
        const double way = setup_.gas ? dx : step.fall * dx;  // as a step does
        if (length(g) > 0) dt = std::min(dt, std::sqrt(way / length(g)));
        out_.substeps_per_frame = std::ceil(1 / scene_.fps / dt - 1e-9);
        if (out_.substeps_per_frame > 50)
            warn(fmt::format(
                "a frame needs about {:.0f} substeps; check velocities, \"fps\" and \"max_dt\"",
                out_.substeps_per_frame));

        // Liquid that splashes touches more blocks than liquid at the start.
        const double growth = out_.particles > 0 ? out_.peak_particles / out_.particles : 1;
        const double blocks = out_.blocks > 0 ? out_.blocks : peak_volume_ / cell / kBlockCells<D>;
        double all_blocks = 1;
        for (int d = 0; d < D; ++d) all_blocks *= std::ceil(scene_.cells()[d] / double(kSide)) + 2;
        const auto cells_after = [&](double spread, double more) {
            return std::min(spread * blocks * more, all_blocks) * kBlockCells<D>;
        };
        const double peak_cells = cells_after(costs.peak_spread, growth);
        const double mean_cells = cells_after(costs.mean_spread, 0.5 * (1 + growth));
        out_.memory_bytes = costs.base_bytes + out_.peak_particles * costs.bytes_per_particle +
                            peak_cells * costs.bytes_per_cell;
        const double ram = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
        if (out_.memory_bytes > 0.9 * ram)
            warn(
                fmt::format("needs about {:.1f} GB of memory, this machine has {:.1f}; lower the "
                            "resolution",
                            out_.memory_bytes / 1e9, ram / 1e9));

        const double particles = 0.5 * (out_.particles + out_.peak_particles);
        const double substep =
            (particles * costs.ns_per_particle + mean_cells * costs.ns_per_cell) * 1e-9 /
            std::max(1, threads);
        out_.seconds_per_frame = substep * out_.substeps_per_frame + costs.seconds_per_frame;
        out_.seconds = out_.seconds_per_frame * scene_.frames;

        double area = 2 * surface_;  // of the liquid's surface, which splashing makes larger
        if (area == 0) area = 2 * D * std::pow(peak_volume_, (D - 1.0) / D);
        const double surface_cells = area / std::pow(dx, D - 1);
        const SceneOutput& o = scene_.output;
        if (setup_.gas) out_.disk_bytes_per_frame += 2 * 8 * out_.liquid_cells;  // VDB and VTK
        if (o.surface && !setup_.gas)
            out_.disk_bytes_per_frame += surface_cells * costs.bytes_per_surface_cell;
        if (o.particles != ParticleFiles::None) out_.disk_bytes_per_frame += particles * 28;
        if (o.volumes) out_.disk_bytes_per_frame += mean_cells * 8;
        const double affine = step.transfer == Transfer::Apic ? D * D : 0;
        out_.checkpoint_bytes =
            costs.packed * particles * (4 * (2 * D + affine + (setup_.gas ? 2 : 0)) + 4);
        out_.disk_bytes = scene_.frames * (out_.disk_bytes_per_frame +
                                           out_.substeps_per_frame * costs.bytes_per_stats_line) +
                          2 * out_.checkpoint_bytes;  // the last two are kept
    }

    const Scene& scene_;
    SceneEstimate& out_;
    LiquidSetup<D> setup_;
    std::vector<Transform<D>> at_start_;
    Box<D> domain_;
    ShapePtr<D> inside_domain_;
    double surface_ = 0;      ///< Area of the liquid's surface, m^2 (2D: m).
    double peak_volume_ = 0;  ///< m^3
    double fastest_ = 0;      ///< m/s
};

/// Tall cells have no particles, and cost the same however deep the water is.
void estimate_tall(const Scene& scene, int threads, const CostTable& costs, SceneEstimate& out) {
    const double stored = out.cells[0] * double(out.cells[2]) * (scene.tall->rows + 2);
    const double steps = std::max(1.0, std::ceil(1 / scene.fps / scene.step.max_dt - 1e-6));
    out.particles = out.peak_particles = 0;
    out.checkpoint_bytes = 0;
    out.substeps_per_frame = steps;
    out.seconds_per_frame = steps * stored * costs.ns_per_tall_cell * 1e-9 / std::max(1, threads) +
                            costs.seconds_per_frame;
    out.seconds = out.seconds_per_frame * scene.frames;
    out.memory_bytes = costs.base_bytes + stored * costs.bytes_per_tall_cell;
    out.disk_bytes_per_frame = 0;  // a surface cell a column, and the sides and the ground
    if (scene.output.surface)
        out.disk_bytes_per_frame = 2.5 * out.cells[0] * out.cells[2] * costs.bytes_per_surface_cell;
    out.disk_bytes = scene.frames * (out.disk_bytes_per_frame + steps * costs.bytes_per_stats_line);
}

}  // namespace

SceneEstimate estimate_scene(const Scene& scene, int n, const CostTable& costs) {
    SceneEstimate out;
    out.dx = scene.dx();
    out.cells = scene.cells();
    out.domain_cells = double(out.cells[0]) * out.cells[1] * out.cells[2];
    if (n <= 0) n = threads();
    if (scene.dim == 2)
        Estimator<2>(scene, out).run(n, costs);
    else
        Estimator<3>(scene, out).run(n, costs);
    if (scene.tall) estimate_tall(scene, n, costs, out);
    return out;
}

}  // namespace slosh
