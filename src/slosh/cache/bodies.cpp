#include "slosh/cache/bodies.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

namespace {

template <int N>
std::string list(const Point<N>& v) {
    std::string out;
    for (int d = 0; d < N; ++d) out += fmt::format("{}{}", d ? ", " : "", v[d]);
    return "[" + out + "]";
}

template <int D>
std::string rows(const Mat<D>& m) {
    std::string out;
    for (int d = 0; d < D; ++d) out += (d ? ", " : "") + list(m.row[d]);
    return "[" + out + "]";
}

template <int D>
Point<D> point(const nlohmann::json& j) {
    if (j.size() != D) throw InputError("of another dimension");
    Point<D> x;
    for (int d = 0; d < D; ++d) x[d] = j.at(d).get<double>();
    return x;
}

}  // namespace

template <int D>
std::size_t write_bodies(const std::string& path, double time,
                         const std::vector<Transform<D>>& placements,
                         const std::vector<BodyState<D>>& states) {
    std::string text = fmt::format("{{\"time\": {}, \"bodies\": [", time);
    for (std::size_t n = 0; n < states.size(); ++n)
        text += fmt::format(
            "{}\n{{\"rotation\": {}, \"translation\": {}, \"position\": {}, \"velocity\": {}, "
            "\"spin\": {}}}",
            n ? "," : "", rows(placements[n].rotation), list(placements[n].translation),
            list(states[n].position), list(states[n].velocity), list(states[n].spin));
    text += "\n]}\n";
    AtomicFile file(path);
    file.write(text.data(), text.size());
    file.commit();
    return text.size();
}

template <int D>
std::vector<Transform<D>> read_bodies(const std::string& path) {
    try {
        const auto json = nlohmann::json::parse(read_file(path));
        std::vector<Transform<D>> out;
        for (const auto& b : json.at("bodies")) {
            Transform<D> t;
            t.translation = point<D>(b.at("translation"));
            for (int d = 0; d < D; ++d) t.rotation.row[d] = point<D>(b.at("rotation").at(d));
            out.push_back(t);
        }
        return out;
    } catch (const nlohmann::json::exception& e) {
        throw InputError(fmt::format("cannot read {}: {}", path, e.what()));
    } catch (const InputError& e) {
        throw InputError(fmt::format("cannot read {}: {}", path, e.what()));
    }
}

#define SLOSH_INSTANTIATE(D)                                                \
    template std::size_t write_bodies<D>(const std::string&, double,        \
                                         const std::vector<Transform<D>>&,  \
                                         const std::vector<BodyState<D>>&); \
    template std::vector<Transform<D>> read_bodies<D>(const std::string&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
