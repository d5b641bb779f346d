#include "slosh/shape/shape.h"

namespace slosh {

template <int D>
Point<D> normal(const Shape<D>& shape, const Point<D>& x, double step) {
    Point<D> n;
    for (int d = 0; d < D; ++d) {
        const Point<D> e = unit<D, double>(d) * step;
        n[d] = shape.distance(x + e) - shape.distance(x - e);
    }
    const double size = length(n);
    return size > 0 ? n / size : Point<D>{};
}

template Point<2> normal<2>(const Shape<2>&, const Point<2>&, double);
template Point<3> normal<3>(const Shape<3>&, const Point<3>&, double);

}  // namespace slosh
