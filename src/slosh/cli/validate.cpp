#include "slosh/cli/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cli/nearest.h"
#include "slosh/scene/json.h"

namespace slosh::cli {
namespace {

// "4c" asks for 4c and for all of its sub-cases 4c/...
bool asks_for(const std::string& asked, const std::string& name) {
    return name == asked || name.rfind(asked + "/", 0) == 0;
}

std::vector<const ValidateCase*> choose_cases(const ValidateOptions& options) {
    std::vector<const ValidateCase*> chosen;
    std::vector<std::string> names;
    for (const ValidateCase& c : validate_cases()) names.push_back(c.name);
    for (const std::string& asked : options.cases)
        if (std::none_of(names.begin(), names.end(),
                         [&](const std::string& name) { return asks_for(asked, name); }))
            throw InputError("unknown case '" + asked + "'" + did_you_mean(asked, names) +
                             "; slosh validate --list names them");
    for (const ValidateCase& c : validate_cases()) {
        const bool named =
            std::any_of(options.cases.begin(), options.cases.end(),
                        [&](const std::string& asked) { return asks_for(asked, c.name); });
        if (named || (options.cases.empty() && (!c.is_long || options.all))) chosen.push_back(&c);
    }
    return chosen;
}

Json as_json(const ValidateRow& row) {
    Json json = Json::object();
    json.set("case", row.case_name);
    json.set("quantity", row.quantity);
    json.set("value", row.value);
    json.set("reference", row.reference);
    json.set("error", row.error);
    json.set("tolerance", row.tolerance);
    json.set("pass", row.pass);
    return json;
}

}  // namespace

void ValidateReport::add(ValidateRow row) {
    if (rows_.empty())
        std::printf("%-16s %-44s %12s %12s %10s %10s\n", "case", "quantity", "value", "reference",
                    "error", "tolerance");
    std::printf("%-16s %-44s %12.6g %12.6g %10.2e %10.2e %s\n", row.case_name.c_str(),
                row.quantity.c_str(), row.value, row.reference, row.error, row.tolerance,
                row.pass ? "pass" : "FAIL");
    std::fflush(stdout);
    rows_.push_back(std::move(row));
}

void ValidateReport::compare(std::string case_name, std::string quantity, double value,
                             double reference, double tolerance, double scale) {
    ValidateRow row{.case_name = std::move(case_name),
                    .quantity = std::move(quantity),
                    .value = value,
                    .reference = reference,
                    .tolerance = tolerance};
    row.error = std::abs(value - reference) / (scale > 0 ? scale : std::abs(reference));
    row.pass = row.error <= tolerance;  // false for NaN
    add(std::move(row));
}

bool ValidateReport::all_pass() const {
    return !rows_.empty() &&
           std::all_of(rows_.begin(), rows_.end(), [](const ValidateRow& row) { return row.pass; });
}

int validate(const ValidateOptions& options) {
    const auto cases = choose_cases(options);
    if (options.list) {
        for (const ValidateCase& c : validate_cases())
            std::printf("%-16s %s%s\n", c.name, c.description, c.is_long ? " (long)" : "");
        return 0;
    }
    set_threads(options.threads);
    ValidateReport report;
    for (const ValidateCase* c : cases) c->run(report);

    if (!options.json.empty()) {
        std::vector<Json> rows;
        for (const ValidateRow& row : report.rows()) rows.push_back(as_json(row));
        Json document = Json::object();
        document.set("rows", Json::list(std::move(rows)));
        write_file(options.json, write_json(document) + "\n");
    }
    const auto failed = std::count_if(report.rows().begin(), report.rows().end(),
                                      [](const ValidateRow& row) { return !row.pass; });
    std::printf("%zu of %zu pass\n", report.rows().size() - std::size_t(failed),
                report.rows().size());
    return report.all_pass() ? 0 : 3;
}

}  // namespace slosh::cli
