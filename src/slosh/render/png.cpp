// PNG in and out through libpng's simplified interface, which writes no time stamps.
#include <png.h>

#include <cstring>

#include "slosh/base/error.h"
#include "slosh/render/image.h"

namespace slosh {

void write_png(const Image& image, const std::filesystem::path& path) {
    SLOSH_EXPECT(image.width > 0 && image.height > 0);
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGB;
    png.flags = PNG_IMAGE_FLAG_FAST;  // filters cost more time than the ray tracing leaves over
    const std::filesystem::path part = path.string() + ".part";
    std::error_code failed;
    if (!png_image_write_to_file(&png, part.c_str(), 0, image.rgb.data(), 0, nullptr)) {
        const std::string why = png.message;
        std::filesystem::remove(part, failed);
        throw ResourceError("cannot write " + path.string() + ": " + why +
                            "; check that the folder exists and the disk has room");
    }
    std::filesystem::rename(part, path, failed);
    if (failed)
        throw ResourceError("cannot rename " + part.string() + " to " + path.string() + ": " +
                            failed.message());
}

Image read_png(const std::filesystem::path& path) {
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    const auto fail = [&] {
        const std::string why = png.message;
        png_image_free(&png);
        throw InputError("cannot read " + path.string() + " as PNG: " + why);
    };
    if (!png_image_begin_read_from_file(&png, path.c_str())) fail();
    png.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(png.width), static_cast<int>(png.height));
    const png_color white = {255, 255, 255};
    if (!png_image_finish_read(&png, &white, image.rgb.data(), 0, nullptr)) fail();
    return image;
}

}  // namespace slosh
