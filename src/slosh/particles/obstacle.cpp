#include "slosh/particles/obstacle.h"

#include <cmath>

namespace slosh {

template <int D>
SolidMap<D>::SolidMap(const Field<float, D>& solid) : solid_(&solid) {
    const int n = solid.blocks().size();
    lowest_.resize(static_cast<std::size_t>(n) + 1);
    parallel_for(lowest_.size(), 64, [&](std::size_t b) {
        const float* v = solid.block(static_cast<int>(b));
        float low[kSide];
        std::copy_n(v, kSide, low);
        for (int o = kSide; o < kBlockCells<D>; o += kSide)
            for (int x = 0; x < kSide; ++x) low[x] = v[o + x] < low[x] ? v[o + x] : low[x];
        lowest_[b] = *std::min_element(low, low + kSide);
    });
}

template <int D>
bool SolidMap<D>::is_near(const Index<D>& block) const {
    const Blocks<D>& blocks = solid_->blocks();
    const int b = blocks.find(block);
    if (b < blocks.size()) {
        for (int n : blocks.neighbours(b))
            if (lowest_[n] < kSolidMargin) return true;
        return false;
    }
    for (int code = 0; code < kNeighbours<D>; ++code)
        if (lowest_[blocks.find(block + neighbour_offset<D>(code))] < kSolidMargin) return true;
    return false;
}

template <int D>
void SolidWalker<D>::corners(const Point<D>& x, double (&corner)[1 << D], Point<D>& t) {
    const Index<D> base = floor(x), local = local_of<D>(base), block = block_of<D>(base);
    t = x - base.template as<double>();
    const Blocks<D>& blocks = solid_.blocks();
    if (!(block == block_)) {
        block_ = block;
        found_ = blocks.find(block);
    }
    const bool known = found_ < blocks.size();
    for (int k = 0; k < 1 << D; ++k) {
        Index<D> up, over;  // the corner, and whether it lies in the next block
        for (int d = 0; d < D; ++d) {
            up[d] = k >> d & 1;
            over[d] = (local[d] + up[d]) >> 3;
        }
        corner[k] =
            known ? solid_.block(blocks.neighbour(
                        found_, neighbour_code<D>(over)))[cell_offset<D>(local_of<D>(local + up))]
                  : phi_(base + up);
    }
}

template <int D>
double SolidWalker<D>::distance(const Point<D>& x) {
    if (exact_) return exact_->distance(x);
    double c[1 << D];
    Point<D> t;
    corners(x, c, t);
    for (int d = D - 1; d >= 0; --d)
        for (int k = 0; k < 1 << d; ++k) c[k] += t[d] * (c[k + (1 << d)] - c[k]);
    return c[0];
}

template <int D>
double SolidWalker<D>::distance(const Point<D>& x, Point<D>& gradient) {
    if (exact_) {
        constexpr double kProbe = 0.01;  // cells
        for (int d = 0; d < D; ++d) {
            Point<D> lo = x, hi = x;
            lo[d] -= kProbe, hi[d] += kProbe;
            gradient[d] = (exact_->distance(hi) - exact_->distance(lo)) / (2 * kProbe);
        }
        return exact_->distance(x);
    }
    double c[1 << D];
    Point<D> t;
    corners(x, c, t);
    // Collapse axis by axis; the differences along an axis collapse along those still to come.
    for (int d = D - 1; d >= 0; --d) {
        double g[1 << (D - 1)];
        for (int k = 0; k < 1 << d; ++k) {
            g[k] = c[k + (1 << d)] - c[k];
            c[k] += t[d] * g[k];
        }
        for (int e = d - 1; e >= 0; --e)
            for (int k = 0; k < 1 << e; ++k) g[k] += t[e] * (g[k + (1 << e)] - g[k]);
        gradient[d] = g[0];
    }
    return c[0];
}

template <int D>
bool SolidWalker<D>::push_out(Point<D>& x) {
    constexpr int kTries = 6;
    constexpr double kLongest = 0.7;  // cells; a longer push could end behind a thin wall
    // Aim a little beyond the margin: Newton's method on a bent phi ends just short of its target.
    constexpr double kTarget = kSolidMargin * 1.2;
    for (int i = 0; i < kTries; ++i) {
        Point<D> gradient;
        const double phi = distance(x, gradient);
        if (phi >= kSolidMargin) return true;
        const double slope = length(gradient);
        if (!(slope > 1e-3)) return false;
        x += gradient * (std::min((kTarget - phi) / slope, kLongest) / slope);
    }
    return distance(x) >= kSolidMargin;
}

template <int D>
MoveOutcome SolidWalker<D>::walk(Point<D>& x, const Point<D>& end) {
    const Point<D> whole = end - x;
    const int steps = std::max(1, static_cast<int>(std::ceil(length(whole) / kSolidStep)));
    const Point<D> step = whole / steps;

    bool met = false;
    double here = distance(x);
    if (here < kSolidMargin) {
        // Only a solid that moved or a seed at the wall brings us here.
        Point<D> out = x;
        for (int tries = 0; tries < 4 && !push_out(out); ++tries) continue;
        const double there = distance(out);
        if (there > here) x = out, here = there;
        met = true;
        if (here < 0) {
            if (distance(end) < kSolidMargin) return MoveOutcome::Inside;
            x = end;
            return MoveOutcome::Pushed;
        }
    }
    // Out again on the near side, not on the far side of a thin wall: along a plane a step only
    // gets shorter by a push; the slack is for bent walls.
    constexpr double kSlack = 0.2;
    // A particle within the margin may stay there, but not get deeper.
    const double good = std::min<double>(here, kSolidMargin);
    for (int k = 0; k < steps; ++k) {
        Point<D> next = x + step;
        if (distance(next) >= kSolidMargin) {
            x = next;
            continue;
        }
        met = true;
        if (push_out(next) && length(next - x) <= kSolidStep + kSlack) {
            x = next;
            continue;
        }
        double lo = 0, hi = 1;
        for (int i = 0; i < 8; ++i) {
            const double mid = 0.5 * (lo + hi);
            (distance(x + step * mid) >= good ? lo : hi) = mid;
        }
        x += step * lo;
        break;
    }
    return met ? MoveOutcome::Pushed : MoveOutcome::Free;
}

template class SolidMap<2>;
template class SolidMap<3>;
template class SolidWalker<2>;
template class SolidWalker<3>;

}  // namespace slosh
