#include "slosh/view/frame.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "slosh/base/error.h"
#include "slosh/scene/json.h"

namespace slosh::view {
namespace {

constexpr char kMagic[] = "SLSH";
constexpr std::size_t kMostBytes = std::size_t(1) << 30;  // of the arrays of one message
/// Deflate's fastest: higher levels take longer for a few per cent less.
constexpr int kLevel = 1;

std::uint32_t zigzag(std::int32_t x) {
    return (std::uint32_t(x) << 1) ^ std::uint32_t(x >> 31);
}
std::int32_t unzigzag(std::uint32_t x) {
    return std::int32_t(x >> 1) ^ -std::int32_t(x & 1);
}

/// Appends the differences of n integers, byte plane by byte plane.
template <class Value>
void put_differences(std::string& out, std::size_t n, int bytes, const Value& value) {
    const std::size_t at = out.size();
    out.resize(at + n * bytes);
    std::int32_t before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t now = value(i);
        const std::uint32_t code = zigzag(now - before);
        before = now;
        for (int b = 0; b < bytes; ++b) out[at + b * n + i] = char(code >> (8 * b) & 0xff);
    }
}

void put_positions(std::string& out, const std::vector<Vec<float, 3>>& x, int dim,
                   const Box<3>& room) {
    for (int d = 0; d < dim; ++d) {
        const float lo = float(room.lo[d]);
        const float scale = float(65535 / std::max(1e-30, room.hi[d] - room.lo[d]));
        // A difference of 16 bits has 17; modulo 2^16 nothing is lost.
        const std::size_t at = out.size(), n = x.size();
        out.resize(at + 2 * n);
        std::uint16_t before = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const float q = (x[i][d] - lo) * scale + 0.5f;
            const std::uint16_t now = q >= 65535 ? 65535 : q > 0 ? std::uint16_t(q) : 0;
            const std::uint16_t code = std::uint16_t(zigzag(std::int16_t(now - before)));
            before = now;
            out[at + i] = char(code & 0xff);
            out[at + n + i] = char(code >> 8);
        }
    }
}

void put_bytes(std::string& out, const std::vector<float>& values, float most) {
    const float scale = most > 0 ? 255 / most : 0;
    for (const float v : values) {
        const float q = v * scale + 0.5f;
        out.push_back(char(q >= 255 ? 255 : q > 0 ? int(q) : 0));
    }
}

std::string numbers(const Point<3>& x) {
    return fmt::format("[{:.9g},{:.9g},{:.9g}]", x[0], x[1], x[2]);
}

/// Rows of the rotation, then the translation.
std::string numbers(const std::vector<Transform<3>>& all) {
    std::string out = "[";
    for (const Transform<3>& t : all) {
        out += out.size() > 1 ? ",[" : "[";
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) out += fmt::format("{:.7g},", t.rotation.row[i][j]);
        out += fmt::format("{:.9g},{:.9g},{:.9g}]", t.translation[0], t.translation[1],
                           t.translation[2]);
    }
    return out + "]";
}

std::string pack(std::string header, const std::string& arrays) {
    while (header.size() % 4) header += ' ';
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> with(
        libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
    const std::size_t room = libdeflate_zlib_compress_bound(with.get(), arrays.size());
    std::string out(8 + header.size() + room, '\0');
    std::memcpy(out.data(), kMagic, 4);
    const std::uint32_t size = std::uint32_t(header.size());
    std::memcpy(out.data() + 4, &size, 4);
    std::memcpy(out.data() + 8, header.data(), header.size());
    const std::size_t packed = libdeflate_zlib_compress(with.get(), arrays.data(), arrays.size(),
                                                        out.data() + 8 + header.size(), room);
    SLOSH_EXPECT(packed > 0);
    out.resize(8 + header.size() + packed);
    return out;
}

void put_mesh(std::string& out, const SurfaceMesh& mesh, const Box<3>& room) {
    put_positions(out, mesh.vertices, mesh.dim, room);
    const int corners = mesh.dim == 2 ? 2 : 3;
    put_differences(out, mesh.elements.size() * corners, 4, [&](std::size_t i) {
        return std::int32_t(mesh.elements[i / corners][i % corners]);
    });
}

std::vector<float> speeds_of(const SurfaceMesh& mesh) {
    std::vector<float> speeds(mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.velocities.size() && i < speeds.size(); ++i)
        speeds[i] = length(mesh.velocities[i]);
    return speeds;
}

float largest(const std::vector<float>& values) {
    float most = 0;
    for (const float v : values) most = std::max(most, v);
    return most;
}

/// Reads what pack() made, array by array.
class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) {
        if (bytes.size() < 8 || bytes.substr(0, 4) != kMagic) fail();
        std::uint32_t size;
        std::memcpy(&size, bytes.data() + 4, 4);
        if (size > bytes.size() - 8) fail();
        const auto source = std::make_shared<JsonSource>(JsonSource{"frame", "", false});
        header = parse_json(bytes.substr(8, size), source);
        const std::size_t raw = count("raw");
        if (raw > kMostBytes) fail();
        arrays_.resize(raw);
        const std::string_view packed = bytes.substr(8 + size);
        const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
            with(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
        if (libdeflate_zlib_decompress(with.get(), packed.data(), packed.size(), arrays_.data(),
                                       raw, nullptr) != LIBDEFLATE_SUCCESS)
            fail();
    }
    const Json& member(const char* key) const {
        const Json* found = header.find(key);
        if (!found) fail();
        return *found;
    }
    double number(const char* key) const { return member(key).number; }
    std::size_t count(const char* key) const {
        const double n = number(key);
        if (!(n >= 0 && n < 1e9)) fail();
        return std::size_t(n);
    }
    Point<3> point(const char* key) const {
        Point<3> x;
        const Json& j = member(key);
        if (j.items.size() != 3) fail();
        for (int d = 0; d < 3; ++d) x[d] = j.items[d].number;
        return x;
    }
    std::vector<Transform<3>> transforms(const char* key) const {
        std::vector<Transform<3>> all;
        for (const Json& j : member(key).items) {
            if (j.items.size() != 12) fail();
            Transform<3> t;
            for (int i = 0; i < 9; ++i) t.rotation.row[i / 3][i % 3] = j.items[i].number;
            for (int d = 0; d < 3; ++d) t.translation[d] = j.items[9 + d].number;
            all.push_back(t);
        }
        return all;
    }
    std::vector<Vec<float, 3>> positions(std::size_t n, int dim, const Box<3>& room) {
        std::vector<Vec<float, 3>> x(n);
        for (int d = 0; d < dim; ++d) {
            const unsigned char* p = take(2 * n);
            std::uint16_t now = 0;
            for (std::size_t i = 0; i < n; ++i) {
                now = std::uint16_t(now + unzigzag(std::uint32_t(p[i] | p[n + i] << 8)));
                x[i][d] = float(room.lo[d] + (room.hi[d] - room.lo[d]) * now / 65535);
            }
        }
        return x;
    }
    std::vector<std::uint32_t> indices(std::size_t n, std::size_t below) {
        std::vector<std::uint32_t> out(n);
        const unsigned char* p = take(4 * n);
        std::int32_t now = 0;
        for (std::size_t i = 0; i < n; ++i) {
            now += unzigzag(std::uint32_t(p[i]) | std::uint32_t(p[n + i]) << 8 |
                            std::uint32_t(p[2 * n + i]) << 16 | std::uint32_t(p[3 * n + i]) << 24);
            if (now < 0 || std::size_t(now) >= below) fail();
            out[i] = std::uint32_t(now);
        }
        return out;
    }
    std::vector<float> values(std::size_t n, double most) {
        std::vector<float> out(n);
        const unsigned char* p = take(n);
        for (std::size_t i = 0; i < n; ++i) out[i] = float(p[i] * most / 255);
        return out;
    }
    Json header;

private:
    [[noreturn]] static void fail() { throw InputError("these bytes are not a whole frame"); }
    const unsigned char* take(std::size_t n) {
        if (n > arrays_.size() - at_) fail();
        at_ += n;
        return reinterpret_cast<const unsigned char*>(arrays_.data()) + at_ - n;
    }
    std::string arrays_;
    std::size_t at_ = 0;
};

}  // namespace

std::string json_text(std::string_view text) {
    return write_json_compact(Json(std::string(text)));
}

float thickness(double viscosity) {
    return static_cast<float>(
        std::clamp((std::log10(std::max(viscosity, 1e-3)) + 3) / 11, 0.0, 1.0));
}

std::string encode_frame(const ShownFrame& frame, const Box<3>& room, int run, int side) {
    const SurfaceMesh& mesh = frame.surface;
    const std::vector<float> speeds = speeds_of(mesh);
    const float top = std::max(largest(speeds), largest(frame.points.speeds));
    std::string arrays;
    put_mesh(arrays, mesh, room);
    put_bytes(arrays, speeds, top);
    put_positions(arrays, frame.points.positions, mesh.dim, room);
    put_bytes(arrays, frame.points.speeds, top);
    put_bytes(arrays, frame.points.densities, 2);
    put_bytes(arrays, frame.points.thicknesses, 1);
    const std::string header = fmt::format(
        R"({{"kind":"frame","run":{},"side":{},"frame":{},"time":{:.9g},"dim":{},"raw":{},)"
        R"("vertices":{},"elements":{},"points":{},"lo":{},"hi":{},"top_speed":{:.6g},)"
        R"("bodies":{},"solids":{},"tilt":{},"shift":{}}})",
        run, side, frame.number, frame.time, mesh.dim, arrays.size(), mesh.vertices.size(),
        mesh.elements.size(), frame.points.positions.size(), numbers(room.lo), numbers(room.hi),
        top, numbers(frame.bodies), numbers(frame.solids), numbers(frame.tilt),
        numbers(frame.shift));
    return pack(header, arrays);
}

ShownFrame decode_frame(std::string_view bytes) {
    Unpacker in(bytes);
    ShownFrame frame;
    frame.number = int(in.number("frame"));
    frame.time = in.number("time");
    frame.bodies = in.transforms("bodies");
    frame.solids = in.transforms("solids");
    frame.tilt = in.point("tilt");
    frame.shift = in.point("shift");
    const Box<3> room{in.point("lo"), in.point("hi")};
    const double top = in.number("top_speed");
    SurfaceMesh& mesh = frame.surface;
    mesh.dim = in.number("dim") == 2 ? 2 : 3;
    const int corners = mesh.dim == 2 ? 2 : 3;
    mesh.vertices = in.positions(in.count("vertices"), mesh.dim, room);
    const auto flat = in.indices(in.count("elements") * corners, mesh.vertices.size());
    mesh.elements.resize(flat.size() / corners);
    for (std::size_t i = 0; i < flat.size(); ++i) mesh.elements[i / corners][i % corners] = flat[i];
    const std::vector<float> speeds = in.values(mesh.vertices.size(), top);
    for (const float s : speeds) mesh.velocities.push_back({s, 0, 0});
    frame.points.positions = in.positions(in.count("points"), mesh.dim, room);
    frame.points.speeds = in.values(frame.points.positions.size(), top);
    frame.points.densities = in.values(frame.points.positions.size(), 2);
    frame.points.thicknesses = in.values(frame.points.positions.size(), 1);
    return frame;
}

std::string encode_scene(const std::string& json, const std::vector<NamedMesh>& meshes,
                         const std::vector<NamedField>& fields) {
    std::string arrays, list;
    for (const NamedMesh& m : meshes) {
        Box<3> room = Box<3>::nowhere();
        for (const Vec<float, 3>& x : m.mesh.vertices)
            room = {min(room.lo, x.as<double>()), max(room.hi, x.as<double>())};
        if (m.mesh.vertices.empty()) room = {};
        put_mesh(arrays, m.mesh, room);
        list += fmt::format(R"({}{{{},"vertices":{},"elements":{},"lo":{},"hi":{}}})",
                            list.empty() ? "" : ",", m.json, m.mesh.vertices.size(),
                            m.mesh.elements.size(), numbers(room.lo), numbers(room.hi));
    }
    std::string flat;
    for (const NamedField& f : fields) {
        SLOSH_EXPECT(f.texels.size() == std::size_t(f.nx) * f.ny);
        arrays += f.texels;
        flat += fmt::format(R"({}{{{},"nx":{},"ny":{},"lo":{},"hi":{}}})", flat.empty() ? "" : ",",
                            f.json, f.nx, f.ny, numbers(f.box.lo), numbers(f.box.hi));
    }
    return pack(fmt::format(R"({{"kind":"scene",{},"raw":{},"meshes":[{}],"fields":[{}]}})", json,
                            arrays.size(), list, flat),
                arrays);
}

}  // namespace slosh::view
