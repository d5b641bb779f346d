#include "slosh/scene/overrides.h"

#include <fmt/format.h>

#include <cctype>

#include "slosh/base/error.h"
#include "slosh/scene/cursor.h"

namespace slosh {
namespace {

struct Step {
    std::string key;  ///< Of an object; empty for a list item.
    std::size_t index = 0;
};

[[noreturn]] void fail(const JsonSource& source, const std::string& what) {
    throw InputError(source.name + ": " + what);
}

std::vector<Step> parse_path(const JsonSource& source, std::string path) {
    const std::string help = "; a path looks like render.fov or solids[1].shape.radius";
    if (path.starts_with("$.")) path = path.substr(2);
    std::vector<Step> steps;
    std::size_t i = 0;
    while (i < path.size()) {
        if (path[i] == '[') {
            const std::size_t end = path.find(']', i);
            std::size_t index = 0;
            bool good = end != std::string::npos && end > i + 1 && end < i + 8;
            for (std::size_t k = i + 1; good && k < end; ++k) {
                good = std::isdigit(static_cast<unsigned char>(path[k]));
                index = index * 10 + std::size_t(path[k] - '0');
            }
            if (!good) fail(source, "broken index in the path" + help);
            steps.push_back({"", index});
            i = end + 1;
            if (i < path.size() && path[i] == '.')
                ++i;
            else if (i < path.size() && path[i] != '[')
                fail(source, "broken path" + help);
            continue;
        }
        const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
        if (end == i) fail(source, "empty key in the path" + help);
        steps.push_back({path.substr(i, end - i), 0});
        i = end + (end < path.size() && path[end] == '.');
        if (i == path.size() && path[end < path.size() ? end : end - 1] == '.')
            fail(source, "the path ends in '.'" + help);
    }
    if (steps.empty() || steps.front().key.empty()) fail(source, "no key before '='" + help);
    if (steps.size() > std::size_t(kMaxDepth)) fail(source, "the path is too deep" + help);
    return steps;
}

Json parse_value(const JsonSourcePtr& source, const std::string& text) {
    try {
        return parse_json(text, source);
    } catch (const InputError&) {
        // What looks like JSON but is broken was surely meant as JSON.
        const std::size_t first = text.find_first_not_of(" \t");
        if (first != std::string::npos &&
            std::string_view("[{\"").find(text[first]) != std::string::npos)
            throw;
        // Plain text; read as a JSON text, so that it must be UTF-8 like any other.
        return parse_json(write_json_compact(Json(text)), source);
    }
}

}  // namespace

void apply_override(Json& document, const std::string& assignment) {
    auto source = std::make_shared<JsonSource>();
    const std::string shown = in_quotes(assignment);
    source->name = "--set " + shown.substr(1, shown.size() - 2);
    source->has_lines = false;

    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) fail(*source, "'=' is missing; write --set key=value");
    const std::vector<Step> steps = parse_path(*source, assignment.substr(0, equals));
    Json value = parse_value(source, assignment.substr(equals + 1));

    Json* at = &document;
    std::string path = "$";
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (step.key.empty()) {
            if (at->kind != Json::Kind::List)
                fail(*source, fmt::format("{}: [{}] needs a list, but there is {}", path,
                                          step.index, kind_word(at->kind)));
            if (step.index >= at->items.size())
                fail(*source, fmt::format("{}: there is no item {}; the list has {}", path,
                                          step.index, at->items.size()));
            at = &at->items[step.index];
            path += fmt::format("[{}]", step.index);
            continue;
        }
        if (at->kind != Json::Kind::Object)
            fail(*source, fmt::format("{}: key {} needs an object, but there is {}", path,
                                      in_quotes(step.key), kind_word(at->kind)));
        Json* next = at->find(step.key);
        if (!next) {
            Json fresh = Json::object();
            fresh.source = source;
            next = &at->set(step.key, std::move(fresh));
        }
        at = next;
        path += path_step(step.key);
    }
    *at = std::move(value);
}

}  // namespace slosh
