#include "slosh/tall/reach.h"

#include <cmath>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// Beyond where water may come: the velocity that moves it is wanted around it, phi five cells off.
constexpr int kMargin = 5;
/// Columns that water of most columns can cross; faster ones are treated one by one.
constexpr int kUsual = 4;
constexpr int kNone = -(1 << 29);

/// World cell that the water of a column may come up to, and the columns that it may cross.
struct Spread {
    int height = kNone, columns = 0;
    float speed = 0;  ///< m/s
};

/// `square` is that of the fastest speed in the column.
Spread spread_of(const Grid& g, const Columns<float>& phi, int c, int terrain, float square,
                 float cells) {
    const float* p = phi.at(c);
    const int lowest = std::max(0, terrain - g.top(c));
    int highest = phi.end(c) - 1;
    while (highest >= lowest && !(p[highest] < 0)) --highest;
    if (highest < lowest) {
        if (g.closed(c) || !(phi.bottom(c) < 0)) return {};
        highest = 0;
    }
    const float speed = std::sqrt(square);
    const int way = static_cast<int>(std::min(speed * cells, 200.0f)) + 1;
    return {g.top(c) + highest + way + kMargin, way + 3, speed};
}

}  // namespace

float set_reach(const Grid& g, const Terrain& terrain, const std::vector<float>& squares,
                float cells, ReachRoom& room, Columns<float>& phi, Velocity& velocity) {
    room.height.assign(g.columns(), kNone);
    room.across.assign(g.columns(), kNone);
    std::vector<std::vector<std::pair<int, Spread>>> fast(g.nz());
    std::vector<float> speed(g.nz(), 0.0f);
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            const int ground = terrain[static_cast<std::size_t>(z) * g.nx() + x];
            const Spread s = spread_of(g, phi, c, ground, squares[c], cells);
            room.height[c] = s.height;
            speed[z] = std::max(speed[z], s.speed);
            if (s.columns > kUsual) fast[z].push_back({x, s});
        }
    });
    // The highest of the columns around, along x and then along z.
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            int most = kNone;
            for (int k = std::max(0, x - kUsual); k <= std::min(g.nx() - 1, x + kUsual); ++k)
                most = std::max(most, room.height[g.column(k, z)]);
            room.across[g.column(x, z)] = most;
        }
    });
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            int most = kNone;
            for (int k = std::max(0, z - kUsual); k <= std::min(g.nz() - 1, z + kUsual); ++k)
                most = std::max(most, room.across[g.column(x, k)]);
            room.height[g.column(x, z)] = most;
        }
    });
    for (int z = 0; z < g.nz(); ++z)
        for (const auto& [x, s] : fast[z])
            for (int l = std::max(0, z - s.columns); l <= std::min(g.nz() - 1, z + s.columns); ++l)
                for (int k = std::max(0, x - s.columns); k <= std::min(g.nx() - 1, x + s.columns);
                     ++k) {
                    int& most = room.height[g.column(k, l)];
                    most = std::max(most, s.height);
                }
    for_each_column(g, [&](int c) {
        const int end = std::clamp(room.height[c] + 1 - g.top(c), 0, g.ny() + 1);
        phi.set_end(c, end);
        velocity.set_end(c, end);
        if (end > 0) return;
        phi.bottom(c) = phi.above();
        phi.refresh(g, c, Under::Bottom);
        velocity.bottom(c) = Float4{};
        velocity.refresh(g, c, Under::Bottom);
    });
    return *std::max_element(speed.begin(), speed.end());
}

}  // namespace slosh::tall
