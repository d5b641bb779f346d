// Coverage of pixels by a drawing: what part of each pixel is inked, in [0, 1]. A mask is drawn
// first and laid onto the picture once, so that overlapping strokes do not darken twice.
#pragma once

#include <vector>

#include "slosh/render/image.h"
#include "slosh/surface/mesh.h"

namespace slosh {

struct Mask {
    int width, height;
    std::vector<float> part;

    Mask(int w, int h) : width(w), height(h), part(std::size_t(w) * h) {}
    float& at(int x, int y) { return part[std::size_t(y) * width + x]; }
    float at(int x, int y) const { return part[std::size_t(y) * width + x]; }
};

using Pixel = Vec<double, 2>;  ///< A place in the picture: pixel (i, j) spans [i, i+1] x [j, j+1].

/// Draws a line with round ends, `thick` pixels wide.
void stroke(Mask& mask, const Pixel& from, const Pixel& to, double thick);
/// Draws a triangle (any winding).
void triangle(Mask& mask, const Pixel& a, const Pixel& b, const Pixel& c);
/// Fills the inside of closed loops of segments by the even-odd rule.
void fill(Mask& mask, const std::vector<std::array<Pixel, 2>>& segments);

/// Lays `colour` onto the picture where the mask is inked, with the given opacity.
void lay(Image& image, const Mask& mask, Rgb colour, double opacity = 1);

}  // namespace slosh
