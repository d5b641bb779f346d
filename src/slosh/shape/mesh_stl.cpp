// STL, as text or binary: three corners a triangle, nothing shared.
#include <cstring>

#include "slosh/shape/mesh_text.h"

namespace slosh {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50;  // bytes: normal, three corners, two spare

std::uint32_t triangle_count(std::string_view bytes) {
    std::uint32_t n;
    std::memcpy(&n, bytes.data() + kHeader - 4, 4);
    return n;
}

void add_triangle(const Point<3> (&p)[3], TriangleMesh& mesh) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), std::begin(p), std::end(p));
    mesh.triangles.push_back({first, first + 1, first + 2});
}

TriangleMesh read_binary(std::string_view bytes) {
    const std::size_t n = triangle_count(bytes), there = (bytes.size() - kHeader) / kRecord;
    if (n > there)
        throw InputError(
            fmt::format("promises {} triangles but holds {}; it was cut off", n, there));
    TriangleMesh mesh;
    for (std::size_t i = 0; i < n; ++i) {
        float v[9];
        std::memcpy(v, bytes.data() + kHeader + i * kRecord + 12, sizeof v);
        add_triangle({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}}, mesh);
    }
    return mesh;
}

TriangleMesh read_text(std::string_view bytes) {
    TriangleMesh mesh;
    Words words(bytes);
    const auto expect = [&](std::string_view what) {
        const std::string_view word = words.next_anywhere();
        if (word != what)
            words.fail(word.empty()
                           ? fmt::format("ends where '{}' should follow; it was cut off", what)
                           : fmt::format("'{}' where '{}' should be", word.substr(0, 20), what));
    };
    for (;;) {
        // "solid NAME" on a line of its own; a file may hold several.
        expect("solid");
        words.next_line();
        for (;;) {
            const std::string_view word = words.next_anywhere();
            if (word == "endsolid") break;
            if (word != "facet")
                words.fail("neither 'facet' nor 'endsolid'; was the file cut off?");
            words.next_line();  // the normal, which follows from the corners
            expect("outer");
            expect("loop");
            Point<3> p[3];
            for (auto& corner : p) {
                expect("vertex");
                for (int d = 0; d < 3; ++d) corner[d] = words.number<double>(words.next());
            }
            expect("endloop");
            expect("endfacet");
            add_triangle(p, mesh);
        }
        words.next_line();
        Words ahead = words;
        if (ahead.next_anywhere().empty()) return mesh;
    }
}

}  // namespace

TriangleMesh read_stl(std::string_view bytes) {
    // Binary files too may begin with "solid": their size tells.
    const bool fits = bytes.size() >= kHeader &&
                      bytes.size() == kHeader + kRecord * std::size_t(triangle_count(bytes));
    const std::size_t word = bytes.find_first_not_of(" \t\r\n");
    const bool looks_text = word != std::string_view::npos && bytes.substr(word, 5) == "solid" &&
                            bytes.substr(0, 400).find('\0') == std::string_view::npos;
    if (fits || (!looks_text && bytes.size() >= kHeader)) return read_binary(bytes);
    if (!looks_text) throw InputError("this is not an STL file");
    return read_text(bytes);
}

}  // namespace slosh
