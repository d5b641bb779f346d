// What every solver of this folder starts and ends with: a system that has a solution, and an
// honest report.
//
// A component of the matrix whose rows all sum to zero is a *pocket*: A is singular on it, with
// the constants as null space, and summing w = A p + b over it gives sum w = sum b. With w >= 0 in
// S and w = 0 elsewhere that leaves three cases:
//
//     no row in S, or sum b < 0    no solution: the mean is taken out of b, which makes sum b = 0
//     sum b = 0 (to rounding)      w = 0 throughout. p is fixed up to a constant: the constraints
//                                  are dropped, and at the end min p over S is made 0
//     sum b > 0                    some row of S is active in every solution, and p is unique. The
//                                  pocket is *held*; a control must keep one of its rows active
//
// A row that is zero altogether is a pocket of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

class PreparedLcp {
public:
    /// Keeps a reference to `given`. Makes `p`, the first guess, fit: zero if it has another
    /// length or is not finite, and zero in rows without a diagonal.
    PreparedLcp(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p);

    /// The system to solve: `given` with b made consistent and the constraints of balanced pockets
    /// dropped.
    const SparseLcp& lcp() const { return changed_ ? *changed_ : given_; }
    const std::vector<double>& diagonal() const { return diagonal_; }
    /// What the natural residual has to reach.
    double goal() const { return goal_; }

    /// Clears `control` outside S and makes it hold each held pocket by at least one row, that of
    /// the largest w_i - a_ii p_i.
    void hold_pockets(const std::vector<double>& p, std::vector<std::uint8_t>& control) const;

    /// max|r_i| of (C3); `control`, if given, becomes the optimal one (a_ii p_i < w_i: active),
    /// made to hold the pockets.
    double residual(const std::vector<double>& p,
                    std::vector<std::uint8_t>* control = nullptr) const;

    /// Notes the residual of `p`, if the options ask for a history.
    void record(const std::vector<double>& p);
    bool records() const { return options_.history; }

    /// Shifts p in balanced pockets, then fills in what all reports say, judged afresh on the
    /// consistent system with all its constraints. `report` brings iterations, outer and bytes.
    LcpReport finish(std::vector<double>& p, LcpReport report);

private:
    SparseLcp& change();
    void find_pockets();

    const SparseLcp& given_;
    LcpOptions options_;
    std::optional<SparseLcp> changed_;
    std::vector<double> diagonal_;
    double largest_b_ = 0, goal_ = 0, wall_ = 0, cpu_ = 0;
    int pockets_ = 0;
    std::vector<std::vector<int>>
        balanced_;                        ///< Rows of each pocket whose constraints were dropped.
    std::vector<std::vector<int>> held_;  ///< Rows in S of each held pocket.
    std::vector<double> history_;
};

}  // namespace slosh
