#include "slosh/tall/remesh.h"

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// Bounds on the top of a column, from the surfaces in it. `low` goes first.
struct TopRange {
    float low = 0, high = 0;
};

TopRange range_of(const Grid& g, const Columns<float>& phi, int c, int terrain,
                  const RemeshOptions& o) {
    const float* p = phi.at(c);
    int lowest = 0, highest = 0;  // cells: the lowest air over water, the highest water
    bool wet = false, seen = false;
    const auto visit = [&](int y, float value) {
        if (y < terrain) return;
        if (value < 0) {
            wet = true;
            highest = y;
        } else if (wet && !seen) {
            seen = true;
            lowest = y;
        }
    };
    visit(g.bottom(c), phi.bottom(c));
    for (int i = 0; i < phi.end(c); ++i) visit(g.top(c) + i, p[i]);
    // Dry land is treated as if a film of water were on it: some may come.
    if (!wet)
        lowest = highest = terrain;
    else if (!seen)
        lowest = highest + 1;
    return {static_cast<float>(highest + o.over - g.ny()), static_cast<float>(lowest - o.under)};
}

}  // namespace

Grid choose_heights(const Grid& g, const Columns<float>& phi, const Terrain& terrain,
                    const std::vector<int>& bodies, const RemeshOptions& o) {
    const int nx = g.nx(), nz = g.nz();
    std::vector<TopRange> range(terrain.size());
    std::vector<float> top(terrain.size()), next(terrain.size());
    const auto bounded = [&](std::size_t k, float y) {
        return std::max(std::min(y, range[k].high), range[k].low);
    };
    for_each_row(g, [&](int z) {
        for (int x = 0; x < nx; ++x) {
            const std::size_t k = static_cast<std::size_t>(z) * nx + x;
            range[k] = range_of(g, phi, g.column(x, z), terrain[k], o);
            if (!bodies.empty())
                range[k].high =
                    std::min(range[k].high, static_cast<float>(bodies[g.column(x, z)] - 2));
            top[k] = bounded(k, 0.5f * (range[k].low + range[k].high));
        }
    });
    // Runs next(k, left, right, before, behind) for every column, with the tops around it.
    const auto pass = [&](const auto& step) {
        for_each_row(g, [&](int z) {
            const std::size_t row = static_cast<std::size_t>(z) * nx;
            const float* before = &top[static_cast<std::size_t>(std::max(z - 1, 0)) * nx];
            const float* behind = &top[static_cast<std::size_t>(std::min(z + 1, nz - 1)) * nx];
            for (int x = 0; x < nx; ++x)
                next[row + x] = step(row + x, top[row + std::max(x - 1, 0)],
                                     top[row + std::min(x + 1, nx - 1)], before[x], behind[x]);
        });
        std::swap(top, next);
    };
    for (int k = 0; k < o.smoothing; ++k)
        pass([&](std::size_t c, float l, float r, float b, float f) {
            return bounded(c, 0.5f * top[c] + 0.125f * (l + r + b + f));
        });
    for (int k = 0; k < 2 && o.max_step > 0; ++k)  // eq. (10)
        pass([&](std::size_t c, float l, float r, float b, float f) {
            return std::min(top[c], std::max({l, r, b, f}) + static_cast<float>(o.max_step));
        });
    Grid result(nx, g.ny(), nz, g.dx());
    for_each_row(g, [&](int z) {
        for (int x = 0; x < nx; ++x) {
            const std::size_t k = static_cast<std::size_t>(z) * nx + x;
            // A height that need not change stays, so that still water is not moved for nothing.
            const int old = g.top(g.column(x, z));
            const float wanted = top[k];
            const bool keeps = std::abs(wanted - static_cast<float>(old)) < 1 &&
                               static_cast<float>(old) >= range[k].low;
            result.set(x, z, terrain[k], keeps ? old : static_cast<int>(std::floor(wanted + 0.5f)));
        }
    });
    result.close_border();
    return result;
}

namespace {

/// Sums of a value over world cells, and of it times the height over a middle.
template <class T>
struct LineFit {
    double n = 0, middle = 0;
    T sum{}, moment{};

    /// The two ends of the least-squares line over cells low ... high.
    void ends(int low, int high, T& bottom, T& top) const {
        const T mean = sum / static_cast<float>(n);
        const T slope = moment / static_cast<float>(n * (n * n - 1) / 12);
        bottom = mean + slope * static_cast<float>(low - middle);
        top = mean + slope * static_cast<float>(high - middle);
    }
};

/// The line through `from` in the cells low ... high. What the old tall cell covers is linear
/// already: its sums have closed forms, so depth costs nothing.
template <class T>
void fit(const Grid& g, const Columns<T>& from, int c, Under under, int low, int high, T& bottom,
         T& top) {
    LineFit<T> line;
    line.n = high - low + 1;
    line.middle = 0.5 * (low + high);
    int y = low;
    const int tall_end = std::min(g.top(c), high);
    if (g.bottom(c) == low && tall_end > low) {
        const T a = from.value(g, c, low, under), b = from.value(g, c, tall_end, under);
        const double cells = tall_end - low + 1, centre = 0.5 * (low + tall_end);
        const T mean = 0.5f * (a + b), slope = (b - a) * static_cast<float>(1 / (cells - 1));
        line.sum += mean * static_cast<float>(cells);
        line.moment += mean * static_cast<float>(cells * (centre - line.middle)) +
                       slope * static_cast<float>(cells * (cells * cells - 1) / 12);
        y = tall_end + 1;
    }
    for (; y <= high; ++y) {
        const T v = from.value(g, c, y, under);
        line.sum += v;
        line.moment += v * static_cast<float>(y - line.middle);
    }
    line.ends(low, high, bottom, top);
}

}  // namespace

template <class T>
void transfer(const Grid& g, const Grid& h, Under under, Columns<T>& field) {
    for_each_column(h, [&](int c) {
        const int top = h.top(c), old_top = g.top(c);
        if (top == old_top && h.bottom(c) == g.bottom(c)) return;
        // From the old values, bottom included, into a copy.
        const int end = std::clamp(field.end(c) + old_top - top, 0, h.ny() + 1);
        T line[kMaxLength + 8], bottom{}, lowest{};
        for (int i = 0; i < end; ++i) line[i] = field.value(g, c, top + i, under);
        lowest = end > 0 ? line[0] : field.value(g, c, top, under);
        if (h.closed(c))
            bottom = field.value(g, c, h.bottom(c), under);
        else
            fit(g, field, c, under, h.bottom(c), top, bottom, lowest);
        field.set_end(c, end);
        std::copy_n(line, end, field.at(c));
        if (end > 0) field.at(c)[0] = lowest;
        field.bottom(c) = bottom;
        field.refresh(h, c, under);
    });
}

template void transfer(const Grid&, const Grid&, Under, Columns<float>&);
template void transfer(const Grid&, const Grid&, Under, Velocity&);

}  // namespace slosh::tall
