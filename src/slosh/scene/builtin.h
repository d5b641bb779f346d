// The files of scenes/ that are compiled into the program (cmake/embed_scenes.cmake).
#pragma once

#include <cstddef>
#include <string_view>

namespace slosh {

struct EmbeddedFile {
    const char* name;  ///< Without folder: "sphere.json", "knot.obj".
    std::string_view bytes;
};

/// All embedded files, sorted by name.
const EmbeddedFile* embedded_files(std::size_t& count);
/// The embedded file of that name, or null.
const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace slosh
