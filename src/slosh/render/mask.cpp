#include "slosh/render/mask.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr int kLines = 8;  // scan lines through a pixel; along a line coverage is exact

/// Adds the part of each pixel of a row that [from, to] covers, `weight` for a whole one.
void add_span(float* row, int width, double from, double to, float weight) {
    from = std::clamp(from, 0.0, double(width));
    to = std::clamp(to, 0.0, double(width));
    const int first = static_cast<int>(from), last = std::min(width - 1, static_cast<int>(to));
    for (int x = first; x <= last; ++x) {
        const double part = std::min(to, x + 1.0) - std::max(from, double(x));
        if (part > 0) row[x] += weight * static_cast<float>(part);
    }
}
}  // namespace

void stroke(Mask& mask, const Pixel& from, const Pixel& to, double thick) {
    const double half = 0.5 * thick, reach = half + 1;
    const Pixel lo = min(from, to), hi = max(from, to), along = to - from;
    const double len2 = dot(along, along);
    const int x0 = std::max(0, int(std::floor(lo[0] - reach))),
              x1 = std::min(mask.width - 1, int(hi[0] + reach));
    const int y0 = std::max(0, int(std::floor(lo[1] - reach))),
              y1 = std::min(mask.height - 1, int(hi[1] + reach));
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            const Pixel p = Pixel{x + 0.5, y + 0.5} - from;
            const double t = len2 > 0 ? std::clamp(dot(p, along) / len2, 0.0, 1.0) : 0;
            const double part = std::clamp(half + 0.5 - length(p - along * t), 0.0, 1.0);
            // A line thinner than a pixel covers at most its own width.
            mask.at(x, y) = std::max(mask.at(x, y), float(part * std::min(1.0, thick)));
        }
}

void triangle(Mask& mask, const Pixel& a, const Pixel& b, const Pixel& c) {
    const Pixel corner[3] = {a, b, c};
    const Pixel lo = min(a, min(b, c)), hi = max(a, max(b, c));
    const double area = (b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0];
    if (area == 0) return;
    for (int y = std::max(0, int(lo[1]) - 1); y <= std::min(mask.height - 1, int(hi[1]) + 1); ++y)
        for (int x = std::max(0, int(lo[0]) - 1); x <= std::min(mask.width - 1, int(hi[0]) + 1);
             ++x) {
            double part = 1;
            for (int k = 0; k < 3; ++k) {
                const Pixel e = corner[(k + 1) % 3] - corner[k];
                const Pixel p = Pixel{x + 0.5, y + 0.5} - corner[k];
                const double in = (e[0] * p[1] - e[1] * p[0]) / length(e) * (area > 0 ? 1 : -1);
                part = std::min(part, std::clamp(in + 0.5, 0.0, 1.0));
            }
            mask.at(x, y) = std::max(mask.at(x, y), float(part));
        }
}

void fill(Mask& mask, const std::vector<std::array<Pixel, 2>>& segments) {
    // Crossings of each scan line, gathered segment by segment.
    std::vector<std::vector<double>> crossings(std::size_t(mask.height) * kLines);
    for (const auto& s : segments) {
        const auto& [a, b] = s;
        const double lo = std::min(a[1], b[1]), hi = std::max(a[1], b[1]);
        // Lines lie at (i + 1/2) / kLines; those in [lo, hi) cross, so shared ends count once.
        const int first = std::max(0, int(std::ceil(lo * kLines - 0.5)));
        const int last = std::min(int(crossings.size()), int(std::ceil(hi * kLines - 0.5)));
        for (int i = first; i < last; ++i) {
            const double y = (i + 0.5) / kLines, t = (y - a[1]) / (b[1] - a[1]);
            crossings[i].push_back(a[0] + (b[0] - a[0]) * t);
        }
    }
    parallel_for(std::size_t(mask.height), 16, [&](std::size_t y) {
        float* row = mask.part.data() + y * mask.width;
        for (int line = 0; line < kLines; ++line) {
            auto& xs = crossings[y * kLines + line];
            std::sort(xs.begin(), xs.end());
            for (std::size_t i = 0; i + 1 < xs.size(); i += 2)
                add_span(row, mask.width, xs[i], xs[i + 1], 1.0f / kLines);
        }
    });
}

void lay(Image& image, const Mask& mask, Rgb colour, double opacity) {
    parallel_for(std::size_t(image.height), 16, [&](std::size_t y) {
        for (int x = 0; x < image.width; ++x) {
            const float part = mask.at(x, int(y));
            if (part > 0) blend(image, x, int(y), colour, part * opacity);
        }
    });
}

}  // namespace slosh
