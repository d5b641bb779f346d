// Keeps moving particles out of solids.
//
// A particle may only end where the interpolated solid distance phi is at least a small margin. It
// walks from its start to its wanted end in steps shorter than the thinnest wall that the nodes can
// show (one cell); a step that ends inside is pushed out along the gradient of phi, which makes
// particles slide, and if that fails the particle stops at the last place that was good.
#pragma once

#include <functional>
#include <vector>

#include "slosh/grid/field.h"

namespace slosh {

constexpr float kSolidMargin = 0.05f;  ///< Smallest solid distance of a particle. Cells.
constexpr float kSolidStep = 0.4f;     ///< Longest step of a walk: a wall's near half. Cells.
/// Longest gap between the points at which a way is found to be free: a wall one cell thick spoils
/// at least 0.86 cells of a way, wherever it lies between the nodes. Cells.
constexpr float kSolidGap = 0.5f;

/// Solids as they are, not as nodes show them: where a gap may be narrower than a cell, as between
/// a body and a wall, nodes would close it to particles although the pressure lets liquid through.
template <int D>
struct ExactSolids {
    std::function<double(const Point<D>&)> distance;  ///< At a place in grid coordinates. Cells.
    std::function<bool(const Index<D>&)> needed;      ///< Whether a block must be asked.
};

/// Which blocks have solid near, found once per move.
template <int D>
class SolidMap {
public:
    explicit SolidMap(const Field<float, D>& solid);
    /// False only if phi keeps the margin in the whole block and its 3^D neighbours.
    bool is_near(const Index<D>& block) const;
    const Field<float, D>& solid() const { return *solid_; }

private:
    const Field<float, D>* solid_;
    std::vector<float> lowest_;  // per block: smallest phi of its nodes
};

enum class MoveOutcome {
    Free,    ///< Nothing in the way.
    Pushed,  ///< Met a solid, ended outside it.
    Inside,  ///< Was inside to begin with (the solid moved over it) and found no way out.
};

/// The rule for a single particle.
template <int D>
class SolidWalker {
public:
    explicit SolidWalker(const Field<float, D>& solid) : solid_(solid), phi_(solid) {}
    /// From now on: distances of `exact`, or of the nodes if null.
    void use(const ExactSolids<D>* exact) { exact_ = exact; }
    /// Moves `x` towards `end` (grid coordinates) as far as solids allow.
    MoveOutcome walk(Point<D>& x, const Point<D>& end);
    /// phi and its gradient at a point (grid coordinates).
    double distance(const Point<D>& x, Point<D>& gradient);

private:
    /// The nodes around a point, and the fractions of the way along each axis.
    void corners(const Point<D>& x, double (&corner)[1 << D], Point<D>& t);
    double distance(const Point<D>& x);
    /// Moves `x` out of the solid along the gradient; true if it ends at or above the margin.
    bool push_out(Point<D>& x);

    const Field<float, D>& solid_;
    const ExactSolids<D>* exact_ = nullptr;
    Accessor<float, D> phi_;
    Index<D> block_ = Index<D>::filled(1 << 30);  // the last one looked up
    int found_ = 0;
};

extern template class SolidMap<2>;
extern template class SolidMap<3>;
extern template class SolidWalker<2>;
extern template class SolidWalker<3>;

}  // namespace slosh
