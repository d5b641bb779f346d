// The thin parts of a liquid, solved directly.
//
// A droplet of a few cells, a thread, a rim that a handful of stresses hold: such parts can move
// with next to no strain, each in a way of its own that no coarse grid sees, as coarse faces reach
// across the air between them. Every such motion costs the iteration some steps, a spray hundreds.
// So the matrix of the rows that are thin, A_T, is factored whole (sparse Cholesky), and corrects
// before and after the cycle M of the rest:
//
//     z1 = R^T A_T^-1 R r,   z2 = z1 + M (r - A z1),   z = z2 + R^T A_T^-1 R (r - A z2)      (V6)
//
// R picks the rows of T. Thin is what an opening takes away: go kThinDepth rows inwards from all
// rows beside air, then as far outwards again; T is what that does not reach, and the rows next to
// it. A smooth surface has next to none. Parts may not be cut: what makes them slow is how they
// hang together. They are threads, not bulk, so the factors have some dozens of entries a row; a
// part that would take more than kMostWork (wide sheets) is left to the cycle.
#pragma once

#include <memory>

#include "slosh/viscosity/system.h"

namespace slosh {

constexpr int kThinDepth = 5;  ///< Rows from air to core of what is not thin.
/// Operations for a factor over rows of the liquid: about those of fifty iterations.
constexpr double kMostWork = 2e4;

template <int D>
class ThinParts {
public:
    /// `system` must outlive this.
    explicit ThinParts(const ViscousSystem<D>& system);
    ~ThinParts();

    bool empty() const { return rows_.empty(); }
    int size() const { return static_cast<int>(rows_.size()); }
    /// z = R^T A_T^-1 R r, and left = r - A z. Longer vectors keep what follows the rows.
    void before(const std::vector<double>& r, std::vector<double>& z,
                std::vector<double>& left) const;
    /// z += R^T A_T^-1 R (r - A z)
    void after(const std::vector<double>& r, std::vector<double>& z) const;
    std::size_t bytes() const { return bytes_; }

private:
    struct Factor;
    struct Part {
        int begin, end;  // in rows_
    };
    std::vector<Part> find_parts(const std::vector<std::uint8_t>& thin);
    void factor(const std::vector<Part>& parts, double most_work);
    void solve(std::vector<double>& x) const;

    const Rows<double>& matrix_;
    std::vector<int> rows_;  // of T, part by part, ascending in each
    std::vector<int> rim_;   // rows that T's rows have entries for and that are not in T
    std::vector<std::unique_ptr<Factor>> factors_;
    std::size_t bytes_ = 0;
};

extern template class ThinParts<2>;
extern template class ThinParts<3>;

}  // namespace slosh
