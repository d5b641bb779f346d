#include "slosh/shape/mesh_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "mesh_samples.h"
#include "slosh/base/error.h"

using namespace slosh;

namespace {

/// A folder that is gone when the test is.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("slosh_mesh_test_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path / name, std::ios::binary) << bytes;
        return (path / name).string();
    }
};

template <class T>
void put(std::string& bytes, T value, bool big_endian = false) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (big_endian) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

const TriangleMesh kBox = box_mesh({0, 0, 0}, {1, 2, 4});

std::string obj_text() {
    std::string s = "# a box\nmtllib none.mtl\no box\n";
    for (const auto& v : kBox.vertices)
        s += "v " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) +
             "\n";
    // Quads, in the three ways of naming corners.
    s += "vn 0 0 1\nvt 0 0\nf 1 5 7 3\nf 2/1 4/1 8/1 6/1\nf 1//1 2//1 6//1 5//1\r\n";
    s += "f -6/1/1 -2/1/1 -1/1/1 -5/1/1\nf 1 3 4 2\nf 5 6 8 7";
    return s;
}

std::string ply_header(const std::string& format, const std::string& corner_type = "int") {
    return "ply\nformat " + format + " 1.0\ncomment made by hand\nelement vertex 8\n" +
           "property float x\nproperty float y\nproperty float z\nproperty uchar red\n" +
           "element face 12\nproperty list uchar " + corner_type + " vertex_indices\nend_header\n";
}
std::string ply_text() {
    std::string s = ply_header("ascii");
    for (const auto& v : kBox.vertices)
        s +=
            std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + " 7\n";
    for (const auto& t : kBox.triangles)
        s += "3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " + std::to_string(t[2]) +
             "\n";
    return s;
}
std::string ply_binary(bool big) {
    std::string s = ply_header(big ? "binary_big_endian" : "binary_little_endian");
    for (const auto& v : kBox.vertices) {
        for (int d = 0; d < 3; ++d) put(s, float(v[d]), big);
        put(s, std::uint8_t(7));
    }
    for (const auto& t : kBox.triangles) {
        put(s, std::uint8_t(3));
        for (const auto corner : t) put(s, std::int32_t(corner), big);
    }
    return s;
}

std::string stl_binary() {
    std::string s = "solid but binary";  // as some programs write
    s.resize(80);
    put(s, std::uint32_t(kBox.triangles.size()));
    for (const auto& t : kBox.triangles) {
        for (int d = 0; d < 3; ++d) put(s, 0.0f);
        for (const auto corner : t)
            for (int d = 0; d < 3; ++d) put(s, float(kBox.vertices[corner][d]));
        put(s, std::uint16_t(0));
    }
    return s;
}
std::string stl_text() {
    std::string s = "solid box\n";
    for (const auto& t : kBox.triangles) {
        s += " facet normal 0 0 0\n  outer loop\n";
        for (const auto corner : t) {
            const auto& v = kBox.vertices[corner];
            s += "   vertex " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " +
                 std::to_string(v[2]) + "\n";
        }
        s += "  endloop\n endfacet\n";
    }
    return s + "endsolid box\n";
}

std::string gltf_buffer() {
    std::string s;
    for (const auto& v : kBox.vertices)
        for (int d = 0; d < 3; ++d) put(s, float(v[d]));
    for (const auto& t : kBox.triangles)
        for (const auto corner : t) put(s, std::uint16_t(corner));
    return s;
}
/// The box under two nodes: moved by (10, 0, 0), then doubled within that.
std::string gltf_text(const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[)"
           R"({"translation":[10,0,0],"children":[1]},{"mesh":0,"scale":[2,2,2]}],"meshes":[{)"
           R"("primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":168)" +
           (uri.empty() ? "" : R"(,"uri":")" + uri + "\"") +
           R"(}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":96},)"
           R"({"buffer":0,"byteOffset":96,"byteLength":72}],"accessors":[)"
           R"({"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[0,0,0],"max":[1,2,4]},)"
           R"({"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}]})";
}
std::string glb(std::string json, std::string buffer) {
    while (json.size() % 4) json += ' ';
    while (buffer.size() % 4) buffer += '\0';
    std::string s = "glTF";
    put(s, std::uint32_t(2));
    put(s, std::uint32_t(12 + 8 + json.size() + 8 + buffer.size()));
    put(s, std::uint32_t(json.size()));
    s += "JSON" + json;
    put(s, std::uint32_t(buffer.size()));
    return s + std::string("BIN\0", 4) + buffer;
}

void check_box(const TriangleMesh& mesh, const Point<3>& lo, const Point<3>& hi) {
    CHECK(mesh.vertices.size() == 8);
    CHECK(mesh.triangles.size() == 12);
    CHECK(boundary_edges(mesh) == 0);
    CHECK(length(mesh.bounds().lo - lo) < 1e-6);
    CHECK(length(mesh.bounds().hi - hi) < 1e-6);
    double volume = 0;  // by Gauss: positive only if every triangle faces outward
    for (const auto& t : mesh.triangles)
        volume += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
    CHECK(volume == doctest::Approx((hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2])));
}

}  // namespace

TEST_CASE("A box comes back from every kind of mesh file") {
    const Folder folder;
    const Point<3> lo{0, 0, 0}, hi{1, 2, 4};
    check_box(load_mesh(folder.write("a.obj", obj_text())), lo, hi);
    check_box(load_mesh(folder.write("a.ply", ply_text())), lo, hi);
    check_box(load_mesh(folder.write("b.PLY", ply_binary(false))), lo, hi);
    check_box(load_mesh(folder.write("c.ply", ply_binary(true))), lo, hi);
    check_box(load_mesh(folder.write("a.stl", stl_text())), lo, hi);
    check_box(load_mesh(folder.write("b.stl", stl_binary())), lo, hi);
    const Point<3> moved_lo{10, 0, 0}, moved_hi{12, 4, 8};
    folder.write("box.bin", gltf_buffer());
    check_box(load_mesh(folder.write("a.gltf", gltf_text("box.bin"))), moved_lo, moved_hi);
    check_box(load_mesh(folder.write("a.glb", glb(gltf_text(""), gltf_buffer()))), moved_lo,
              moved_hi);
}

TEST_CASE("Concave polygons are filled and nothing beyond them") {
    const Folder folder;
    // An L of area 3; a fan from its first corner would reach outside.
    const auto mesh = load_mesh(folder.write(
        "l.obj", "v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nf 1 2 3 4 5 6\n"));
    REQUIRE(mesh.triangles.size() == 4);
    double area = 0;
    for (const auto& t : mesh.triangles) {
        const Point<3> n = cross(mesh.vertices[t[1]] - mesh.vertices[t[0]],
                                 mesh.vertices[t[2]] - mesh.vertices[t[0]]);
        CHECK(n[2] > 0);  // all turn the way the polygon does
        area += length(n) / 2;
    }
    CHECK(area == doctest::Approx(3));
}

TEST_CASE("Every bad mesh file gives one clear line") {
    namespace fs = std::filesystem;
    int tried = 0;
    for (const auto& entry :
         fs::directory_iterator(fs::path(__FILE__).parent_path().parent_path() / "bad_meshes")) {
        if (entry.path().extension() == ".bin") continue;  // buffers of the glTF files
        const std::string path = entry.path().string();
        CAPTURE(path);
        ++tried;
        try {
            load_mesh(path);
            FAIL_CHECK("was accepted");
        } catch (const InputError& e) {
            const std::string line = e.what();
            CHECK(line.find(path) != std::string::npos);
            CHECK(line.find('\n') == std::string::npos);
            CHECK(line.size() < path.size() + 220);
        }
    }
    CHECK(tried >= 40);
    const Folder folder;
    CHECK_THROWS_AS(load_mesh((folder.path / "missing.obj").string()), InputError);
    fs::create_directories(folder.path / "folder.obj");
    CHECK_THROWS_AS(load_mesh((folder.path / "folder.obj").string()), InputError);
}
