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

void add(const LcpReport& report, double error, RunSummary& s) {
    const LcpNumbers x(report, error);
    LcpNumbers& sum = s.mean;
    ++s.systems;
    s.failed += !report.converged;
    ++s.outer_counts[report.outer];
    sum.unknowns += x.unknowns;
    sum.constrained += x.constrained;
    sum.active += x.active;
    sum.iterations += x.iterations;
    sum.outer += x.outer;
    sum.seconds += x.seconds;
    sum.cpu_seconds += x.cpu_seconds;
    sum.setup_seconds += x.setup_seconds;
    if (!(x.residual <= sum.residual)) sum.residual = x.residual;  // takes a NaN, too
    if (!(x.error <= sum.error)) sum.error = x.error;
    sum.converged = s.failed == 0;
    sum.bytes = std::max(sum.bytes, x.bytes);
}

void make_means(RunSummary& s) {
    LcpNumbers& m = s.mean;
    for (double* sum : {&m.unknowns, &m.constrained, &m.active, &m.iterations, &m.outer, &m.seconds,
                        &m.cpu_seconds, &m.setup_seconds})
        *sum /= std::max(s.systems, 1);
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
            // In turns: another program that takes the machine for a moment slows all alike.
            std::vector<LcpAnswer<D>> answers(all.size());
            std::vector<LcpGuess<D>> guesses;
            for (const Contender<D>& c : all) guesses.push_back(guess_for(system, c));
            for (int k = 0; k < options.repeats.value_or(3); ++k)
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const LcpMethod& method = all[i].summary.method;
                    set_threads(all[i].summary.threads);
                    if (k == 0)
                        answers[i] = solve_captured(system, method, guesses[i]);
                    else
                        solve_again(system, method, guesses[i], answers[i]);
                }
            for (std::size_t i = 0; i < all.size(); ++i) {
                Contender<D>& c = all[i];
                LcpAnswer<D>& answer = answers[i];
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
