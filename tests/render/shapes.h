// Shapes and helpers for the tests of pictures.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "slosh/shape/shape.h"

namespace slosh {

/// A shape made of a function.
template <int D>
class FunctionShape : public Shape<D> {
public:
    FunctionShape(std::function<double(const Point<D>&)> f, Box<D> bounds = Box<D>::everywhere())
        : f_(std::move(f)), bounds_(bounds) {}
    double distance(const Point<D>& x) const override { return f_(x); }
    Box<D> bounds() const override { return bounds_; }

private:
    std::function<double(const Point<D>&)> f_;
    Box<D> bounds_;
};

template <int D>
ShapePtr<D> ball(const Point<D>& centre, double radius) {
    return std::make_shared<FunctionShape<D>>(
        [=](const Point<D>& x) { return length(x - centre) - radius; },
        Box<D>{centre, centre}.grown(radius));
}
/// Everything outside a ball: a container.
template <int D>
ShapePtr<D> hollow(const Point<D>& centre, double radius) {
    return std::make_shared<FunctionShape<D>>(
        [=](const Point<D>& x) { return radius - length(x - centre); });
}
template <int D>
ShapePtr<D> block(const Point<D>& centre, const Point<D>& half) {
    return std::make_shared<FunctionShape<D>>(
        [=](const Point<D>& x) {
            Point<D> q;
            double most = -1e30;
            for (int d = 0; d < D; ++d) {
                q[d] = std::abs(x[d] - centre[d]) - half[d];
                most = std::max(most, q[d]);
            }
            return length(max(q, Point<D>{})) + std::min(0.0, most);
        },
        Box<D>{centre - half, centre + half});
}

/// A file name that no other test uses, removed at the end.
struct ScratchFile {
    std::filesystem::path path;
    explicit ScratchFile(const std::string& name)
        : path(std::filesystem::temp_directory_path() /
               ("slosh_" + std::to_string(getpid()) + "_" + name)) {}
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

}  // namespace slosh
