// Wavefront OBJ: vertices and faces; everything else in the file says nothing about the shape.
#include "slosh/shape/mesh_text.h"

namespace slosh {

TriangleMesh read_obj(std::string_view bytes) {
    TriangleMesh mesh;
    std::vector<std::uint32_t> corners;
    Words words(bytes);
    do {
        const std::string_view key = words.next();
        if (key == "v") {
            Point<3> p;
            for (int d = 0; d < 3; ++d) p[d] = words.number<double>(words.next());
            mesh.vertices.push_back(p);
        } else if (key == "f") {
            corners.clear();
            for (std::string_view w = words.next(); !w.empty(); w = words.next()) {
                // "vertex/texture/normal", counted from 1, or backwards from the last if negative.
                const long long i = words.number<long long>(w.substr(0, w.find('/')));
                const long long n = static_cast<long long>(mesh.vertices.size());
                if (i == 0 || i > n || i < -n)
                    words.fail(fmt::format("a face names vertex {} of {}", i, n));
                corners.push_back(static_cast<std::uint32_t>(i > 0 ? i - 1 : n + i));
            }
            if (corners.size() < 3) words.fail("a face has less than three corners");
            add_polygon(corners, mesh);
        } else if (key.find('\0') != std::string_view::npos) {
            words.fail("this is not an OBJ file");
        }
    } while (words.next_line());
    return mesh;
}

}  // namespace slosh
