#include "slosh/cache/stats.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace slosh {

namespace {

constexpr std::string_view kStart = R"({"frame":)";

std::string number(double x) {
    return std::isfinite(x) ? fmt::format("{}", x) : "null";
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", c);
        else
            out += c;
    }
    return out + '"';
}

/// The pressure at the scene's probes, if it has any.
std::string probes(const std::vector<double>& pressure) {
    if (pressure.empty()) return "";
    std::string list;
    for (const double p : pressure) list += fmt::format("{}{}", list.empty() ? "" : ",", number(p));
    return fmt::format("\"probe_pressure\":[{}],", list);
}

std::string vector(const Point<3>& v) {
    return fmt::format("[{},{},{}]", number(v[0]), number(v[1]), number(v[2]));
}

/// What the liquid does to the bodies, if there are any.
std::string bodies(const StepReport& r) {
    if (r.bodies.empty()) return "";
    std::string list;
    for (const BodyReport& b : r.bodies)
        list += fmt::format("{}{{\"force\":{},\"torque\":{}}}", list.empty() ? "" : ",",
                            vector(b.force), vector(b.torque));
    return fmt::format("\"body_kinetic_energy\":{},\"body_potential_energy\":{},\"bodies\":[{}],",
                       number(r.body_kinetic_energy), number(r.body_potential_energy), list);
}

/// The viscous solve, if there was one.
std::string viscosity(const SolveReport& r) {
    if (r.unknowns == 0) return "";
    return fmt::format(
        "\"viscosity\":{{\"unknowns\":{},\"iterations\":{},\"relative_residual\":{}}},", r.unknowns,
        r.iterations, number(r.relative_residual));
}

/// Constraints between particles, if there were any.
std::string spacing(const SpacingReport& r) {
    if (r.max_density == 0) return "";
    return fmt::format("\"spacing\":{{\"iterations\":{},\"max_density\":{},\"converged\":{}}},",
                       r.iterations, number(r.max_density), r.converged);
}

}  // namespace

std::string stats_line(const StepReport& r, int frame, std::size_t substep) {
    std::string line = fmt::format(
        "{}{},\"substep\":{},\"time\":{},\"dt\":{},\"accepted\":{},\"solver\":{},\"iterations\":{},"
        "\"residual\":{},\"relative_residual\":{},\"converged\":{},\"unknowns\":{},\"pockets\":{},"
        "\"squeezed\":{},"
        "\"volume\":{},\"kinetic_energy\":{},\"potential_energy\":{},\"max_speed\":{},"
        "\"particles\":{},\"emitted\":{},\"drained\":{},\"left_inside\":{},\"blocks\":{},"
        "\"liquid_cells\":{},{}{}{}{}\"bytes\":{},\"seconds\":{{",
        kStart, frame, substep, number(r.time), number(r.dt), r.accepted, json_string(r.solver),
        r.pressure.iterations, number(r.pressure.residual), number(r.pressure.relative_residual),
        r.pressure.converged, r.pressure.unknowns, r.pressure.pockets, number(r.squeezed),
        number(r.volume), number(r.kinetic_energy), number(r.potential_energy), number(r.max_speed),
        r.particles, r.emitted, r.drained, r.left_inside, r.blocks, r.liquid_cells,
        probes(r.probe_pressure), bodies(r), viscosity(r.viscosity), spacing(r.spacing),
        r.peak_bytes);
    for (const StageTime& s : r.times.stages())
        line += fmt::format("{}:{{\"wall\":{},\"cpu\":{}}},", json_string(s.name), number(s.wall),
                            number(s.cpu));
    return line + fmt::format("\"total\":{{\"wall\":{},\"cpu\":{}}}}}}}", number(r.times.wall()),
                              number(r.times.cpu()));
}

std::size_t stats_bytes_up_to(std::string_view text, int last_frame) {
    std::size_t kept = 0;
    while (true) {
        const std::size_t end = text.find('\n', kept);
        if (end == std::string_view::npos) return kept;  // a line without an end was cut off
        const std::string_view line = text.substr(kept, end - kept);
        if (!line.starts_with(kStart) || !line.ends_with("}")) return kept;
        int frame = 0;
        const char* digits = line.data() + kStart.size();
        if (std::from_chars(digits, line.data() + line.size(), frame).ec != std::errc() ||
            frame > last_frame)
            return kept;
        kept = end + 1;
    }
}

}  // namespace slosh
