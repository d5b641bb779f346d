// Bodies much lighter than the liquid in conjugate gradients (internal to the multigrid solvers).
//
// The matrix is C = A + F F^T (low_rank.h). A body of density s adds eigenvalues of about 1 + 1/(2 s)
// that a cycle of A knows nothing of, six a body. But a light body hardly lets F^T x differ from zero,
// so that any Z with F^T Z large takes them out: of what is C-orthogonal to Z, no eigenvalue is above
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

#include <array>
#include <memory>
#include <vector>

#include "slosh/linear/low_rank.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

/// From this LowRank::lightness on bodies are light.
inline constexpr double kLightBody = 5;

template <int D>
class LightBodies {
public:
    LightBodies(const LowRank<D>& F, const MultigridLevel<D>& finest);
    ~LightBodies();

    /// Z and E; cells marked in `active`, if given, take no part.
    void build(const Field<std::uint8_t, D>* active);
    /// Before the cycle: takes C Z c from r, in the units of the cycle.
    void begin(SplitField<D>& r);
    /// After it: r as it was, and the rest of (L2). Returns how much r.z grows.
    double end(SplitField<D>& r, SplitField<D>& z);

private:
    static constexpr int N = kColumns<D>;
    using Place = SplitPlace<D>;
    using Values = std::array<float, N>;
    /// Rows of a matrix with N columns for each group: group after group.
    struct Rows {
        std::vector<Place> places;
        std::vector<Values> values;
        std::vector<std::size_t> first;
    };
    struct Factor;  // of E

    /// The columns of one group: to = m^T x; x += m c.
    static void gather(const Rows& m, int group, const SplitField<D>& x, double* to);
    static void scatter(const Rows& m, int group, const double* c, SplitField<D>& x);
    struct Part;  // of A Z: one group
    Part build_group(int g, const Field<std::uint8_t, D>* active);
    void factor();

    const LowRank<D>& given_;
    const MultigridLevel<D>& level_;
    Rows F_, Z_, AZ_;          // F in the units of the level
    std::vector<float> kept_;  // r in the cells of F_ and AZ_
    std::unique_ptr<Factor> E_;
};

}  // namespace slosh
