// What the files of `slosh bench lcp` share: systems captured from runs, solvers by word, answers
// that were checked against a tight reference.
#pragma once

#include <memory>
#include <type_traits>

#include "slosh/cli/bench.h"
#include "slosh/lcp/sparse.h"
#include "slosh/liquid/simulation.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

/// A pressure problem captured from a run.
template <int D>
struct CapturedSystem {
    BlockLcp<D> lcp;        ///< Consistent.
    BlockSystem<D> linear;  ///< Its matrix and right-hand side with no constraint, consistent.
    double goal = 0;        ///< Natural residual to reach. m/s.
    double dt = 0;          ///< Of the substep. s.
    Field<double, D> q, q_linear;  ///< Reference answers: natural residual 1e-3 `goal` or less.

    /// `lcp` for the solvers of the literature, made when first asked for: large systems are for
    /// `auto` alone.
    const SparseLcp& rows() const {
        if (!rows_) rows_ = std::make_shared<const SparseLcp>(to_sparse(lcp));
        return *rows_;
    }

    mutable std::shared_ptr<const SparseLcp> rows_;
};

/// `name` as the paper runs it: n cells, frames of 0.01 s, separating in cells, solved by `auto`.
/// `overrides` come last.
Scene lcp_scene(const std::string& name, int n, const std::vector<std::string>& overrides = {});
/// Goes on by whole frames.
template <int D>
void advance(LiquidSimulation<D>& simulation, int frames, double fps);
/// The system of the substep that `simulation.step(remaining)` would make.
template <int D>
CapturedSystem<D> capture(const LiquidSimulation<D>& simulation, double remaining);

/// body(std::integral_constant<int, D>) for the scene's dimension.
template <class Body>
void with_dimension(const Scene& scene, const Body& body) {
    if (scene.dim == 2)
        body(std::integral_constant<int, 2>{});
    else
        body(std::integral_constant<int, 3>{});
}

/// A method that this suite knows: the solver words, and variants to tell what a detail is worth.
struct LcpMethod {
    enum class Warm {
        No,       ///< Always starts cold.
        Control,  ///< Starts from the last system's active set, as the paper does.
        Full      ///< Starts from the last answer, pressure and active set.
    };
    std::string word;
    Warm warm = Warm::No;
    int cap = 1000;               ///< Iterations at which it gives up.
    int largest_frame = 1 << 30;  ///< Cells a side above which it is skipped unless named,
    int largest_run = 1 << 30;    ///< and in runs of many frames.
};
/// InputError, naming the nearest word, if there is none of this name.
LcpMethod lcp_method(const std::string& word);

/// Where a solve starts; zero if empty.
template <int D>
struct LcpGuess {
    Field<double, D> q;
    Field<std::uint8_t, D> active;
};

template <int D>
struct LcpAnswer {
    LcpReport report;
    Field<double, D> q;
    Field<std::uint8_t, D> active;
    double error = 0;  ///< max|q - reference| / max|reference|
};

template <int D>
LcpAnswer<D> solve_captured(const CapturedSystem<D>& system, const LcpMethod& method,
                            const LcpGuess<D>& guess = {}, bool history = false);
/// The same again if it is cheap, keeping the least of the seconds in `best`: timings on shared
/// machines are noisy, the least is the steadiest.
template <int D>
void solve_again(const CapturedSystem<D>& system, const LcpMethod& method, const LcpGuess<D>& guess,
                 LcpAnswer<D>& best);

/// The numbers that all rows of the suite have: of one solve, or means.
struct LcpNumbers {
    double unknowns = 0, constrained = 0, active = 0;
    double iterations = 0, outer = 0;
    double seconds = 0, cpu_seconds = 0, setup_seconds = 0;
    double residual = 0;
    bool converged = true;
    double bytes = 0, error = 0;

    LcpNumbers() = default;
    LcpNumbers(const LcpReport& report, double answer_error);
};
Json lcp_row(const std::string& scene, int dim, int n, const LcpMethod& method, int threads,
             const LcpNumbers& numbers);
/// The same for a method that was left out, and why.
Json lcp_skipped_row(const std::string& scene, int dim, int n, const LcpMethod& method,
                     int largest);

/// Solves one system with each method and adds their rows. `named`: the user chose the methods.
/// `table`: that of the paper whose numbers stand beside ours.
template <int D>
void bench_system(const CapturedSystem<D>& system, const std::string& scene, int n,
                  const std::vector<std::string>& solvers, bool named, const std::string& table,
                  const BenchOptions& options, BenchReport& report);
/// Captures the first system after `frames` frames of `scene` and does the above.
void bench_frame(const std::string& scene, int frames, int n,
                 const std::vector<std::string>& solvers, bool named, const std::string& table,
                 const BenchOptions& options, BenchReport& report);

}  // namespace slosh::cli
