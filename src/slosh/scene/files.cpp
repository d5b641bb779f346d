#include "slosh/scene/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/scene/builtin.h"

namespace slosh {

namespace fs = std::filesystem;

std::string read_whole_file(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error))
        throw InputError(in_quotes(path) + ": is a folder, not a file");
    std::ifstream in(path, std::ios::binary);
    if (!in) throw InputError(in_quotes(path) + ": cannot be opened");
    std::ostringstream text;
    text << in.rdbuf();
    if (in.bad()) throw InputError(in_quotes(path) + ": cannot be read");
    return std::move(text).str();
}

std::string resolve_mesh_file(const Cursor& at) {
    constexpr std::string_view kBuiltin = "builtin:";
    const std::string& name = at.json().text;
    if (name.starts_with(kBuiltin)) {
        if (!find_embedded(name.substr(kBuiltin.size())))
            at.fail("no built-in file called " + in_quotes(name));
        return name;
    }
    std::string ending = fs::path(name).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::vector<std::string> accepted = {".obj", ".ply", ".stl", ".gltf", ".glb"};
    if (std::find(accepted.begin(), accepted.end(), ending) == accepted.end())
        at.fail("expected a mesh file ending in " + one_of(accepted) + ", got " + in_quotes(name));
    if (!at.files()) return name;

    const std::string directory = at.json().source ? at.json().source->directory : "";
    const fs::path path = fs::path(directory) / name;  // an absolute name stays as it is
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        const std::string shown = path.string();
        at.fail("no such mesh file: " + in_quotes(name) +
                (shown == name ? "" : " (looked in " + in_quotes(directory) + ")"));
    }
    return fs::absolute(path, error).lexically_normal().string();
}

std::uint64_t hash_mesh_file(const Cursor& at, const std::string& file) {
    if (file.starts_with("builtin:")) return hash_bytes(find_embedded(file.substr(8))->bytes);
    if (!at.files()) return 0;
    return hash_bytes(read_whole_file(file));
}

}  // namespace slosh
