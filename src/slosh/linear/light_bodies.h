// Bodies much lighter than the liquid in conjugate gradients (internal to the multigrid solvers).
//
// The matrix is C = A + F F^T (low_rank.h). A body of density s adds eigenvalues of about 1 + 1/(2
// s) that a cycle of A knows nothing of, six a body. But a light body hardly lets F^T x differ from
// zero, so that any Z with F^T Z large takes them out: of what is C-orthogonal to Z, no eigenvalue
// is above
//
//     1 + max Z^T A Z / (F^T Z)^2                                                              (L1)
//
// which falls as bodies get lighter. Z = D^-1 F, D the diagonal of A, is large enough, and lives in
// the cells of F alone. Around a cycle B, with E = Z^T C Z,
//
//     z = Z c + B (r - C Z c),  c = E^-1 Z^T r;      z += Z E^-1 Z^T (r - C z)                 (L2)
//
// which is symmetric and positive as B is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slosh/linear/body_rows.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

/// From this LowRank::lightness on bodies are light.
inline constexpr double kLightBody = 5;

template <int D>
class LightBodies {
public:
    /// F is that of the finest level and must outlive this.
    LightBodies(const BodyRows<D>& F, const MultigridLevel<D>& finest);
    ~LightBodies();

    /// Z and E; cells marked in `active`, if given, take no part.
    void build(const Field<std::uint8_t, D>* active);
    /// Before the cycle: takes C Z c from r, in the units of the cycle.
    void begin(SplitField<D>& r);
    /// After it: r as it was, and the rest of (L2). Returns how much r.z grows.
    double end(SplitField<D>& r, SplitField<D>& z);

private:
    /// A row of A at a cell of F: the rows of W beside it, and what A has there.
    struct Cell {
        std::uint32_t near[2 * D];
        float diagonal, c[2 * D];
    };
    /// A row of F and one of W at the same place, of two groups.
    struct Couple {
        int g, h;
        std::uint32_t f, w;
    };
    struct Factor;  // of E

    void find_cells(const MultigridLevel<D>& finest);
    void find_couples();
    void factor();
    bool is_in_F(int group, std::uint32_t w) const {
        return w - W_.first(group) < F_.first(group + 1) - F_.first(group);
    }

    const BodyRows<D>& F_;
    BodyRows<D> Z_;
    /// C Z, but for what groups do to each other by F F^T: of each group first the cells of F, then
    /// those beside them.
    BodyRows<D> W_;
    int blocks_;
    std::vector<Cell> cells_;
    std::vector<Couple> couples_;
    std::vector<std::uint8_t> active_;
    std::unique_ptr<Factor> E_;
};

}  // namespace slosh
