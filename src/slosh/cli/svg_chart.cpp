#include "slosh/cli/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slosh::cli {

namespace {

constexpr double kWidth = 720, kHeight = 440, kLeft = 76, kRight = 560, kTop = 44, kBottom = 384;
// Distinct also for the colour-blind [Okabe and Ito].
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000", "#8a6d3b"};

const char* colour(std::size_t i) {
    return kColours[i % std::size(kColours)];
}

std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    return out;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       anchor, escaped(text));
}

std::string line(double x0, double y0, double x1, double y1, const char* stroke) {
    return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", x0, y0, x1, y1,
                       stroke);
}

/// A step of 1, 2 or 5 times a power of ten that makes about `ticks` of them over `range`.
double round_step(double range, int ticks) {
    const double raw = range / ticks, power = std::pow(10, std::floor(std::log10(raw)));
    for (double m : {1.0, 2.0, 5.0})
        if (m * power >= raw) return m * power;
    return 10 * power;
}

/// The same for things that are counted.
double tick_step(double last, int ticks) {
    return std::max(round_step(std::max(last, 1.0), ticks), 1.0);
}

/// Background, frame and words; the rest is drawn over it.
std::string head(const ChartText& text) {
    std::string s = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"none\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n<g fill=\"#222\">\n",
        kWidth, kHeight);
    s += text_at((kLeft + kRight) / 2, 26, text.title, "middle");
    s += text_at((kLeft + kRight) / 2, kBottom + 42, text.x, "middle");
    const double middle = (kTop + kBottom) / 2;
    s += fmt::format(
        "<text transform=\"rotate(-90 18 {0})\" x=\"18\" y=\"{0}\" "
        "text-anchor=\"middle\">{1}</text>\n</g>\n",
        middle, escaped(text.y));
    return s;
}

std::string frame() {
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" stroke=\"#222\"/>\n",
                       kLeft, kTop, kRight - kLeft, kBottom - kTop);
}

std::string legend(std::size_t i, const std::string& name) {
    const double y = kTop + 12 + 22 * static_cast<double>(i);
    return fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"18\" height=\"4\" fill=\"{}\"/>\n",
                       kRight + 12, y - 2, colour(i)) +
           "<g fill=\"#222\">" + text_at(kRight + 36, y + 4, name) + "</g>\n";
}

}  // namespace

std::string log_chart(const ChartText& text, const std::vector<ChartLine>& lines) {
    const auto fit = [](double v) { return std::isfinite(v) && v > 0; };
    double longest = 1, low = 1e300, high = 0;
    for (const ChartLine& l : lines) {
        longest = std::max(longest, static_cast<double>(l.values.size()) - 1);
        for (double v : l.values)
            if (fit(v)) low = std::min(low, v), high = std::max(high, v);
    }
    if (high == 0) low = 0.1, high = 1;
    const double first = std::floor(std::log10(low)),
                 last = std::max(std::ceil(std::log10(high)), first + 1);
    const auto x_of = [&](double x) { return kLeft + (kRight - kLeft) * x / longest; };
    const auto y_of = [&](double v) {
        return kBottom - (kBottom - kTop) * (std::log10(v) - first) / (last - first);
    };

    std::string s = head(text);
    for (double e = first; e <= last; ++e) {
        const double y = y_of(std::pow(10, e));
        s += line(kLeft, y, kRight, y, "#ddd");
        s += "<g fill=\"#222\">" + text_at(kLeft - 8, y + 4, fmt::format("1e{:.0f}", e), "end") +
             "</g>\n";
    }
    for (double x = 0; x <= longest; x += tick_step(longest, 8)) {
        s += line(x_of(x), kBottom, x_of(x), kBottom + 5, "#222");
        s += "<g fill=\"#222\">" +
             text_at(x_of(x), kBottom + 20, fmt::format("{:.0f}", x), "middle") + "</g>\n";
    }
    s += frame();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string path;
        for (std::size_t k = 0; k < lines[i].values.size(); ++k)
            if (fit(lines[i].values[k]))
                path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                                    x_of(static_cast<double>(k)), y_of(lines[i].values[k]));
        if (!path.empty())
            s +=
                fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colour(i));
        s += legend(i, lines[i].name);
    }
    return s + "</svg>\n";
}

std::string curve_chart(const ChartText& text, const std::vector<ChartCurve>& curves) {
    const auto fit = [](const ChartPoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); };
    ChartPoint low{0, 0}, high{0, 0};
    for (const ChartCurve& c : curves)
        for (const ChartPoint& p : c.points)
            if (fit(p)) {
                low = {std::min(low.x, p.x), std::min(low.y, p.y)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y)};
            }
    if (high.x == low.x) high.x = low.x + 1;
    if (high.y == low.y) high.y = low.y + 1;
    const auto x_of = [&](double x) {
        return kLeft + (kRight - kLeft) * (x - low.x) / (high.x - low.x);
    };
    const auto y_of = [&](double y) {
        return kBottom - (kBottom - kTop) * (y - low.y) / (1.05 * (high.y - low.y));
    };

    std::string s = head(text);
    // + 0.0: zero, not minus zero.
    const double dx = round_step(high.x - low.x, 8), dy = round_step(high.y - low.y, 6);
    for (double k = std::ceil(low.y / dy) + 0.0; k * dy <= high.y; ++k) {
        s += line(kLeft, y_of(k * dy), kRight, y_of(k * dy), "#ddd");
        s += "<g fill=\"#222\">" +
             text_at(kLeft - 8, y_of(k * dy) + 4, fmt::format("{:.4g}", k * dy), "end") + "</g>\n";
    }
    for (double k = std::ceil(low.x / dx) + 0.0; k * dx <= high.x; ++k) {
        s += line(x_of(k * dx), kBottom, x_of(k * dx), kBottom + 5, "#222");
        s += "<g fill=\"#222\">" +
             text_at(x_of(k * dx), kBottom + 20, fmt::format("{:.4g}", k * dx), "middle") +
             "</g>\n";
    }
    s += frame();
    for (std::size_t i = 0; i < curves.size(); ++i) {
        std::string path;
        for (const ChartPoint& p : curves[i].points) {
            if (!fit(p)) continue;
            if (curves[i].marks)
                s += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                                 x_of(p.x), y_of(p.y), colour(i));
            else
                path +=
                    fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(p.x), y_of(p.y));
        }
        if (!path.empty())
            s += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path,
                             colour(i));
        s += legend(i, curves[i].name);
    }
    return s + "</svg>\n";
}

std::string bar_chart(const ChartText& text, const std::vector<ChartBars>& bars) {
    int first = 1 << 30, last = -1, most = 1;
    for (const ChartBars& b : bars)
        for (const auto& [at, count] : b.counts) {
            first = std::min(first, at);
            last = std::max(last, at);
            most = std::max(most, count);
        }
    if (last < 0) first = last = 0;
    const double slot = (kRight - kLeft) / (last - first + 1);
    const double width = 0.8 * slot / std::max<double>(1, static_cast<double>(bars.size()));
    const auto y_of = [&](double v) { return kBottom - (kBottom - kTop) * v / (1.05 * most); };

    std::string s = head(text);
    for (double v = 0; v <= most; v += tick_step(most, 6)) {
        s += line(kLeft, y_of(v), kRight, y_of(v), "#ddd");
        s += "<g fill=\"#222\">" +
             text_at(kLeft - 8, y_of(v) + 4, fmt::format("{:.0f}", v), "end") + "</g>\n";
    }
    const int step = static_cast<int>(tick_step(last - first, 12));
    for (int at = first; at <= last; at += step)
        s +=
            "<g fill=\"#222\">" +
            text_at(kLeft + slot * (at - first + 0.5), kBottom + 20, std::to_string(at), "middle") +
            "</g>\n";
    for (std::size_t i = 0; i < bars.size(); ++i) {
        for (const auto& [at, count] : bars[i].counts) {
            const double x = kLeft + slot * (at - first + 0.1) + width * static_cast<double>(i);
            s += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                "fill=\"{}\"/>\n",
                x, y_of(count), width, kBottom - y_of(count), colour(i));
        }
        s += legend(i, bars[i].name);
    }
    return s + frame() + "</svg>\n";
}

}  // namespace slosh::cli
