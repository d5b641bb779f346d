#include "slosh/cache/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

namespace {

constexpr int kFormat = 1;
using Json = nlohmann::ordered_json;

}  // namespace

std::string frame_file(const std::string& pattern, int frame) {
    const std::size_t at = pattern.rfind("%04d");
    SLOSH_EXPECT(at != std::string::npos);
    return fmt::format("{}{:04d}{}", pattern.substr(0, at), frame, pattern.substr(at + 4));
}

std::string to_json(const Manifest& m) {
    Json files = Json::array();
    for (const FileSeries& f : m.files)
        files.push_back(
            Json{{"pattern", f.pattern}, {"first", f.first}, {"last", f.last}, {"count", f.count}});
    const Json json{
        {"format", kFormat},
        {"program", m.program},
        {"scene", m.scene},
        {"scene_hash", fmt::format("{:016x}", m.scene_hash)},
        {"dim", m.dim},
        {"fps", m.fps},
        {"grid", Json{{"origin", m.origin}, {"dx", m.dx}, {"cells", m.cells}}},
        {"units", Json{{"length", "m"}, {"time", "s"}, {"velocity", "m/s"}}},
        {"frames", m.frames},
        {"files", files},
    };
    // A scene's name may come from a file name that is not UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest read_manifest(const std::string& directory) {
    const std::string path = directory + "/manifest.json";
    const std::string text = read_file(path);
    try {
        const Json json = Json::parse(text);
        if (json.at("format").get<int>() > kFormat)
            throw InputError(fmt::format("cannot read {}: written by a newer slosh ({})", path,
                                         json.value("program", "?")));
        Manifest m;
        m.program = json.at("program").get<std::string>();
        m.scene = json.at("scene").get<std::string>();
        m.scene_hash = std::stoull(json.at("scene_hash").get<std::string>(), nullptr, 16);
        m.dim = json.at("dim").get<int>();
        m.fps = json.at("fps").get<double>();
        const Json& grid = json.at("grid");
        m.origin = grid.at("origin").get<std::vector<double>>();
        m.dx = grid.at("dx").get<double>();
        m.cells = grid.at("cells").get<std::vector<int>>();
        m.frames = json.at("frames").get<int>();
        for (const Json& f : json.at("files"))
            m.files.push_back({f.at("pattern").get<std::string>(), f.at("first").get<int>(),
                               f.at("last").get<int>(), f.at("count").get<int>()});
        for (const FileSeries& f : m.files)
            if (f.pattern.find("%04d") == std::string::npos || f.first < 1 || f.last < f.first)
                throw InputError(fmt::format("cannot read {}: it is damaged", path));
        const auto dim = static_cast<std::size_t>(m.dim);
        if ((m.dim != 2 && m.dim != 3) || m.origin.size() != dim || m.cells.size() != dim ||
            !(m.fps > 0) || !(m.dx > 0))
            throw InputError(fmt::format("cannot read {}: it is damaged", path));
        return m;
    } catch (const Error&) {
        throw;
    } catch (const std::exception&) {  // whatever the JSON library or stoull found
        throw InputError(fmt::format("cannot read {}: it is damaged", path));
    }
}

}  // namespace slosh
