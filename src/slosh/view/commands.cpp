#include "slosh/view/commands.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "slosh/base/error.h"
#include "slosh/scene/json.h"

namespace slosh::view {
namespace {

constexpr double kFar = 1e6;          ///< No coordinate, speed or angle is larger. m, m/s, degrees
constexpr std::size_t kLongest = 64;  ///< Of a text. Bytes
constexpr std::size_t kMostValues = 32;  ///< Of "set".

/// Reads the members of a message, and knows which were asked for.
class Members {
public:
    explicit Members(const Json& message) : message_(message) {}

    std::string text(const char* key) {
        const Json& j = member(key, Json::Kind::Text, "text");
        if (j.text.empty() || j.text.size() > kLongest) fail(key, "a text of 1 to 64 bytes");
        return j.text;
    }
    bool flag(const char* key) { return member(key, Json::Kind::Flag, "true or false").flag; }
    double number(const char* key, double low, double high) {
        const Json& j = member(key, Json::Kind::Number, "a number");
        return in_range(key, j, low, high);
    }
    int whole(const char* key, int low, int high) {
        const double x = number(key, low, high);
        if (x != std::floor(x)) fail(key, "a whole number");
        return int(x);
    }
    Point<3> point(const char* key) {
        const Json& j = member(key, Json::Kind::List, "a list of three numbers");
        if (j.items.size() != 3) fail(key, "a list of three numbers");
        Point<3> x;
        for (int d = 0; d < 3; ++d) {
            if (j.items[d].kind != Json::Kind::Number) fail(key, "a list of three numbers");
            x[d] = in_range(key, j.items[d], -kFar, kFar);
        }
        return x;
    }
    std::vector<std::pair<std::string, std::string>> values(const char* key) {
        const Json& j = member(key, Json::Kind::Object, "an object");
        std::vector<std::pair<std::string, std::string>> all;
        if (j.members.size() > kMostValues) fail(key, "an object of at most 32 values");
        for (const Json::Member& m : j.members) {
            const bool plain =
                m.value.kind == Json::Kind::Number || m.value.kind == Json::Kind::Flag ||
                (m.value.kind == Json::Kind::Text && m.value.text.size() <= kLongest);
            if (!plain || m.key.size() > kLongest) fail(key, "numbers, flags and short texts");
            all.emplace_back(m.key, write_json_compact(m.value));
        }
        return all;
    }
    void finish() const {
        if (message_.members.size() != asked_ + 1)
            throw InputError("a message has keys that its word does not have");
    }

private:
    const Json& member(const char* key, Json::Kind kind, const char* what) {
        ++asked_;
        const Json* found = message_.find(key);
        if (!found || found->kind != kind) fail(key, what);
        return *found;
    }
    double in_range(const char* key, const Json& j, double low, double high) const {
        if (!(j.number >= low && j.number <= high))
            fail(key, fmt::format("from {:g} to {:g}", low, high));
        return j.number;
    }
    [[noreturn]] void fail(const char* key, const std::string& what) const {
        throw InputError(fmt::format("\"{}\" of a message must be {}", key, what));
    }
    const Json& message_;
    std::size_t asked_ = 0;
};

struct Word {
    const char* word;
    Do what;
    void (*read)(Members&, Command&);
};

void nothing(Members&, Command&) {}
void jet(Members& m, Command& c) {
    c.at = m.point("at");
    c.vector = m.point("velocity");
    c.radius = m.number("radius", 1e-9, kFar);
}

const Word kWords[] = {
    {"play", Do::Play, nothing},
    {"pause", Do::Pause, nothing},
    {"step", Do::Step, nothing},
    {"reset", Do::Reset, nothing},
    {"seek", Do::Seek, [](Members& m, Command& c) { c.number = m.whole("frame", 1, 1000000); }},
    {"scene", Do::Scene, [](Members& m, Command& c) { c.name = m.text("name"); }},
    {"set", Do::Set, [](Members& m, Command& c) { c.values = m.values("values"); }},
    {"walls", Do::Walls,
     [](Members& m, Command& c) {
         c.name = m.text("separation");
         c.solver = m.text("solver");
     }},
    {"compare", Do::Compare, [](Members& m, Command& c) { c.on = m.flag("on"); }},
    {"points", Do::Points, [](Members& m, Command& c) { c.on = m.flag("on"); }},
    {"drag", Do::Drag,
     [](Members& m, Command& c) {
         c.number = m.whole("body", 0, 1000000);
         c.at = m.point("grab");
         c.vector = m.point("target");
     }},
    {"pour", Do::Pour, jet},
    {"push", Do::Push, jet},
    {"release", Do::Release, nothing},
    {"tilt", Do::Tilt, [](Members& m, Command& c) { c.vector = m.point("degrees"); }},
    {"shake", Do::Shake, nothing},
    {"video", Do::Video, nothing},
    {"take", Do::Take, nothing},
};

}  // namespace

Command parse_command(std::string_view text) {
    static const auto source = std::make_shared<JsonSource>(JsonSource{"message", "", false});
    const Json message = parse_json(text, source);
    const Json* word = message.kind == Json::Kind::Object ? message.find("do") : nullptr;
    if (!word || word->kind != Json::Kind::Text)
        throw InputError("a message must be an object with a text \"do\"");
    for (const Word& w : kWords) {
        if (word->text != w.word) continue;
        Command command;
        command.what = w.what;
        Members members(message);
        w.read(members, command);
        members.finish();
        return command;
    }
    throw InputError("a message asks for " + in_quotes(word->text) + ", which nobody knows");
}

}  // namespace slosh::view
