#include <cmath>

#include "slosh/render/picture.h"

namespace slosh {

Camera default_camera(const Box<3>& domain, int up) {
    const Point<3> centre = (domain.lo + domain.hi) * 0.5, side = domain.hi - domain.lo;
    Camera camera;
    camera.up[up] = 1;
    Point<3> towards = up == 1 ? Point<3>{0.45, 0.42, 1} : Point<3>{0.45, -1, 0.42};
    towards = towards / length(towards);
    // The sphere about the box fits, less a little: corners rarely touch it in the picture.
    const double radius = 0.5 * length(side);
    camera.target = centre - camera.up * (0.04 * length(side));
    camera.eye =
        camera.target + towards * (0.92 * radius / std::sin(0.5 * camera.fov_degrees * M_PI / 180));
    return camera;
}

}  // namespace slosh
