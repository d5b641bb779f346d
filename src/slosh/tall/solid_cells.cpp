// A body that reaches into a tall cell ends there: the cells below the top stay empty.
#include "slosh/tall/solid_cells.h"

namespace slosh::tall {

void SolidCells::clear() {
    for (const Cell& k : cells_) {
        fraction_.at(k.column)[k.offset] = 0;
        motion_.at(k.column)[k.offset] = Float4{};
    }
    cells_.clear();
}

void SolidCells::add(int column, int offset, float s, const Float4& velocity) {
    float& sum = fraction_.at(column)[offset];
    if (sum == 0) cells_.push_back({column, offset});
    const float more = std::min(s, 1 - sum);
    sum += more;
    motion_.at(column)[offset] += more * velocity;
}

void SolidCells::close_slits() {
    for (const Cell& k : cells_) {
        float& part = fraction_.at(k.column)[k.offset];
        if (part <= kFull) continue;
        motion_.at(k.column)[k.offset] /= part;
        part = 1;
    }
}

void spread_into_bodies(const Grid& g, SolidCells& solids, Columns<float>& phi) {
    const float dx = static_cast<float>(g.dx()), most = 5 * dx;
    Columns<float>& unknown = solids.room();
    std::vector<SolidCells::Cell> left;
    for (const SolidCells::Cell& k : solids.cells())
        if (solids.fraction().at(k.column)[k.offset] > SolidCells::kInside &&
            k.offset < phi.end(k.column)) {
            unknown.at(k.column)[k.offset] = 1;
            left.push_back(k);
        }
    std::vector<std::pair<SolidCells::Cell, float>> found;
    while (!left.empty()) {
        found.clear();
        std::vector<SolidCells::Cell> later;
        for (const SolidCells::Cell& k : left) {
            const int y = g.top(k.column) + k.offset;
            float sum = 0, n = 0;
            const auto see = [&](int c, int at, float rise) {
                if (unknown.value(g, c, at, Under::Nothing) > 0) return;
                sum += phi.value(g, c, at, Under::Bottom) + rise;
                ++n;
            };
            const int x = (k.column % g.step_z()) - 1, z = k.column / g.step_z() - 1;
            if (x > 0) see(k.column - g.step_x(), y, 0);
            if (x < g.nx() - 1) see(k.column + g.step_x(), y, 0);
            if (z > 0) see(k.column - g.step_z(), y, 0);
            if (z < g.nz() - 1) see(k.column + g.step_z(), y, 0);
            // Water likes to be level: a cell higher phi is a cell more.
            if (y > g.bottom(k.column)) see(k.column, y - 1, dx);
            see(k.column, y + 1, -dx);
            if (n > 0)
                found.push_back({k, std::clamp(sum / n, -most, most)});
            else
                later.push_back(k);
        }
        if (found.empty()) break;  // walled in: nothing is known of the water there
        for (const auto& [k, value] : found) {
            phi.at(k.column)[k.offset] = value;
            unknown.at(k.column)[k.offset] = 0;
        }
        left.swap(later);
    }
    for (const SolidCells::Cell& k : left) unknown.at(k.column)[k.offset] = 0;
    for (const SolidCells::Cell& k : solids.cells())
        if (k.offset == 0) phi.refresh(g, k.column, Under::Bottom);
}

void blend_velocity(const Grid& g, const SolidCells& solids, const Float4& push,
                    Velocity& velocity) {
    for (const SolidCells::Cell& k : solids.cells()) {
        if (k.offset >= velocity.end(k.column)) continue;
        Float4& u = velocity.at(k.column)[k.offset];
        const float part = solids.fraction().at(k.column)[k.offset];
        u = (1 - part) * u + part * push + solids.motion().at(k.column)[k.offset];
        if (k.offset == 0) velocity.refresh(g, k.column, Under::Bottom);
    }
}

}  // namespace slosh::tall
