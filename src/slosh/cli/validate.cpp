#include "slosh/cli/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

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
    json.set("gate", row.gate);
    json.set("reference", row.reference ? Json(*row.reference) : Json());
    json.set("error", row.reference ? Json(row.error) : Json());
    json.set("tolerance", row.gate ? Json(row.tolerance) : Json());
    json.set("pass", row.gate ? Json(row.pass) : Json());
    return json;
}

}  // namespace

void ValidateReport::add(ValidateRow row) {
    if (rows_.empty())
        std::printf("%-16s %-44s %12s %12s %10s %10s\n", "case", "quantity", "value", "reference",
                    "error", "tolerance");
    std::printf("%-16s %-44s %12.6g ", row.case_name.c_str(), row.quantity.c_str(), row.value);
    if (row.reference)
        std::printf("%12.6g %10.2e ", *row.reference, row.error);
    else
        std::printf("%12s %10s ", "-", "-");
    if (row.gate)
        std::printf("%10.2e %s\n", row.tolerance, row.pass ? "pass" : "FAIL");
    else
        std::printf("%10s reported\n", "-");
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

void ValidateReport::tell(std::string case_name, std::string quantity, double value,
                          std::optional<double> reference) {
    add({.case_name = std::move(case_name),
         .quantity = std::move(quantity),
         .value = value,
         .reference = reference,
         .error = reference ? std::abs(value - *reference) / std::abs(*reference) : 0,
         .gate = !std::isfinite(value)});
}

std::size_t ValidateReport::gates() const {
    return std::count_if(rows_.begin(), rows_.end(),
                         [](const ValidateRow& row) { return row.gate; });
}

std::size_t ValidateReport::passed() const {
    return std::count_if(rows_.begin(), rows_.end(),
                         [](const ValidateRow& row) { return row.gate && row.pass; });
}

int validate(const ValidateOptions& options) {
    const auto cases = choose_cases(options);
    if (options.list) {
        for (const ValidateCase& c : validate_cases())
            std::printf("%-16s %s%s\n", c.name, c.description, c.is_long ? " (long)" : "");
        return 0;
    }
    if (!options.plot.empty()) make_directory(options.plot);
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
    if (!options.plot.empty()) {
        for (const ValidateChart& c : report.charts()) {
            const auto file = std::filesystem::path(options.plot) / (c.name + ".svg");
            write_file(file.string(), curve_chart(c.text, c.curves));
            std::printf("wrote %s\n", file.c_str());
        }
    }
    std::printf("%zu of %zu pass", report.passed(), report.gates());
    if (const std::size_t told = report.rows().size() - report.gates())
        std::printf(", %zu only reported", told);
    std::printf("\n");
    return report.gates() > 0 && report.passed() == report.gates() ? 0 : 3;
}

}  // namespace slosh::cli
