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
#include <cstdint>
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
    using Values = std::array<float, N>;
    /// Where an entry of F is, and its row of A. Places count from the start of a SplitField.
    struct Cell {
        std::uint32_t own;
        std::uint32_t near[2 * D];
        float diagonal, c[2 * D];
    };
    /// Two entries whose cells are the same or beside each other, and what A has there.
    struct Couple {
        int i, j;
        float a;
        bool same;  // cell
    };
    struct Factor;  // of E

    void find_couples(std::size_t places);
    void factor();
    /// Calls body(group, its columns' first, its first entry and the one after its last).
    template <class Body>
    void for_each_group(const Body& body) const;

    const LowRank<D>& given_;
    std::vector<Cell> cells_;
    std::vector<Values> F_, Z_;  // F in the units of the level
    std::vector<std::uint8_t> active_;
    std::vector<std::vector<Couple>> inner_;  // couples i < j of each group
    std::vector<Couple> outer_;               // those of two groups, both ways
    std::vector<int> group_;                  // of each entry
    std::vector<std::uint32_t> touched_;      // places of all cells and their neighbours
    std::vector<float> kept_;                 // r in them
    std::unique_ptr<Factor> E_;
};

}  // namespace slosh
