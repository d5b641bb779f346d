#include "slosh/tall/settings.h"

#include <cmath>

#include "slosh/base/error.h"

namespace slosh::tall {

namespace {

using Distance = std::function<double(const Point<3>&)>;

Terrain make_terrain(int nx, int nz, const std::function<double(double, double)>& height) {
    Terrain t;
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x)
            t.push_back(static_cast<int>(std::floor(height(x + 0.5, z + 0.5) + 0.5)));
    return t;
}

/// Distance to a box, all in metres.
double box_distance(const Point<3>& p, const Point<3>& lower, const Point<3>& upper) {
    double outside = 0, inside = -1e30;
    for (int d = 0; d < 3; ++d) {
        const double a = std::max(lower[d] - p[d], p[d] - upper[d]);
        outside += std::max(a, 0.0) * std::max(a, 0.0);
        inside = std::max(inside, a);
    }
    return inside > 0 ? std::sqrt(outside) : inside;
}

double flat(double, double) {
    return 0;
}

/// A dam break in a tank of 6.4 m (the paper's Fig. 4, without its boxes).
Setting manip() {
    const Distance column = [](const Point<3>& p) {
        return box_distance(p, {{-1, -1, -1}}, {{2.2, 3.2, 9}});
    };
    const Distance water = [=](const Point<3>& p) { return std::min(column(p), p[1] - 0.55); };
    return {
        "manip", std::make_unique<Water>(64, 64, 64, 0.1, make_terrain(64, 64, flat), water), {}};
}

/// A jet pours into a tank (Fig. 3).
Setting tank(double depth) {
    const double level = 3.03 * depth;
    Setting s{"tank",
              std::make_unique<Water>(64, 64, 64, 0.1, make_terrain(64, 64, flat),
                                      [=](const Point<3>& p) { return p[1] - level; }),
              {}};
    s.drive = [](Water& w) {
        const double y = w.surface_height(32, 32) + 1.2;
        const double source = std::min(y, (w.grid().top(w.grid().column(32, 32)) + 50) * 0.1);
        w.sources = {{[=](const Point<3>& p) {
                          const double a = p[0] - 3.2, b = p[1] - source, c = p[2] - 3.2;
                          return std::sqrt(a * a + b * b + c * c) - 0.35;
                      },
                      {{0.6, -2, 0}}}};
    };
    return s;
}

/// Hills and hollows along a valley of 128 m (Fig. 1), in cells of half a metre.
double valley(double x, double z) {
    const double across = (x - 32) / 32, along = z / 256;
    const double banks = 22 * across * across;
    const double bumps =
        5 * std::sin(0.11 * z) * std::cos(0.17 * x) + 3 * std::sin(0.05 * z + 0.2 * x);
    return std::max(0.0, 14 - 10 * along + banks + bumps);
}

Setting flood() {
    Setting s{
        "flood",
        std::make_unique<Water>(64, 32, 256, 0.5, make_terrain(64, 256, valley),
                                [](const Point<3>& p) { return std::max(p[1] - 5.1, 60 - p[2]); }),
        {}};
    s.drive = [](Water& w) {
        w.sources.clear();
        if (w.time() >= 30) return;
        const double speed = 1 + 5 * w.time() / 30;
        w.sources = {{[](const Point<3>& p) {
                          return box_distance(p, {{10, 10.5, -1}}, {{22, 13.5, 2}});
                      },
                      {{0, 0, speed}}}};
    };
    return s;
}

/// Waves on a beach with a tower (Fig. 5): a wall that swings makes them.
Setting lighthouse() {
    const auto ground = [](double x, double z) {
        const double a = x - 84, b = z - 70, r = std::sqrt(a * a + b * b);
        const double beach = 0.22 * std::max(0.0, x - 30) + 1.5 * std::sin(0.06 * z);
        const double rock = 18 - 0.9 * r;
        return std::max({0.0, beach, r < 5 ? 26.0 : rock});
    };
    Setting s{"lighthouse",
              std::make_unique<Water>(128, 32, 128, 0.5, make_terrain(128, 128, ground),
                                      [](const Point<3>& p) { return p[1] - 7.1; }),
              {}};
    s.drive = [](Water& w) {
        w.solids.wall[0] = static_cast<float>(1.6 * std::sin(2 * 3.14159265 * w.time() / 4.5));
    };
    return s;
}

Setting lake() {
    const auto ground = [](double x, double z) {
        return 25 + 15 * std::sin(0.11 * x) * std::cos(0.07 * z) +
               8 * std::sin(0.31 * x + 0.23 * z);
    };
    return {"lake",
            std::make_unique<Water>(64, 32, 64, 1.0, make_terrain(64, 64, ground),
                                    [](const Point<3>& p) { return p[1] - 40.3; }),
            {}};
}

/// Stoker's wet-bed dam break: 1 m beside 0.5 m, 16 cells to the metre.
Setting bore() {
    WaterOptions options;
    options.remesh.under = 32;  // no tall cells: the water is 16 cells deep
    return {"bore",
            std::make_unique<Water>(
                256, 32, 8, 1.0 / 16, make_terrain(256, 8, flat),
                [](const Point<3>& p) {
                    return std::min(p[1] - 0.5, box_distance(p, {{-9, -9, -9}}, {{8, 1, 9}}));
                },
                options),
            {}};
}

}  // namespace

const std::vector<std::string>& setting_names() {
    static const std::vector<std::string> names = {"manip",      "tank", "flood",
                                                   "lighthouse", "lake", "bore"};
    return names;
}

Setting make_setting(const std::string& name, double depth) {
    if (name == "manip") return manip();
    if (name == "tank") return tank(depth);
    if (name == "flood") return flood();
    if (name == "lighthouse") return lighthouse();
    if (name == "lake") return lake();
    if (name == "bore") return bore();
    throw InputError("no tall-cell scene is called '" + name +
                     "'; there are manip, tank, flood, lighthouse, lake and bore");
}

}  // namespace slosh::tall
