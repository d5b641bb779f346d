// The numbers of the two papers that `slosh bench lcp --table` reproduces: [Lai2021] tables 6.1 to
// 6.12 and [Chentanez2011] table 1.
#pragma once

#include <string>
#include <vector>

#include "slosh/scene/json.h"

namespace slosh::cli {

struct PaperTable {
    enum class Kind {
        Run,    ///< Averages over all systems of a run.
        Frame,  ///< One system.
        Speed   ///< Milliseconds with and without separation.
    };
    struct Row {
        int n;
        std::vector<double> values;  ///< One for each solver.
    };
    std::string id;
    Kind kind;
    std::string quantity;  ///< iterations, outer or seconds.
    std::string scene;
    int frames;                        ///< Length of the run, or the frame at whose start.
    std::vector<std::string> solvers;  ///< Our words for the columns.
    std::vector<Row> rows;
};

constexpr double kNotGiven = 0, kDiverged = -1;

/// InputError, naming all, if there is none of this name.
const PaperTable& paper_table(const std::string& id);
/// What table `id` says for a solver and a size: a number, "diverged", or null. A method that ends
/// in -exact is found under its plain word.
Json paper_value(const std::string& id, const std::string& solver, int n);
/// The table of single frames of this scene and its frame; null if there is none.
const PaperTable* paper_frame(const std::string& scene);

struct PaperSpeed {
    const char* scene;
    int n;
    double without, with;  ///< ms
};
/// [Chentanez2011] table 1.
const std::vector<PaperSpeed>& paper_speeds();

}  // namespace slosh::cli
