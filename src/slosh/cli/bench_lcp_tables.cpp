#include "slosh/cli/bench_lcp_tables.h"

#include <algorithm>

#include "slosh/cli/bench_lcp_paper.h"
#include "slosh/cli/bench_lcp_run.h"

namespace slosh::cli {

namespace {

/// The table's columns, the same with exact inner solves, and our own.
std::vector<std::string> columns_of(const PaperTable& table) {
    std::vector<std::string> words = table.solvers;
    if (table.id == "6.12") return words;
    words.insert(words.end(), {"policy-mg-exact", "penalty-mg-exact"});
    if (table.quantity != "outer") words.insert(words.end(), {"auto", "linear"});
    return words;
}

Json run_row(const PaperTable& table, int n, int dim, int frames, const RunSummary& s) {
    Json row = lcp_row(table.scene, dim, n, s.method, s.threads, s.mean);
    row.set("start", s.start);
    row.set("frames", frames);
    row.set("systems", s.systems);
    row.set("failed", s.failed);
    row.set("table", table.id);
    row.set("quantity", table.quantity);
    row.set("paper", paper_value(table.id, s.method.word, n));
    return row;
}

/// All `tables` are of the same run.
void run_tables(const std::vector<PaperTable>& tables, int n, const BenchOptions& options,
                BenchReport& report) {
    std::vector<std::string> solvers = options.solvers;
    if (solvers.empty())
        for (const PaperTable& table : tables)
            for (const std::string& word : columns_of(table))
                if (std::find(solvers.begin(), solvers.end(), word) == solvers.end())
                    solvers.push_back(word);

    const PaperTable& first = tables.front();
    const Scene scene = lcp_scene(first.scene, n, options.set);
    std::vector<std::string> kept;
    for (const std::string& word : solvers) {
        const LcpMethod method = lcp_method(word);
        const int largest = scene.dim == 3 ? method.largest_run : method.largest_frame;
        if (options.solvers.empty() && n > largest)
            report.add(lcp_skipped_row(first.scene, scene.dim, n, method, largest));
        else
            kept.push_back(word);
    }
    const int frames = options.frames.value_or(first.frames);
    const std::vector<RunSummary> summaries = run_systems(scene, frames, kept, options);
    for (const PaperTable& table : tables) {
        const std::vector<std::string> columns = or_default(options.solvers, columns_of(table));
        for (const RunSummary& summary : summaries)
            if (std::find(columns.begin(), columns.end(), summary.method.word) != columns.end())
                report.add(run_row(table, n, scene.dim, frames, summary));
    }
}

}  // namespace

void bench_lcp_tables(const BenchOptions& options, BenchReport& report) {
    std::vector<std::vector<PaperTable>> groups;
    for (const std::string& id : options.tables) {
        const PaperTable& table = paper_table(id);
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return table.kind == PaperTable::Kind::Run && group.front().kind == table.kind &&
                   group.front().scene == table.scene;
        });
        if (same == groups.end())
            groups.push_back({table});
        else
            same->push_back(table);
    }
    for (const std::vector<PaperTable>& group : groups) {
        const PaperTable& table = group.front();
        if (table.kind == PaperTable::Kind::Speed) {
            bench_lcp_speed(options, report);
            continue;
        }
        for (int n : or_default(options.sizes, {32, 64}))
            if (table.kind == PaperTable::Kind::Run)
                run_tables(group, n, options, report);
            else
                bench_frame(table.scene, options.frames.value_or(table.frames), n,
                            or_default(options.solvers, columns_of(table)),
                            !options.solvers.empty(), table.id, options, report);
    }
}

}  // namespace slosh::cli
