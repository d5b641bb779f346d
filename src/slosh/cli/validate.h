// Physics against references: `slosh validate [CASE...]`. A case is a function that measures and
// adds rows. Register a new one in validate_cases.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slosh/cli/commands.h"
#include "slosh/cli/svg_chart.h"

namespace slosh::cli {

struct ValidateRow {
    std::string case_name;  ///< "2a", or "4c/density=0.1".
    std::string quantity;   ///< What was measured, with its unit.
    double value = 0;
    std::optional<double> reference;
    double error = 0;  ///< Relative to the reference, or to a natural scale where that is zero.
    double tolerance = 0;
    bool pass = false;
    bool gate = true;  ///< False: only reported, with nothing to pass or fail.
};

/// Curves of a case beside what was measured or computed by others.
struct ValidateChart {
    std::string name;  ///< Of the file, without its ending.
    ChartText text;
    std::vector<ChartCurve> curves;
};

/// Collects rows, printing each as it comes, and charts.
class ValidateReport {
public:
    void add(ValidateRow row);
    /// Measured against a reference: error = |value - reference| / scale, where scale is
    /// |reference| unless another is given. Passes if the error is at most `tolerance`.
    void compare(std::string case_name, std::string quantity, double value, double reference,
                 double tolerance, double scale = 0);
    /// Measured, and set beside a reference if there is one, with nothing to pass; only a value
    /// that is no number fails.
    void tell(std::string case_name, std::string quantity, double value,
              std::optional<double> reference = {});
    void draw(ValidateChart chart) { charts_.push_back(std::move(chart)); }
    const std::vector<ValidateRow>& rows() const { return rows_; }
    const std::vector<ValidateChart>& charts() const { return charts_; }
    std::size_t gates() const;   ///< Rows that can fail.
    std::size_t passed() const;  ///< How many of them passed.

private:
    std::vector<ValidateRow> rows_;
    std::vector<ValidateChart> charts_;
};

struct ValidateCase {
    const char* name;         ///< As in the list of validation cases: 1, 2a, 4c/density=0.1.
    const char* description;  ///< One line.
    bool is_long;             ///< Takes minutes: runs only when named or with --all.
    void (*run)(ValidateReport& report);
};

/// All cases, in order.
const std::vector<ValidateCase>& validate_cases();

}  // namespace slosh::cli
