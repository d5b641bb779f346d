#include "slosh/cli/bench.h"

#include <algorithm>
#include <cstdio>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cli/machine.h"
#include "slosh/cli/nearest.h"
#include "slosh/cli/text.h"

namespace slosh::cli {
namespace {

std::string cell_text(const Json& value) {
    switch (value.kind) {
        case Json::Kind::Number: {
            char text[32];
            std::snprintf(text, sizeof text, "%.4g", value.number);
            const bool whole = value.number == static_cast<double>(static_cast<long>(value.number));
            return whole ? number_text(value.number) : text;
        }
        case Json::Kind::Text:
            return value.text;
        case Json::Kind::Flag:
            return value.flag ? "yes" : "no";
        default:
            return "";
    }
}

}  // namespace

void BenchReport::add(Json row) {
    std::vector<std::string> columns;
    for (const Json::Member& member : row.members)
        if (member.value.kind != Json::Kind::Object && member.value.kind != Json::Kind::List)
            columns.push_back(member.key);

    const auto width = [](const std::string& key) { return std::max<int>(int(key.size()), 9); };
    if (columns != columns_) {  // a head whenever the columns change
        for (const std::string& key : columns) std::printf("%*s ", width(key), key.c_str());
        std::printf("\n");
        columns_ = columns;
    }
    for (const std::string& key : columns)
        std::printf("%*s ", width(key), cell_text(*row.find(key)).c_str());
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(row));
}

int bench(const BenchOptions& options) {
    std::vector<std::string> names;
    const BenchSuite* suite = nullptr;
    for (const BenchSuite& s : bench_suites()) {
        names.push_back(s.name);
        if (options.suite == s.name) suite = &s;
    }
    if (!suite)
        throw InputError("unknown suite '" + options.suite + "'" +
                         did_you_mean(options.suite, names) + "; slosh bench --help lists them");
    if (!suite->run) throw InputError("suite '" + options.suite + "' is not in this version yet");

    if (!suite->has_scenes && (!options.scenes.empty() || !options.set.empty()))
        throw InputError("suite '" + options.suite + "' has a case of its own, and no scenes");
    if (!suite->has_tables && (!options.tables.empty() || !options.plot.empty()))
        throw InputError("suite '" + options.suite + "' has no tables or figures of papers");

    BenchReport report;
    suite->run(options, report);
    if (!options.json.empty()) {
        Json document = Json::object();
        document.set("machine", machine_info());
        document.set("rows", Json::list(report.rows()));
        write_file(options.json, write_json(document) + "\n");
    }
    return 0;
}

}  // namespace slosh::cli
