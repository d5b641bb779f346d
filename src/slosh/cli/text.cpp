#include "slosh/cli/text.h"

#include <fmt/format.h>

#include <cmath>

namespace slosh::cli {
namespace {

// Three digits and the unit that fits.
std::string scaled(double x, double step, const char* const* units, int count) {
    int i = 0;
    while (std::abs(x) >= 999.5 && i + 1 < count) x /= step, ++i;
    const int digits = i == 0 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}{}", x, digits, units[i]);
}

}  // namespace

std::string format_count(double n) {
    static const char* const units[] = {"", " k", " M", " G"};
    return scaled(n, 1000, units, 4);
}

std::string format_bytes(double bytes) {
    static const char* const units[] = {" B", " kB", " MB", " GB", " TB"};
    return scaled(bytes, 1000, units, 5);
}

std::string format_seconds(double seconds) {
    if (seconds < 0.0005) return "0 s";
    if (seconds < 0.0995) return fmt::format("{:.3f} s", seconds);
    if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
    const long s = std::lround(seconds);
    if (s < 100) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
    return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

}  // namespace slosh::cli
