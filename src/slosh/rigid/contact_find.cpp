#include <algorithm>
#include <map>

#include "slosh/base/parallel.h"
#include "slosh/rigid/contact_impl.h"

namespace slosh {

namespace {

/// Calls body(index) for all indices of a grid of n points a side.
template <int D, class Body>
void for_each_index(const Index<D>& n, const Body& body) {
    Index<D> i;
    for (;;) {
        body(i);
        int d = 0;
        while (d < D && ++i[d] == n[d]) i[d++] = 0;
        if (d == D) return;
    }
}

}  // namespace

template <int D>
std::vector<Point<D>> surface_points(const Shape<D>& shape, double spacing) {
    const Box<D> box = shape.bounds().grown(spacing);
    Index<D> n;
    for (int d = 0; d < D; ++d)
        n[d] = static_cast<int>(std::ceil((box.hi[d] - box.lo[d]) / spacing)) + 1;
    // Nodes outside, beyond a corner, have that corner as their nearest point; so edges and corners
    // are found as they are. Of points in one small cell the first is kept.
    std::map<std::vector<int>, Point<D>> kept;
    for_each_index<D>(n, [&](const Index<D>& i) {
        Point<D> x = box.lo + i.template as<double>() * spacing;
        const double far = shape.distance(x);
        if (far < 0 || far > 1.5 * spacing) return;
        for (int pass = 0; pass < 3; ++pass)
            x -= normal(shape, x, 1e-4 * spacing) * shape.distance(x);
        if (!(std::abs(shape.distance(x)) < 0.01 * spacing)) return;
        std::vector<int> key;
        for (int d = 0; d < D; ++d)
            key.push_back(static_cast<int>(std::floor((x[d] - box.lo[d]) / (0.5 * spacing))));
        kept.emplace(std::move(key), x);
    });
    std::vector<Point<D>> points;
    for (const auto& entry : kept) points.push_back(entry.second);
    return points;
}

template <int D>
Contact<D>::Contact(const std::vector<Body<D>>& bodies, int points)
    : impl_(std::make_unique<Impl>(bodies)) {
    impl_->points.resize(bodies.size());
    impl_->reach.resize(bodies.size());
    impl_->around.resize(bodies.size());
    for (const Body<D>& body : bodies) impl_->bounds.push_back(body.shape->bounds());
    parallel_for(bodies.size(), 1, [&](std::size_t n) {
        const Box<D> box = impl_->bounds[n];
        double longest = 0;
        for (int d = 0; d < D; ++d) longest = std::max(longest, box.hi[d] - box.lo[d]);
        impl_->points[n] = surface_points(*bodies[n].shape, longest / points);
        for (Point<D>& x : impl_->points[n]) {
            x -= bodies[n].mass.centre;
            impl_->reach[n] = std::max(impl_->reach[n], length(x));
        }
        impl_->around[n] = {box.lo - bodies[n].mass.centre, box.hi - bodies[n].mass.centre};
    });
}

template <int D>
Contact<D>::~Contact() = default;

namespace {

/// The points of one pair whose normals nearly agree, thinned to those that span them: the farthest
/// from their middle, then the farthest from those taken; and the deepest, if it stands out.
template <int D>
std::vector<ContactPoint<D>> thinned(std::vector<ContactPoint<D>> points) {
    constexpr std::size_t kMost = D == 2 ? 2 : 4;
    constexpr double kSameNormal = 0.95;
    std::vector<ContactPoint<D>> out;
    while (!points.empty()) {
        const auto deepest =
            std::min_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.gap < b.gap; });
        std::vector<ContactPoint<D>> group, rest;
        for (const auto& p : points)
            (dot(p.normal, deepest->normal) > kSameNormal ? group : rest).push_back(p);
        Point<D> middle;
        for (const auto& p : group) middle += p.x / static_cast<double>(group.size());
        const auto square = [](const Point<D>& x) { return dot(x, x); };
        std::vector<double> far;  // squared: first from the middle, then from those taken
        for (const auto& p : group) far.push_back(square(p.x - middle));
        std::vector<ContactPoint<D>> taken;
        while (taken.size() < kMost && taken.size() < group.size()) {
            const auto next = std::max_element(far.begin(), far.end());
            if (!taken.empty() && !(*next > 0)) break;
            const ContactPoint<D>& p = group[static_cast<std::size_t>(next - far.begin())];
            for (std::size_t i = 0; i < group.size(); ++i) {
                const double d = square(group[i].x - p.x);
                far[i] = taken.empty() ? d : std::min(far[i], d);
            }
            taken.push_back(p);
        }
        double depth = 1e300, size = 0;
        for (const auto& p : taken) {
            depth = std::min(depth, p.gap);
            size = std::max(size, length(p.x - middle));
        }
        if (deepest->gap < depth - 1e-3 * size) taken.push_back(*deepest);
        out.insert(out.end(), taken.begin(), taken.end());
        points = std::move(rest);
    }
    return out;
}

/// The same contact with the bodies' parts exchanged.
template <int D>
ContactPoint<D> seen_from_other(const ContactPoint<D>& p) {
    return {p.other, p.body, p.x - p.normal * p.gap, -p.normal, p.gap};
}

/// Bounds of a box after a motion.
template <int D>
Box<D> moved(const Box<D>& box, const Transform<D>& by) {
    const Point<D> middle = by.apply((box.lo + box.hi) * 0.5), half = (box.hi - box.lo) * 0.5;
    Point<D> reach;
    for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) reach[i] += std::abs(by.rotation.row[i][j]) * half[j];
    return {middle - reach, middle + reach};
}

/// From frame `a` to frame `b`, both placed in the world.
template <int D>
Transform<D> between(const Transform<D>& a, const Transform<D>& b) {
    return {b.rotation.transposed() * a.rotation, b.unapply(a.translation)};
}

}  // namespace

template <int D>
std::vector<ContactPoint<D>> Contact<D>::find(const std::vector<BodyState<D>>& states,
                                              const ContactScene<D>& scene, double margin) const {
    const Impl& m = *impl_;
    const int count = static_cast<int>(states.size());
    // A list per body, of its own points only: loops may run in any order.
    std::vector<std::vector<ContactPoint<D>>> found(states.size());
    parallel_for(states.size(), 1, [&](std::size_t i) {
        const int n = static_cast<int>(i);
        const double step = 1e-3 * m.reach[i];
        const Transform<D> here = {states[i].rotation, states[i].position};
        struct Plane {
            Point<D> x, normal;
            double gap;
        };
        std::vector<Plane> planes;
        std::vector<ContactPoint<D>> list;
        // Adds the points of this body in `near`, a box in their frame, that touch `other`, whose
        // distance is taken in a frame where `there` puts points, and which `back` leads out of.
        const auto test = [&](int other, const Box<D>& near, const Transform<D>& there,
                              const Mat<D>& back, const auto& distance) {
            list.clear();
            planes.clear();
            for (const Point<D>& local : m.points[i]) {
                if (!near.contains(local)) continue;
                const Point<D> x = there.apply(local);
                const double gap = distance(x);
                if (gap > margin) continue;
                // Most points that touch touch a plane that an earlier one has found.
                const auto known = std::find_if(planes.begin(), planes.end(), [&](const Plane& p) {
                    return std::abs(p.gap + dot(p.normal, x - p.x) - gap) < 1e-2 * step;
                });
                Point<D> normal;
                if (known != planes.end()) {
                    normal = known->normal;
                } else {
                    for (int d = 0; d < D; ++d) {
                        const Point<D> h = unit<D, double>(d) * step;
                        normal[d] = distance(x + h) - distance(x - h);
                    }
                    if (!(length(normal) > 0)) continue;
                    normal = normal / length(normal);
                    planes.push_back({x, normal, gap});
                }
                list.push_back({n, other, here.apply(local), back * normal, gap});
            }
            const std::vector<ContactPoint<D>> few = thinned(std::move(list));
            found[i].insert(found[i].end(), few.begin(), few.end());
        };
        if (scene.distance(states[i].position) <= m.reach[i] + margin)
            test(-1, Box<D>::everywhere(), here, Mat<D>::identity(), scene.distance);
        for (int other = 0; other < count; ++other) {
            if (other == n) continue;
            const double apart = length(states[other].position - states[i].position);
            if (apart > m.reach[i] + m.reach[other] + margin) continue;
            const Transform<D> place = placement(m.bodies[other], states[other]);
            // Of most points a look at the bounds says that they are far: distances are dear.
            const Box<D> bounds = m.bounds[other].grown(margin);
            const Box<D> near = moved(bounds, between(place, here));
            if (!near.overlaps(m.around[i])) continue;
            const Transform<D> there = between(here, place);
            if (!moved(m.around[i], there).overlaps(bounds)) continue;
            const Shape<D>& shape = *m.bodies[other].shape;
            test(other, near, there, place.rotation,
                 [&](const Point<D>& x) { return shape.distance(x); });
        }
    });
    // Two bodies have found each other from both sides: of what both found few are enough, too.
    std::map<std::pair<int, int>, std::vector<ContactPoint<D>>> pairs;  // lower number first
    for (const auto& of_body : found)
        for (const ContactPoint<D>& p : of_body)
            if (p.other < p.body && p.other >= 0)
                pairs[{p.other, p.body}].push_back(seen_from_other(p));
            else
                pairs[{p.body, p.other}].push_back(p);
    std::vector<ContactPoint<D>> all;
    for (auto& [pair, points] : pairs) {
        // Those with the scene are few already.
        if (pair.second >= 0) points = thinned(std::move(points));
        all.insert(all.end(), points.begin(), points.end());
    }
    return all;
}

#define SLOSH_INSTANTIATE(D)                                                                 \
    template std::vector<Point<D>> surface_points<D>(const Shape<D>&, double);               \
    template Contact<D>::Contact(const std::vector<Body<D>>&, int);                          \
    template Contact<D>::~Contact();                                                         \
    template std::vector<ContactPoint<D>> Contact<D>::find(const std::vector<BodyState<D>>&, \
                                                           const ContactScene<D>&, double) const;
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
