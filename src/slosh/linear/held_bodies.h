// Bodies much lighter than the liquid, held while the pressure takes a step (internal to the multigrid
// solvers).
//
// A body of density s adds eigenvalues of about 1 + 1/(2 s) that a cycle of A knows nothing of, and
// directions that start afresh, as they do while walls let go, never get them under control. So the
// bodies' answer t = F^T x becomes an unknown of its own,
//
//     A x + F t = b,    F^T x - t = 0                                                          (H1)
//
// x takes its step with t held, then t goes by Newton's method with what liquid answers to bodies:
//
//     t += (1 + G)^-1 (F^T x - t),    G = F^T A^-1 F, the added mass over the mass             (H2)
//
// G is measured with one cycle per degree of freedom for all bodies together, pushed to and fro at
// random so that what they do to each other cancels on average; the block of each is kept. (H2)
// converges as long as no motion of all bodies together meets twice the mass that the blocks say, so
// they are taken larger by a third, and larger still if bodies ever get further from where they should
// be.
#pragma once

#include <algorithm>
#include <vector>

#include "slosh/linear/low_rank.h"

namespace slosh {

/// From this LowRank::lightness on bodies are held.
inline constexpr double kLightBody = 30;

template <int D>
class HeldBodies {
public:
    static constexpr int N = kColumns<D>;
    explicit HeldBodies(const LowRank<D>& F) : F_(F), t_(F.columns(), 0.0) {}

    const std::vector<double>& t() const { return t_; }
    void set(std::vector<double> t) { t_ = std::move(t); }
    /// Where a cycle says little of A^-1, as with liquid that sees air through a slit only, (H2) is of
    /// no use.
    bool has_failed() const { return failures_ > 2; }
    bool has_learnt() const { return !blocks_.empty(); }

    /// G from `respond`, which returns F^T A^-1 F times its argument.
    template <class Respond>
    void learn(const Respond& respond) {
        blocks_.assign(F_.groups(), {});
        for (int k = 0; k < N; ++k) {
            std::vector<double> probe(t_.size(), 0.0);
            for (int g = 0; g < F_.groups(); ++g) probe[g * N + k] = sign(g);
            const std::vector<double> answer = respond(probe);
            for (int g = 0; g < F_.groups(); ++g)
                for (int j = 0; j < N; ++j) blocks_[g].m[j][k] = sign(g) * answer[g * N + j];
        }
        safety_ = 1.3;
        invert();
    }

    /// (H2); returns the change of t. `answer` is F^T x.
    std::vector<double> move(const std::vector<double>& answer) {
        double off = 0;
        for (std::size_t k = 0; k < t_.size(); ++k) off += (answer[k] - t_[k]) * (answer[k] - t_[k]);
        if (off > 4 * least_off_) {
            safety_ *= 1.4;
            least_off_ = off;
            ++failures_;
            invert();
        }
        least_off_ = std::min(least_off_, off);
        std::vector<double> change(t_.size(), 0.0);
        for (int g = 0; g < F_.groups(); ++g)
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j)
                    change[g * N + i] += inverse_[g].m[i][j] * (answer[g * N + j] - t_[g * N + j]);
        if (F_.groups() > 1) accelerate(change);
        for (std::size_t k = 0; k < t_.size(); ++k) t_[k] += change[k];
        return change;
    }

private:
    /// Anderson's method of depth one: the share of the last move that, had it been left out, would
    /// have made this one least. Deeper ones gain little, as x is not solved for each t.
    void accelerate(std::vector<double>& change) {
        const std::vector<double> plain = change;
        if (!last_.empty()) {
            double along = 0, square = 0;
            for (std::size_t k = 0; k < plain.size(); ++k) {
                along += (plain[k] - last_[k]) * plain[k];
                square += (plain[k] - last_[k]) * (plain[k] - last_[k]);
            }
            const double share = square > 0 ? along / square : 0;
            for (std::size_t k = 0; k < plain.size(); ++k)
                change[k] -= share * (taken_[k] + plain[k] - last_[k]);
        }
        last_ = plain;
        taken_ = change;
    }
    static double sign(int g) { return (static_cast<unsigned>(g) * 2654435761u >> 13 & 1) ? 1 : -1; }
    struct Block {
        double m[N][N] = {};
    };
    void invert() {
        inverse_.resize(blocks_.size());
        for (std::size_t g = 0; g < blocks_.size(); ++g) invert(blocks_[g], safety_, inverse_[g]);
    }
    /// (1 + safety m)^-1 of the symmetric part; positive definite, so no pivoting.
    static void invert(const Block& b, double safety, Block& out) {
        double a[N][2 * N] = {};
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) a[i][j] = safety * 0.5 * (b.m[i][j] + b.m[j][i]);
            a[i][i] += 1;
            a[i][N + i] = 1;
        }
        for (int k = 0; k < N; ++k) {
            const double pivot = 1 / a[k][k];
            for (double& v : a[k]) v *= pivot;
            for (int i = 0; i < N; ++i) {
                const double factor = i == k ? 0 : a[i][k];
                if (factor == 0) continue;
                for (int j = 0; j < 2 * N; ++j) a[i][j] -= factor * a[k][j];
            }
        }
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) out.m[i][j] = a[i][N + j];
    }

    const LowRank<D>& F_;
    std::vector<double> t_;
    std::vector<Block> blocks_, inverse_;  // G of each body; (1 + safety G)^-1
    double safety_ = 1;
    std::vector<double> last_, taken_;  // the last move as (H2) has it, and as it was
    int failures_ = 0;
    double least_off_ = 1e300;  // |F^T x - t|^2
};

}  // namespace slosh
