// Pictures: 8-bit RGB pixels, top row first, with the little drawing that labels need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

using Rgb = Vec<std::uint8_t, 3>;

struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  ///< Three bytes a pixel, row by row from the top.

    Image() = default;
    Image(int w, int h, Rgb fill = {}) : width(w), height(h), rgb(std::size_t(w) * h * 3) {
        for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = fill[static_cast<int>(i % 3)];
    }
    Rgb get(int x, int y) const {
        const std::uint8_t* p = rgb.data() + (std::size_t(y) * width + x) * 3;
        return {p[0], p[1], p[2]};
    }
    void set(int x, int y, Rgb c) {
        std::uint8_t* p = rgb.data() + (std::size_t(y) * width + x) * 3;
        for (int d = 0; d < 3; ++d) p[d] = c[d];
    }
    bool empty() const { return rgb.empty(); }
    friend bool operator==(const Image&, const Image&) = default;
};

/// Mixes `c` over a pixel with the given opacity in [0, 1]; outside the image it does nothing.
void blend(Image& image, int x, int y, Rgb c, double opacity);

/// Writes ASCII text with its upper left corner at (x, y); `scale` is the size of a font dot in
/// pixels. Characters without a glyph show as '?'.
void draw_text(Image& image, int x, int y, std::string_view text, Rgb colour, int scale = 1);
int text_width(std::string_view text, int scale = 1);  ///< Pixels.
int text_height(int scale = 1);                        ///< Pixels.

/// A small label in the lower left corner, such as "frame 12  t = 0.367 s", readable on any
/// background.
void draw_label(Image& image, std::string_view text);

/// Two pictures beside each other, with a caption under each unless both captions are empty. The
/// lower one is centred on white.
Image side_by_side(const Image& left, const Image& right, std::string_view left_caption = {},
                   std::string_view right_caption = {});

/// Writes a PNG. The file appears whole or not at all, and the same picture gives the same bytes.
/// Throws ResourceError when it cannot be written.
void write_png(const Image& image, const std::filesystem::path& path);

/// Reads a PNG of any kind as RGB (alpha is dropped). Throws InputError.
Image read_png(const std::filesystem::path& path);

}  // namespace slosh
