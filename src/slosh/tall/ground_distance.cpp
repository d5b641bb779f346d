#include "slosh/tall/ground_distance.h"

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// Cells under the ground's own surface that are set, whatever is beside them.
constexpr int kUnder = 2;

}  // namespace

void extend_into_ground(const Grid& g, const Terrain& terrain, Columns<float>& phi) {
    const float dx = static_cast<float>(g.dx()), most = phi.above();
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z), top = g.top(c);
            const std::size_t k = static_cast<std::size_t>(z) * g.nx() + x;
            const int ground = terrain[k];
            if (ground <= top || phi.end(c) == 0) continue;  // it lies under a tall cell, or is dry
            struct Side {
                int column, ground;
            } sides[4];
            int count = 0, lowest = ground - kUnder;
            const auto look = [&](bool inside, int step, int other) {
                if (!inside) return;
                sides[count++] = {c + step, terrain[other]};
                lowest = std::min(lowest, terrain[other]);
            };
            const int at = static_cast<int>(k);
            look(x > 0, -g.step_x(), at - 1);
            look(x < g.nx() - 1, g.step_x(), at + 1);
            look(z > 0, -g.step_z(), at - g.nx());
            look(z < g.nz() - 1, g.step_z(), at + g.nx());
            float* p = phi.at(c);
            // A level surface goes on level, so that still water has nothing to see here.
            for (int y = std::min(ground, top + phi.end(c)) - 1; y >= std::max(lowest, top); --y) {
                const float above = p[y - top + 1];
                float sum = 0, n = 0;
                if (y >= ground - kUnder) {
                    sum = std::max(above - dx, -most);
                    n = 1;
                }
                for (int s = 0; s < count; ++s)
                    if (y >= sides[s].ground) {
                        sum += phi.value(g, sides[s].column, y, Under::Bottom);
                        ++n;
                    }
                p[y - top] = n > 0 ? sum / n : above;
            }
            phi.refresh(g, c, Under::Bottom);
        }
    });
}

}  // namespace slosh::tall
