#include "slosh/render/image.h"

#include <algorithm>

#include "slosh/render/font.h"

namespace slosh {

namespace {
/// Whether the glyph of `c` has ink at column x, row y.
bool has_ink(char c, int x, int y) {
    const int index = c >= ' ' && c <= '~' ? c - ' ' : '?' - ' ';
    constexpr int kLine = 16 * (kGlyphWidth + 1);  // the line break stands for the last blank
    const char* start = kFontArt + 1 + (index / 16 * kGlyphHeight + y) * kLine;
    return start[(index % 16) * (kGlyphWidth + 1) + x] == '#';
}

void copy(const Image& from, Image& to, int x0, int y0) {
    for (int y = 0; y < from.height; ++y)
        std::copy_n(from.rgb.data() + std::size_t(y) * from.width * 3, from.width * 3,
                    to.rgb.data() + (std::size_t(y + y0) * to.width + x0) * 3);
}
}  // namespace

void blend(Image& image, int x, int y, Rgb c, double opacity) {
    if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
    const double a = std::clamp(opacity, 0.0, 1.0);
    Rgb old = image.get(x, y);
    for (int d = 0; d < 3; ++d)
        old[d] = static_cast<std::uint8_t>(old[d] + a * (double(c[d]) - old[d]) + 0.5);
    image.set(x, y, old);
}

void draw_text(Image& image, int x, int y, std::string_view text, Rgb colour, int scale) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int left = x + static_cast<int>(i) * (kGlyphWidth + 1) * scale;
        for (int py = 0; py < kGlyphHeight * scale; ++py)
            for (int px = 0; px < kGlyphWidth * scale; ++px)
                if (has_ink(text[i], px / scale, py / scale))
                    blend(image, left + px, y + py, colour, 1);
    }
}

int text_width(std::string_view text, int scale) {
    return text.empty() ? 0 : (static_cast<int>(text.size()) * (kGlyphWidth + 1) - 1) * scale;
}
int text_height(int scale) {
    return kGlyphHeight * scale;
}

void draw_label(Image& image, std::string_view text) {
    const int scale = std::max(1, image.height / 360);
    const int pad = 4 * scale, w = text_width(text, scale), h = text_height(scale);
    const int x = 2 * pad, y = image.height - h - 2 * pad;
    for (int py = y - pad; py < y + h + pad; ++py)
        for (int px = x - pad; px < x + w + pad; ++px) blend(image, px, py, {255, 255, 255}, 0.6);
    draw_text(image, x, y, text, {40, 44, 52}, scale);
}

Image side_by_side(const Image& left, const Image& right, std::string_view left_caption,
                   std::string_view right_caption) {
    const int gap = 8, tallest = std::max(left.height, right.height);
    const int scale = std::max(1, tallest / 256);
    const bool captions = !left_caption.empty() || !right_caption.empty();
    const int below = captions ? text_height(scale) + 2 * gap : 0;
    Image both(left.width + gap + right.width, tallest + below, {255, 255, 255});
    copy(left, both, 0, (tallest - left.height) / 2);
    copy(right, both, left.width + gap, (tallest - right.height) / 2);
    const auto caption = [&](std::string_view text, int x0, int width) {
        draw_text(both, x0 + (width - text_width(text, scale)) / 2, tallest + gap, text,
                  {40, 44, 52}, scale);
    };
    caption(left_caption, 0, left.width);
    caption(right_caption, left.width + gap, right.width);
    return both;
}

}  // namespace slosh
