// Three kinds of chart as small SVG files: lines over a logarithmic axis, curves and marks over
// plain axes, and grouped bars.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace slosh::cli {

struct ChartText {
    std::string title, x, y;
};

struct ChartLine {
    std::string name;
    std::vector<double>
        values;  ///< At x = 0, 1, 2 ...; those not positive and finite are left out.
};
/// Lines over a logarithmic y axis with a tick at each power of ten.
std::string log_chart(const ChartText& text, const std::vector<ChartLine>& lines);

struct ChartPoint {
    double x, y;
};
struct ChartCurve {
    std::string name;
    std::vector<ChartPoint> points;  ///< Points that are not finite are left out.
    bool marks = false;              ///< Dots instead of a line: measured data.
};
/// Curves over axes that start at zero, or below if points lie there.
std::string curve_chart(const ChartText& text, const std::vector<ChartCurve>& curves);

struct ChartBars {
    std::string name;
    std::map<int, int> counts;
};
/// A group of bars at each whole number, one for each of `bars`.
std::string bar_chart(const ChartText& text, const std::vector<ChartBars>& bars);

}  // namespace slosh::cli
