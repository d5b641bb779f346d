// PLY, as text or binary of either byte order. Elements and properties that are not needed are
// read over, as the format intends.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "slosh/shape/mesh_text.h"

namespace slosh {

namespace {

enum class Type { I8, U8, I16, U16, I32, U32, F32, F64 };

struct Property {
    std::string name;
    Type type = Type::F32;
    Type count_type = Type::U8;
    bool is_list = false;
};
struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};
struct Header {
    bool text = false, swap = false;
    std::vector<Element> elements;
};

Type type_of(const Words& words, std::string_view name) {
    const std::pair<std::string_view, Type> names[] = {
        {"char", Type::I8},    {"int8", Type::I8},     {"uchar", Type::U8},
        {"uint8", Type::U8},   {"short", Type::I16},   {"int16", Type::I16},
        {"ushort", Type::U16}, {"uint16", Type::U16},  {"int", Type::I32},
        {"int32", Type::I32},  {"uint", Type::U32},    {"uint32", Type::U32},
        {"float", Type::F32},  {"float32", Type::F32}, {"double", Type::F64},
        {"float64", Type::F64}};
    for (const auto& [known, type] : names)
        if (known == name) return type;
    words.fail(fmt::format("unknown type '{}'", name.substr(0, 20)));
}

Header read_header(Words& words) {
    Header header;
    if (words.next() != "ply") words.fail("this is not a PLY file");
    for (bool has_format = false;;) {
        if (!words.next_line()) words.fail("the header has no end; the file was cut off");
        const std::string_view key = words.next();
        if (key == "format") {
            const std::string_view kind = words.next();
            header.text = kind == "ascii";
            const bool little = kind == "binary_little_endian", big = kind == "binary_big_endian";
            if (!header.text && !little && !big)
                words.fail(fmt::format("unknown format '{}'", kind.substr(0, 30)));
            header.swap = (std::endian::native == std::endian::little) ? big : little;
            has_format = true;
        } else if (key == "element") {
            Element element;
            element.name = words.next();
            element.count = words.number<std::uint64_t>(words.next());
            header.elements.push_back(element);
        } else if (key == "property") {
            if (header.elements.empty()) words.fail("a property before any element");
            Property p;
            std::string_view type = words.next();
            if (type == "list") {
                p.is_list = true;
                p.count_type = type_of(words, words.next());
                type = words.next();
            }
            p.type = type_of(words, type);
            p.name = words.next();
            header.elements.back().properties.push_back(p);
        } else if (key == "end_header") {
            if (!has_format) words.fail("the header states no format");
            words.next_line();
            return header;
        }  // "comment" and "obj_info"
    }
}

/// The values after the header, one after the other.
class Values {
public:
    Values(const Header& header, Words words)
        : text_(header.text), swap_(header.swap), words_(words), rest_(words.rest()) {}

    double next(Type type) {
        if (text_) {
            const std::string_view word = words_.next_anywhere();
            if (word.empty()) throw InputError("ends before all its values; it was cut off");
            return words_.number<double>(word);
        }
        switch (type) {
            case Type::I8:
                return take<std::int8_t>();
            case Type::U8:
                return take<std::uint8_t>();
            case Type::I16:
                return take<std::int16_t>();
            case Type::U16:
                return take<std::uint16_t>();
            case Type::I32:
                return take<std::int32_t>();
            case Type::U32:
                return take<std::uint32_t>();
            case Type::F32:
                return take<float>();
            case Type::F64:
                return take<double>();
        }
        return 0;
    }
    /// No more values than this can follow: each takes a byte at least.
    std::uint64_t left() const { return text_ ? words_.rest().size() : rest_.size(); }

private:
    template <class T>
    double take() {
        if (rest_.size() < sizeof(T))
            throw InputError("ends before all its values; it was cut off");
        char raw[sizeof(T)];
        std::memcpy(raw, rest_.data(), sizeof(T));
        rest_.remove_prefix(sizeof(T));
        if (swap_) std::reverse(raw, raw + sizeof(T));
        T value;
        std::memcpy(&value, raw, sizeof(T));
        return static_cast<double>(value);
    }
    bool text_, swap_;
    Words words_;
    std::string_view rest_;
};

std::uint64_t list_size(double n, const Values& values) {
    if (!(n >= 0 && n <= static_cast<double>(values.left())))
        throw InputError("a list is longer than the file; it is damaged or was cut off");
    return static_cast<std::uint64_t>(n);
}

void read_element(const Element& element, Values& values,
                  std::vector<std::vector<std::uint32_t>>& faces, TriangleMesh& mesh) {
    if (element.properties.empty()) return;  // takes no bytes, however many there are
    if (element.count > values.left() + 1)
        throw InputError(
            fmt::format("promises {} of '{}' but is too short for them; it was cut off",
                        element.count, element.name.substr(0, 20)));
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    for (std::uint64_t i = 0; i < element.count; ++i) {
        Point<3> point = Point<3>::filled(std::numeric_limits<double>::quiet_NaN());
        for (const Property& p : element.properties) {
            if (!p.is_list) {
                const double value = values.next(p.type);
                if (is_vertex && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z')
                    point[p.name[0] - 'x'] = value;
                continue;
            }
            const std::uint64_t n = list_size(values.next(p.count_type), values);
            const bool is_corners =
                is_face && (p.name == "vertex_indices" || p.name == "vertex_index");
            std::vector<std::uint32_t> corners;
            for (std::uint64_t k = 0; k < n; ++k) {
                const double value = values.next(p.type);
                if (!is_corners) continue;
                if (!(value >= 0 && value < 4294967296.0 && value == std::floor(value)))
                    throw InputError(fmt::format("face {} names vertex {}", i, value));
                corners.push_back(static_cast<std::uint32_t>(value));
            }
            if (is_corners) faces.push_back(std::move(corners));
        }
        if (is_vertex) mesh.vertices.push_back(point);
    }
}

}  // namespace

TriangleMesh read_ply(std::string_view bytes) {
    Words words(bytes);
    const Header header = read_header(words);
    Values values(header, words);
    TriangleMesh mesh;
    std::vector<std::vector<std::uint32_t>> faces;  // an element may come before the vertices
    for (const Element& element : header.elements) read_element(element, values, faces, mesh);
    for (const auto& corners : faces) {
        for (const auto corner : corners)
            if (corner >= mesh.vertices.size())
                throw InputError(
                    fmt::format("a face names vertex {} of {}", corner, mesh.vertices.size()));
        add_polygon(corners, mesh);
    }
    return mesh;
}

}  // namespace slosh
