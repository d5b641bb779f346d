// A tiny bitmap font for labels on pictures.
#pragma once

namespace slosh {

constexpr int kGlyphWidth = 5, kGlyphHeight = 8;

/// The picture of the font: a line break, then bands of 8 lines with 16 glyphs of 5 characters and
/// a blank each; '#' is ink.
extern const char* const kFontArt;

}  // namespace slosh
