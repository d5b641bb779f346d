// Readers of PLY. They take files from anywhere, so every count and index is checked against the
// bytes that are really there before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/ply.h"

namespace slosh {

namespace {

/// A property of an element: its type's size and where it lies in a record.
struct Property {
    std::string name, type;
    bool list = false;
    std::size_t offset = 0;
};
struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties;
    std::size_t stride = 0;  // bytes of a record, lists excluded
    bool has_list = false;

    const Property* find(std::string_view property) const {
        for (const Property& p : properties)
            if (p.name == property) return &p;
        return nullptr;
    }
};
struct Ply {
    std::string bytes;
    std::size_t data = 0;  // where the header ends
    int dim = 3;
    bool particles = false;
    std::vector<Element> elements;
};

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw InputError(fmt::format("cannot read {}: {}", path, why));
}

std::size_t size_of_type(const std::string& path, const std::string& type) {
    for (const char* t : {"char", "uchar", "int8", "uint8"})
        if (type == t) return 1;
    for (const char* t : {"short", "ushort", "int16", "uint16"})
        if (type == t) return 2;
    for (const char* t : {"int", "uint", "float", "int32", "uint32", "float32"})
        if (type == t) return 4;
    for (const char* t : {"double", "float64"})
        if (type == t) return 8;
    refuse(path, fmt::format("unknown PLY type '{}'", type.substr(0, 20)));
}

Ply parse_header(const std::string& path) {
    Ply ply;
    ply.bytes = read_file(path);
    if (!ply.bytes.starts_with("ply\n") && !ply.bytes.starts_with("ply\r\n"))
        refuse(path, "not a PLY file");
    const std::size_t end = ply.bytes.substr(0, 1 << 16).find("end_header");
    const std::size_t line_end = end == std::string::npos ? end : ply.bytes.find('\n', end);
    if (line_end == std::string::npos) refuse(path, "its header has no end");
    ply.data = line_end + 1;

    std::istringstream lines(ply.bytes.substr(0, end));
    bool binary = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key, a, b;
        words >> key;
        if (key == "format") {
            words >> a;
            binary = a == "binary_little_endian";
        } else if (key == "comment") {
            if (line.find("2D") != std::string::npos) ply.dim = 2;
            if (line.find("slosh particles") != std::string::npos) ply.particles = true;
        } else if (key == "element") {
            Element element;
            if (!(words >> element.name >> a) ||
                std::from_chars(a.data(), a.data() + a.size(), element.count).ec != std::errc())
                refuse(path, "bad element line in its header");
            ply.elements.push_back(element);
        } else if (key == "property") {
            if (ply.elements.empty() || !(words >> a >> b)) refuse(path, "bad property line");
            Element& element = ply.elements.back();
            if (a == "list") {
                // b is the type of the count; the type of the entries and the name follow
                std::string type, name;
                if (!(words >> type >> name) || size_of_type(path, b) != 1 ||
                    size_of_type(path, type) != 4 || type.starts_with("float"))
                    refuse(path, "lists other than 'uchar int' are not read");
                element.properties.push_back({name, type, true, 0});
                element.has_list = true;
            } else {
                element.properties.push_back({b, a, false, element.stride});
                element.stride += size_of_type(path, a);
            }
        }
    }
    if (!binary) refuse(path, "only binary little-endian PLY is read");
    for (const Element& element : ply.elements)
        if (element.has_list && element.properties.size() != 1)
            refuse(path, "elements that mix lists and numbers are not read");
    return ply;
}

/// Bytes of the records of an element without lists, checked against the file's end.
std::size_t bytes_of(const std::string& path, const Ply& ply, const Element& e, std::size_t at) {
    const std::size_t left = ply.bytes.size() - at;
    const std::size_t each = e.has_list ? 1 : std::max<std::size_t>(e.stride, 1);
    if (e.count > left / each) refuse(path, fmt::format("cut short in element '{}'", e.name));
    return e.count * e.stride;
}

/// Three float properties of every record, or nothing if one is missing.
std::optional<std::vector<Vec<float, 3>>> read_vectors(const Ply& ply, const Element& e,
                                                       std::size_t at, const char* const names[3]) {
    const Property* p[3];
    for (int d = 0; d < 3; ++d) {
        p[d] = e.find(names[d]);
        if (!p[d] || (p[d]->type != "float" && p[d]->type != "float32")) return {};
    }
    std::vector<Vec<float, 3>> out(e.count);
    for (std::size_t i = 0; i < e.count; ++i)
        for (int d = 0; d < 3; ++d)
            std::memcpy(&out[i][d], ply.bytes.data() + at + i * e.stride + p[d]->offset, 4);
    return out;
}

constexpr const char* kPosition[3] = {"x", "y", "z"};
constexpr const char* kVelocity[3] = {"vx", "vy", "vz"};

/// Reads polygons as fans of triangles; returns where the list ends.
std::size_t read_faces(const std::string& path, const Ply& ply, const Element& e, std::size_t at,
                       SurfaceMesh& mesh) {
    const char* bytes = ply.bytes.data();
    mesh.elements.reserve(e.count);
    for (std::size_t i = 0; i < e.count; ++i) {
        if (at >= ply.bytes.size()) refuse(path, "cut short in element 'face'");
        const std::size_t n = static_cast<unsigned char>(bytes[at++]);
        if (n < 3 || n * 4 > ply.bytes.size() - at) refuse(path, "cut short in element 'face'");
        std::uint32_t corner[255];
        std::memcpy(corner, bytes + at, n * 4);
        at += n * 4;
        for (std::size_t k = 2; k < n; ++k)
            mesh.elements.push_back({corner[0], corner[k - 1], corner[k]});
    }
    return at;
}

void read_edges(const std::string& path, const Ply& ply, const Element& e, std::size_t at,
                SurfaceMesh& mesh) {
    const Property *a = e.find("vertex1"), *b = e.find("vertex2");
    if (!a || !b || size_of_type(path, a->type) != 4 || size_of_type(path, b->type) != 4)
        refuse(path, "its edges have no vertex1 and vertex2");
    mesh.dim = 2;
    mesh.elements.resize(e.count);
    for (std::size_t i = 0; i < e.count; ++i) {
        const char* record = ply.bytes.data() + at + i * e.stride;
        mesh.elements[i] = {};
        std::memcpy(&mesh.elements[i][0], record + a->offset, 4);
        std::memcpy(&mesh.elements[i][1], record + b->offset, 4);
    }
}

}  // namespace

SurfaceMesh read_surface_ply(const std::string& path) {
    const Ply ply = parse_header(path);
    SurfaceMesh mesh;
    mesh.dim = ply.dim;
    std::size_t at = ply.data;
    bool found = false;
    for (const Element& e : ply.elements) {
        const std::size_t bytes = bytes_of(path, ply, e, at);
        if (e.name == "vertex" && !e.has_list) {
            auto positions = read_vectors(ply, e, at, kPosition);
            if (!positions) refuse(path, "its vertices have no float x, y, z");
            auto velocities = read_vectors(ply, e, at, kVelocity);
            mesh.vertices = std::move(*positions);
            mesh.velocities =
                velocities ? std::move(*velocities) : std::vector<Vec<float, 3>>(e.count);
            found = true;
        } else if (e.has_list && e.name == "face") {
            at = read_faces(path, ply, e, at, mesh);
        } else if (e.has_list) {
            refuse(path, fmt::format("element '{}' holds lists", e.name));
        } else if (e.name == "edge") {
            read_edges(path, ply, e, at, mesh);
        }
        at += bytes;
    }
    if (!found) refuse(path, "it has no vertices");
    for (const auto& element : mesh.elements)
        for (int k = 0; k < mesh.dim; ++k)
            if (element[k] >= mesh.vertices.size())
                refuse(path, "an element names a vertex that is not there");
    return mesh;
}

ParticleCloud read_particles_ply(const std::string& path) {
    const Ply ply = parse_header(path);
    if (ply.elements.empty() || ply.elements[0].name != "vertex" || ply.elements[0].has_list)
        refuse(path, "it holds no particles");
    const Element& e = ply.elements[0];
    bytes_of(path, ply, e, ply.data);
    auto positions = read_vectors(ply, e, ply.data, kPosition);
    if (!positions) refuse(path, "its particles have no float x, y, z");
    auto velocities = read_vectors(ply, e, ply.data, kVelocity);

    ParticleCloud cloud;
    cloud.dim = ply.dim;
    cloud.positions = std::move(*positions);
    cloud.velocities = velocities ? std::move(*velocities) : std::vector<Vec<float, 3>>(e.count);
    cloud.ids.resize(e.count);
    const Property* id = e.find("id");
    const bool has_id = id && size_of_type(path, id->type) == 4;
    for (std::size_t i = 0; i < e.count; ++i) {
        cloud.ids[i] = static_cast<std::uint32_t>(i);
        if (has_id)
            std::memcpy(&cloud.ids[i], ply.bytes.data() + ply.data + i * e.stride + id->offset, 4);
    }
    return cloud;
}

PlySummary summarize_ply(const std::string& path) {
    const Ply ply = parse_header(path);
    PlySummary summary{.dim = ply.dim, .particles = ply.particles};
    for (const Element& e : ply.elements) {
        if (e.name == "vertex") {
            summary.vertices = e.count;
            summary.velocity = e.find("vx") != nullptr;
            summary.ids = e.find("id") != nullptr;
        } else if (e.name == "face") {
            summary.faces = e.count;
        } else if (e.name == "edge") {
            summary.edges = e.count;
        }
    }
    return summary;
}

}  // namespace slosh
