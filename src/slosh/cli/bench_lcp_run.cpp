#include "slosh/cli/bench_lcp_run.h"

#include <algorithm>

#include "slosh/base/parallel.h"
#include "slosh/liquid/pressure_solve.h"

namespace slosh::cli {

namespace {

using Warm = LcpMethod::Warm;

template <int D>
struct Contender {
    RunSummary summary;
    Warm warm;
    WarmStart<D> last;
};

template <int D>
std::vector<Contender<D>> contenders(const std::vector<std::string>& solvers,
                                     const BenchOptions& options) {
    std::vector<Contender<D>> all;
    for (const std::string& word : solvers) {
        const LcpMethod method = lcp_method(word);
        const auto add = [&](Warm warm, const char* start) {
            for (int count : or_default(options.threads, {2})) {
                RunSummary summary;
                summary.method = method;
                summary.start = start;
                summary.threads = count;
                all.push_back({summary, warm, {}});
            }
        };
        if (method.warm != Warm::Control) add(Warm::No, "cold");
        if (method.warm == Warm::Control) add(Warm::Control, "control");
        if (method.warm == Warm::Full) add(Warm::Full, "warm");
    }
    return all;
}

template <int D>
LcpGuess<D> guess_for(const CapturedSystem<D>& system, const Contender<D>& c) {
    if (c.warm == Warm::No || !c.last.q.blocks_ptr()) return {};
    const BlocksPtr<D>& blocks = system.linear.blocks;
    LcpGuess<D> guess{Field<double, D>(blocks), Field<std::uint8_t, D>(blocks)};
    c.last.guess(system.lcp, system.dt, guess.q, guess.active);
    if (c.warm == Warm::Control) guess.q = {};
    return guess;
}

void add(const LcpReport& r, double error, RunSummary& s) {
    ++s.systems;
    s.failed += !r.converged;
    s.unknowns += static_cast<double>(r.unknowns);
    s.constrained += static_cast<double>(r.constrained);
    s.active += static_cast<double>(r.active);
    s.iterations += r.iterations;
    s.outer += r.outer;
    s.seconds += r.seconds;
    s.cpu_seconds += r.cpu_seconds;
    s.setup_seconds += r.setup_seconds;
    if (!(r.residual <= s.residual)) s.residual = r.residual;  // takes a NaN, too
    if (!(error <= s.error)) s.error = error;
    s.bytes = std::max(s.bytes, r.bytes);
    ++s.outer_counts[r.outer];
}

void make_means(RunSummary& s) {
    if (s.systems == 0) return;
    for (double* sum : {&s.unknowns, &s.constrained, &s.active, &s.iterations, &s.outer, &s.seconds,
                        &s.cpu_seconds, &s.setup_seconds})
        *sum /= s.systems;
}

}  // namespace

std::vector<RunSummary> run_systems(const Scene& scene, int frames,
                                    const std::vector<std::string>& solvers,
                                    const BenchOptions& options) {
    std::vector<RunSummary> summaries;
    with_dimension(scene, [&](auto dimension) {
        constexpr int D = dimension;
        std::vector<Contender<D>> all = contenders<D>(solvers, options);
        for_each_system<D>(scene, frames, [&](const CapturedSystem<D>& system) {
            for (Contender<D>& c : all) {
                set_threads(c.summary.threads);
                LcpAnswer<D> answer =
                    solve_captured(system, c.summary.method, guess_for(system, c));
                add(answer.report, answer.error, c.summary);
                if (answer.report.converged)
                    c.last = {std::move(answer.q), std::move(answer.active), system.dt};
                else
                    c.last.clear();
            }
            set_threads(0);
        });
        for (Contender<D>& c : all) {
            make_means(c.summary);
            summaries.push_back(std::move(c.summary));
        }
    });
    return summaries;
}

}  // namespace slosh::cli
