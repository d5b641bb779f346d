#include "slosh/scene/mesh.h"

#include <cstdio>

#include "slosh/base/error.h"
#include "slosh/scene/builtin.h"
#include "slosh/shape/mesh_file.h"

namespace slosh {
namespace {

/// Reads the lines "v x y z" and "f a b c d ..." of an OBJ file that ships with slosh: files of
/// others go through load_mesh(), which knows the whole format.
TriangleMesh parse_embedded(const EmbeddedFile& file) {
    TriangleMesh mesh;
    mesh.name = file.name;
    std::string_view rest = file.bytes;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        Point<3> x;
        unsigned c[4];
        if (std::sscanf(line.c_str(), "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3)
            mesh.vertices.push_back(x);
        const int corners = std::sscanf(line.c_str(), "f %u %u %u %u", c, c + 1, c + 2, c + 3);
        for (int k = 2; k < corners; ++k)
            mesh.triangles.push_back({c[0] - 1, c[k - 1] - 1, c[k] - 1});
    }
    return mesh;
}

}  // namespace

TriangleMesh scene_mesh(const std::string& file) {
    if (!file.starts_with("builtin:")) return load_mesh(file);
    const EmbeddedFile* embedded = find_embedded(file.substr(8));
    if (!embedded) throw InputError("no built-in file called " + file);
    return parse_embedded(*embedded);
}

}  // namespace slosh
