#include "slosh/cli/bench_lcp_paper.h"

#include <algorithm>

#include "slosh/base/error.h"

namespace slosh::cli {

namespace {

using Kind = PaperTable::Kind;
using Words = std::vector<std::string>;

const std::vector<PaperTable>& tables() {
    static const Words lcp = {"fas",        "policy-pcg", "policy-mg", "penalty-pcg",
                              "penalty-mg", "fmg",        "newton"};
    static const Words with_linear = [] {
        Words w = lcp;
        w.push_back("linear-mic");
        return w;
    }();
    static const Words outer = {"policy-pcg", "policy-mg", "penalty-pcg", "penalty-mg", "newton"};
    static const Words variants = {"fas", "fas-trilinear", "fas-constant", "fas-simple",
                                   "fas-direct"};
    static const std::vector<PaperTable> all = {
        {"6.1",
         Kind::Run,
         "iterations",
         "circle",
         100,
         with_linear,
         {{32, {7.45, 16.9, 7.59, 16.87, 7.99, 20.38, 92.11, 15.99}},
          {64, {10.39, 36.02, 9.74, 36.07, 12.58, 35.4, 336.17, 30.73}},
          {128, {14.07, 70.63, 11.89, 70.58, 17.6, 65.37, 947.23, 55.91}},
          {256, {18.26, 123.61, 14.51, 122.42, 21.98, 109.54, 2283.65, 93.2}}}},
        {"6.2",
         Kind::Run,
         "iterations",
         "sphere",
         100,
         with_linear,
         {{32, {9.75, 29.9, 12.12, 30.16, 13.93, 22.21, 1901.69, 20.14}},
          {64, {10.44, 70.92, 14.66, 71.34, 19.11, 39.81, 3890.08, 39.57}},
          {128, {11.94, 132.56, 17.61, 133.53, 24.57, 61.12, 10879.01, 62.26}},
          {256, {14.02, 251.88, 20.71, 252.28, 28.84, 89.89, kNotGiven, 100.78}}}},
        {"6.3",
         Kind::Run,
         "iterations",
         "maze",
         100,
         lcp,
         {{32, {4.41, 9.74, 8.11, 9.5, 7.67, 6.89, 87.2}},
          {64, {7.07, 15.52, 10.55, 15.75, 10.11, 10.71, 195.5}},
          {128, {5.83, 31.29, 13.52, 31.9, 12.91, 34.13, 450.21}}}},
        {"6.4",
         Kind::Frame,
         "iterations",
         "sphere",
         10,
         lcp,
         {{32, {7, 139, 10, 146, 21, 29, 2773}},
          {64, {8, 282, 9, 301, 18, 61, 5837}},
          {128, {8, 593, 10, 657, 24, 128, 18680}},
          {256, {9, 1263, 14, 1255, 28, 234, 38547}}}},
        {"6.5",
         Kind::Frame,
         "iterations",
         "sphere_cuboid",
         70,
         lcp,
         {{32, {6, 149, 11, 161, 18, 35, 2634}},
          {64, {7, 308, 18, 336, 29, 43, 11122}},
          {128, {8, 503, 22, 548, 40, 63, 50162}},
          {256, {9, 1186, 43, 1313, 89, 103, 95823}}}},
        {"6.6",
         Kind::Frame,
         "iterations",
         "hollow_spheres",
         10,
         lcp,
         {{32, {7, 80, 14, 85, 23, 15, 1430}},
          {64, {15, 182, 37, 203, 57, 43, 9219}},
          {128, {9, 421, 34, 446, 90, 67, 46491}},
          {256, {12, 762, 24, 887, 60, 175, 122080}}}},
        {"6.7",
         Kind::Run,
         "outer",
         "circle",
         100,
         outer,
         {{32, {1.12, 1.12, 1.12, 1.23, 0.94}},
          {64, {1.25, 1.25, 1.25, 1.43, 1.71}},
          {128, {1.34, 1.34, 1.35, 1.58, 2.08}},
          {256, {1.43, 1.43, 1.41, 1.63, 2.34}}}},
        {"6.8",
         Kind::Run,
         "outer",
         "sphere",
         100,
         outer,
         {{32, {1.47, 1.47, 1.49, 1.53, 2.04}},
          {64, {1.78, 1.76, 1.79, 1.77, 2.57}},
          {128, {2.1, 2.12, 2.12, 2.19, 2.91}},
          {256, {2.48, 2.52, 2.48, 2.49, kNotGiven}}}},
        {"6.9",
         Kind::Run,
         "seconds",
         "circle",
         100,
         with_linear,
         {{32, {0.0021, 0.00054, 0.0028, 0.00055, 0.0025, 0.0026, 0.002, 0.00048}},
          {64, {0.0082, 0.0034, 0.0086, 0.0033, 0.0075, 0.022, 0.024, 0.0029}},
          {128, {0.029, 0.02, 0.03, 0.021, 0.028, 0.17, 0.24, 0.016}},
          {256, {0.13, 0.15, 0.12, 0.13, 0.13, 1.25, 2.59, 0.098}}}},
        {"6.10",
         Kind::Run,
         "seconds",
         "sphere",
         100,
         with_linear,
         {{32, {0.037, 0.014, 0.036, 0.015, 0.036, 0.076, 0.98, 0.0074}},
          {64, {0.25, 0.2, 0.33, 0.2, 0.37, 1.68, 25.38, 0.09}},
          {128, {2.15, 2.64, 2.82, 2.82, 4.28, 30.24, 637.67, 1.15}},
          {256, {16.78, 36.96, 24.58, 37.82, 47.38, 510.71, kNotGiven, 14.24}}}},
        {"6.11",
         Kind::Run,
         "seconds",
         "maze",
         100,
         lcp,
         {{32, {0.016, 0.0042, 0.032, 0.004, 0.029, 0.017, 0.41}},
          {64, {0.092, 0.018, 0.15, 0.018, 0.12, 0.1, 3.5}},
          {128, {0.38, 0.1, 0.7, 0.11, 0.53, 1.21, 31.35}}}},
        {"6.12",
         Kind::Frame,
         "iterations",
         "sphere",
         10,
         variants,
         {{32, {7, 6, 47, 6, 65}},
          {64, {8, 8, 112, 32, 171}},
          {128, {8, 8, 268, kDiverged, kDiverged}},
          {256, {9, 9, 616, kDiverged, kDiverged}}}},
        {"1", Kind::Speed, "seconds", "", 0, {}, {}},
    };
    return all;
}

}  // namespace

const PaperTable& paper_table(const std::string& id) {
    std::string list;
    for (const PaperTable& table : tables()) {
        if (table.id == id) return table;
        list += (list.empty() ? "" : ", ") + table.id;
    }
    throw InputError("unknown table '" + id + "'; there are " + list);
}

Json paper_value(const std::string& id, const std::string& solver, int n) {
    if (id.empty()) return {};
    const PaperTable& table = paper_table(id);
    const std::string word = solver.substr(0, solver.find("-exact"));
    const auto column = std::find(table.solvers.begin(), table.solvers.end(), word);
    if (column == table.solvers.end()) return {};
    for (const PaperTable::Row& row : table.rows) {
        if (row.n != n) continue;
        const double value = row.values[static_cast<std::size_t>(column - table.solvers.begin())];
        if (value == kDiverged) return "diverged";
        return value == kNotGiven ? Json() : Json(value);
    }
    return {};
}

const PaperTable* paper_frame(const std::string& scene) {
    for (const PaperTable& table : tables())
        if (table.kind == Kind::Frame && table.scene == scene) return &table;
    return nullptr;
}

const std::vector<PaperSpeed>& paper_speeds() {
    static const std::vector<PaperSpeed> all = {{"ball_box", 64, 19.00, 21.26},
                                                {"dambreak_box", 64, 18.89, 21.17},
                                                {"rotated_box", 128, 109.78, 122.97},
                                                {"dambreak_sphere", 128, 109.67, 122.58}};
    return all;
}

}  // namespace slosh::cli
