// The methods of `slosh bench lcp`: each gets the identical system and has its answer checked.
#include <algorithm>
#include <bit>
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/cli/bench_lcp.h"
#include "slosh/cli/bench_lcp_variants.h"
#include "slosh/cli/nearest.h"
#include "slosh/cli/probe.h"
#include "slosh/lcp/auto.h"
#include "slosh/lcp/solve.h"
#include "slosh/lcp/words.h"
#include "slosh/linear/pockets.h"

namespace slosh::cli {

namespace {

using Warm = LcpMethod::Warm;

/// Caps: five times what the papers saw at most.
std::vector<LcpMethod> all_methods() {
    std::vector<LcpMethod> all = {
        {.word = "auto", .warm = Warm::Full, .cap = 200},
        {.word = "linear", .warm = Warm::Full, .cap = 200},
        {.word = "linear-mic", .cap = 10000},
        // Table 6.12.
        {.word = "fas-trilinear"},
        {.word = "fas-constant", .cap = 3000},
        {.word = "fas-simple"},
        {.word = "fas-direct"},
        {.word = "fas-2"},  // two sweeps instead of three
        {.word = "fas-w"},  // W-cycles, which the paper does not have
        // Inner solves to the end, as the paper makes them.
        {.word = "policy-mg-exact", .warm = Warm::Control},
        {.word = "penalty-mg-exact", .warm = Warm::Control},
    };
    for (const LcpSolver& solver : lcp_solvers()) {
        LcpMethod m{.word = solver.word};
        if (m.word == "auto") continue;  // above, on blocks
        if (m.word.rfind("policy", 0) == 0 || m.word.rfind("penalty", 0) == 0)
            m.warm = Warm::Control;
        if (!solver.needs_cells) m.cap = 10000;
        if (m.word == "newton") m.cap = 600000, m.largest_frame = 64, m.largest_run = 32;
        if (m.word == "pgs") m.cap = 100000, m.largest_frame = 32, m.largest_run = 32;
        all.push_back(m);
    }
    return all;
}

/// In a pocket that nothing holds the pressure is free up to a constant: the difference from the
/// reference has its mean taken out there.
template <int D>
void forget_constants(const BlockSystem<D>& system, const Field<std::uint8_t, D>* constrained,
                      Field<double, D>& difference) {
    const Pockets<D> pockets = find_pockets(system);
    struct Sum {
        double value = 0;
        int cells = 0;
        bool held = false;
    };
    std::vector<Sum> sums(pockets.count);
    const auto each_cell = [&](const auto& body) {
        for (const auto& part : pockets.parts)
            for (int z = 0; z < kPlanes<D>; ++z)
                for (std::uint64_t bits = part.cells[z]; bits; bits &= bits - 1)
                    body(sums[part.pocket], part.block, 64 * z + std::countr_zero(bits));
    };
    each_cell([&](Sum& s, int b, int o) {
        s.value += difference.block(b)[o];
        ++s.cells;
        s.held |= constrained && constrained->block(b)[o];
    });
    each_cell([&](const Sum& s, int b, int o) {
        if (!s.held) difference.block(b)[o] -= s.value / s.cells;
    });
}

template <int D>
double error_of(const CapturedSystem<D>& system, const Field<double, D>& q, bool linear) {
    const Field<double, D>& reference = linear ? system.q_linear : system.q;
    Field<double, D> difference(system.linear.blocks);
    const std::size_t cells = q.cells();
    for (std::size_t i = 0; i < cells; ++i)
        difference.data()[i] = q.data()[i] - reference.data()[i];
    forget_constants(system.linear, linear ? nullptr : &system.lcp.constrained, difference);
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < cells; ++i) {
        const double d = std::abs(difference.data()[i]);
        if (!(d <= worst)) worst = d;  // takes a NaN, too
        largest = std::max(largest, std::abs(reference.data()[i]));
    }
    return largest > 0 ? worst / largest : worst;
}

/// In a run a system has just been assembled. Here other solvers have been at work on other copies
/// of it, so it is read once: it is then as near to every solver, as far as caches go.
template <int D>
void bring_near(const CapturedSystem<D>& system, bool linear, const Field<double, D>& q) {
    if (!linear) {
        (void)natural_residual(system.lcp, q);
        return;
    }
    Field<double, D> r(system.linear.blocks);
    (void)residual(system.linear, q, r);
}

}  // namespace

LcpMethod lcp_method(const std::string& word) {
    std::vector<std::string> words;
    std::string list;
    for (const LcpMethod& method : all_methods()) {
        if (method.word == word) return method;
        words.push_back(method.word);
        list += (list.empty() ? "" : ", ") + method.word;
    }
    throw InputError("unknown solver '" + word + "'" + did_you_mean(word, words) +
                     "; known here: " + list);
}

template <int D>
LcpAnswer<D> solve_captured(const CapturedSystem<D>& system, const LcpMethod& method,
                            const LcpGuess<D>& guess, bool history) {
    const LcpOptions options{
        .tolerance = 0, .absolute = system.goal, .max_iterations = method.cap, .history = history};
    const SolveOptions linear_options{
        .tolerance = 0, .absolute = system.goal, .max_iterations = method.cap};
    LcpAnswer<D> answer{
        .report = {},
        .q = guess.q.blocks_ptr() ? guess.q : Field<double, D>(system.linear.blocks),
        .active = guess.active.blocks_ptr() ? guess.active
                                            : Field<std::uint8_t, D>(system.linear.blocks)};
    LcpReport& report = answer.report;
    const bool linear = is_linear_solver(method.word);
    bring_near(system, linear, answer.q);
    wake_threads();
    if (method.word == "auto") {
        report = solve_auto(system.lcp, options, answer.q, answer.active);
    } else if (linear) {
        static_cast<SolveReport&>(report) =
            method.word == "linear" ? solve_multigrid(system.linear, linear_options, answer.q)
                                    : solve_mic(system.linear, linear_options, answer.q);
    } else {
        std::vector<double> p = to_rows(system.lcp, answer.q);
        Field<double, D> marks(system.linear.blocks);
        for (std::size_t i = 0; i < marks.cells(); ++i) marks.data()[i] = answer.active.data()[i];
        std::vector<std::uint8_t> control;
        for (double mark : to_rows(system.lcp, marks)) control.push_back(mark > 0);
        report = solve_variant(method.word, system.rows(), options, p,
                               guess.active.blocks_ptr() ? &control : nullptr);
        from_rows(system.lcp, p, answer.q);
        (void)natural_residual(system.lcp, answer.q, &answer.active);
    }
    answer.error = error_of(system, answer.q, linear);
    return answer;
}

template <int D>
void solve_again(const CapturedSystem<D>& system, const LcpMethod& method, const LcpGuess<D>& guess,
                 LcpAnswer<D>& best) {
    constexpr double kCheap = 1.2;  // s of CPU a repeat: a wait for others must not end them
    if (best.report.cpu_seconds >= kCheap) return;
    LcpAnswer<D> next = solve_captured(system, method, guess);
    const double cpu = std::min(best.report.cpu_seconds, next.report.cpu_seconds);
    if (next.report.seconds < best.report.seconds) best = std::move(next);
    best.report.cpu_seconds = cpu;
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template LcpAnswer<D> solve_captured<D>(const CapturedSystem<D>&, const LcpMethod&,          \
                                            const LcpGuess<D>&, bool);                           \
    template void solve_again<D>(const CapturedSystem<D>&, const LcpMethod&, const LcpGuess<D>&, \
                                 LcpAnswer<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh::cli
