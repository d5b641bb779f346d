#include "slosh/render/flat.h"

#include <cmath>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/grid/interpolate.h"
#include "slosh/render/mask.h"
#include "slosh/render/palette.h"

namespace slosh {

namespace {

/// Between the world and the picture, whose y points down.
struct Sheet {
    Box<2> domain;
    double scale;  // pixels per metre
    Pixel corner;  // of the domain's lower left

    Sheet(const FlatOptions& o) : domain(o.domain) {
        SLOSH_EXPECT(o.width > 0 && o.height > 0);
        const Point<2> side = domain.hi - domain.lo;
        const double free = 1 - 2 * o.margin;
        scale = std::min(free * o.width / side[0], free * o.height / side[1]);
        corner = {0.5 * (o.width - scale * side[0]), 0.5 * (o.height + scale * side[1])};
    }
    Pixel to_pixel(const Point<2>& x) const {
        return {corner[0] + (x[0] - domain.lo[0]) * scale,
                corner[1] - (x[1] - domain.lo[1]) * scale};
    }
    Point<2> to_world(const Pixel& p) const {
        return {domain.lo[0] + (p[0] - corner[0]) / scale,
                domain.lo[1] + (corner[1] - p[1]) / scale};
    }
    /// The part of a pixel inside the domain.
    double inside(const Pixel& p) const {
        const Pixel a = to_pixel(domain.lo), b = to_pixel(domain.hi);
        const double d = std::min({p[0] - a[0], b[0] - p[0], a[1] - p[1], p[1] - b[1]});
        return std::clamp(d + 0.5, 0.0, 1.0);
    }
};

/// Distance in pixels to the zero of a level set, from its value and slope in the picture; far
/// from the zero only the sign is right. A pixel is `size` metres wide.
template <class F>
double pixels_to_zero(F& phi, const Pixel& p, double size) {
    const double value = phi(p);
    if (std::abs(value) > 6 * size) return std::copysign(1e9, value);
    const double dx = phi({p[0] + 0.5, p[1]}) - phi({p[0] - 0.5, p[1]});
    const double dy = phi({p[0], p[1] + 0.5}) - phi({p[0], p[1] - 0.5});
    const double slope = std::hypot(dx, dy);
    return slope > 0 ? value / slope : std::copysign(1e9, value);
}

/// Fill and outline of the region phi < 0, phi being in metres and asked at pixels.
template <class MakePhi>
void contour(const Sheet& sheet, const MakePhi& make_phi, double thick, Mask& body, Mask& line) {
    parallel_ranges(std::size_t(body.height), 8, [&](std::size_t begin, std::size_t end) {
        auto phi = make_phi();  // accessors remember their last block: one per thread
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < body.width; ++x) {
                const Pixel p = {x + 0.5, y + 0.5};
                const double in = sheet.inside(p);
                if (in <= 0) continue;
                const double d = pixels_to_zero(phi, p, 1 / sheet.scale);
                body.at(x, y) = float(in * std::clamp(0.5 - d, 0.0, 1.0));
                line.at(x, y) = float(in * std::clamp(0.5 * thick + 0.5 - std::abs(d), 0.0, 1.0));
            }
    });
}

Rgb to_rgb(const Colour& c) {
    Rgb r;
    for (int d = 0; d < 3; ++d)
        r[d] = static_cast<std::uint8_t>(std::pow(std::clamp(c[d], 0.0f, 1.0f), 1 / 2.2f) * 255 +
                                         0.5f);
    return r;
}

void draw_particles(Image& image, const Sheet& sheet, const RenderParticles& particles) {
    const auto colours = speed_colours(particles, chart_colour);
    const double radius = std::max(0.8, particles.radius * sheet.scale);
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const Vec<float, 3>& x = particles.positions[i];
        const Pixel c = sheet.to_pixel({x[0], x[1]});
        const Rgb colour = to_rgb(colours[i]);
        for (int py = int(c[1] - radius - 1); py <= int(c[1] + radius + 1); ++py)
            for (int px = int(c[0] - radius - 1); px <= int(c[0] + radius + 1); ++px) {
                const double d = length(Pixel{px + 0.5, py + 0.5} - c);
                const double part = std::clamp(radius + 0.5 - d, 0.0, 1.0);
                if (part > 0) blend(image, px, py, colour, part);
            }
    }
}

/// Arrows on a lattice of pixels wherever there is liquid.
void draw_arrows(Image& image, const Sheet& sheet, const Mask& liquid, const FlatOptions& o) {
    SLOSH_EXPECT(o.grid);
    VelocitySampler<2> sample(*o.velocity);
    struct Arrow {
        Pixel at, v;
    };
    std::vector<Arrow> arrows;
    double top = 0;
    for (double y = 0.5 * o.arrow_spacing; y < o.height; y += o.arrow_spacing)
        for (double x = 0.5 * o.arrow_spacing; x < o.width; x += o.arrow_spacing) {
            if (liquid.at(int(x), int(y)) < 0.5f) continue;
            const Point<2> v = sample(o.grid->to_grid(sheet.to_world({x, y})));
            arrows.push_back({{x, y}, {v[0], -v[1]}});
            top = std::max(top, length(v));
        }
    if (o.top_speed > 0) top = o.top_speed;
    if (top <= 0) return;
    Mask mask(image.width, image.height);
    for (const Arrow& a : arrows) {
        const Pixel way = a.v * (0.95 * o.arrow_spacing / top);
        const double len = length(way);
        if (len < 1) continue;
        const Pixel tail = a.at - way * 0.5, tip = a.at + way * 0.5, along = way / len;
        const Pixel across = {-along[1], along[0]};
        const double head = std::min(0.45 * len, 5.0);
        stroke(mask, tail, tip - along * head, 1.1);
        triangle(mask, tip, tip - along * head + across * (0.42 * head),
                 tip - along * head - across * (0.42 * head));
    }
    lay(image, mask, {16, 36, 66}, 0.9);
}

/// Opacity 1 - exp(-depth) with smoke of density 1 nearly opaque.
void draw_smoke(Image& image, const Sheet& sheet, const RenderSmoke& smoke) {
    constexpr double kDepth = 2.2;
    const auto at = [&](int x, int y) {
        x = std::clamp(x, 0, smoke.cells[0] - 1);
        y = std::clamp(y, 0, smoke.cells[1] - 1);
        return double(smoke.density[std::size_t(y) * smoke.cells[0] + x]);
    };
    Mask mask(image.width, image.height);
    parallel_for(std::size_t(image.height), 8, [&](std::size_t row) {
        const int py = int(row);
        for (int px = 0; px < image.width; ++px) {
            const Pixel p = {px + 0.5, py + 0.5};
            const double in = sheet.inside(p);
            if (in <= 0) continue;
            const Point<2> w = sheet.to_world(p);
            const double gx = (w[0] - smoke.origin[0]) / smoke.dx - 0.5,
                         gy = (w[1] - smoke.origin[1]) / smoke.dx - 0.5;
            const int x = int(std::floor(gx)), y = int(std::floor(gy));
            const double a = gx - x, b = gy - y;
            const double density = (1 - b) * ((1 - a) * at(x, y) + a * at(x + 1, y)) +
                                   b * ((1 - a) * at(x, y + 1) + a * at(x + 1, y + 1));
            mask.at(px, py) = float(in * (1 - std::exp(-kDepth * std::max(density, 0.0))));
        }
    });
    lay(image, mask, kSmoke);
}

Image draw(const Sheet& sheet, const Mask& liquid, const Mask& surface,
           const std::vector<RenderSolid<2>>& solids, const FlatOptions& o) {
    Image image(o.width, o.height, kPaper);
    // Dots stand out on a paler liquid.
    lay(image, liquid, kLiquidFill, o.particles ? 0.35 : 1);
    lay(image, surface, kLiquidLine, o.particles ? 0.5 : 1);
    if (o.smoke) draw_smoke(image, sheet, *o.smoke);
    if (o.particles) draw_particles(image, sheet, *o.particles);
    if (o.velocity) draw_arrows(image, sheet, liquid, o);
    for (const auto& solid : solids) {
        if (solid.look == RenderLook::Hidden || !solid.shape) continue;
        Mask body(o.width, o.height), line(o.width, o.height);
        contour(
            sheet,
            [&] {
                return [&](const Pixel& p) {
                    return solid.shape->distance(solid.transform.unapply(sheet.to_world(p)));
                };
            },
            1.6, body, line);
        lay(image, body, kSolidFill);
        lay(image, line, kSolidLine);
    }
    Mask frame(o.width, o.height);
    const Pixel a = sheet.to_pixel(sheet.domain.lo), b = sheet.to_pixel(sheet.domain.hi);
    stroke(frame, a, {b[0], a[1]}, 1.6);
    stroke(frame, {b[0], a[1]}, b, 1.6);
    stroke(frame, b, {a[0], b[1]}, 1.6);
    stroke(frame, {a[0], b[1]}, a, 1.6);
    lay(image, frame, kSolidLine);
    return image;
}

constexpr double kSurfaceLine = 1.5;  // pixels

}  // namespace

Image render_2d(const Field<float, 2>& level_set, const GridGeometry<2>& grid,
                const std::vector<RenderSolid<2>>& solids, const FlatOptions& options) {
    const Sheet sheet(options);
    Mask body(options.width, options.height), line(options.width, options.height);
    contour(
        sheet,
        [&] {
            return [&, access = Accessor<float, 2>(level_set)](const Pixel& p) mutable {
                return interpolate_cells(access, grid.to_grid(sheet.to_world(p)));
            };
        },
        kSurfaceLine, body, line);
    return draw(sheet, body, line, solids, options);
}

Image render_2d(const SurfaceMesh& outline, const std::vector<RenderSolid<2>>& solids,
                const FlatOptions& options) {
    SLOSH_EXPECT(outline.dim == 2);
    const Sheet sheet(options);
    const auto place = [&](std::uint32_t i) {
        return sheet.to_pixel({outline.vertices[i][0], outline.vertices[i][1]});
    };
    std::vector<std::array<Pixel, 2>> segments;
    for (const auto& e : outline.elements) segments.push_back({place(e[0]), place(e[1])});
    Mask body(options.width, options.height), line(options.width, options.height);
    fill(body, segments);
    for (const auto& s : segments) stroke(line, s[0], s[1], kSurfaceLine);
    return draw(sheet, body, line, solids, options);
}

}  // namespace slosh
