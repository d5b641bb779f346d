// Multigrid for the viscous matrix: one cycle is a symmetric positive definite preconditioner.
//
// Coarse faces are those of cells twice the size. A correction is carried over linearly along a
// face's normal and as a constant across it ("pc"): at most two coarse faces a fine one, and the
// coarse matrices P^T A P keep about 15 points. They are formed from the matrix itself, so
// viscosity may jump by decades between neighbours; averaged coefficients break there. Coarse faces
// exist wherever a fine one needs them, also beyond surface and walls: a field that is linear up to
// the border stays so. That may make coarse matrices singular, but their right-hand sides always
// lie in the range.
//
// Smoothing: Gauss-Seidel by colours (rows.h), forwards before and backwards after the coarse
// correction, with one more sweep over the rows next to surfaces, solids and jumps of viscosity,
// where a constant fits worst. Values are float; the outer iteration is double. A constant across
// makes shear too stiff, and more so with every level: coarse levels are therefore visited twice
// (W-cycle).
//
// Bodies are unknowns of every level: B of (V4) becomes P^T B, S stays. Between the sweeps of the
// faces their twists are found from the faces exactly, and the coarsest solve has them in its
// matrix.
#pragma once

#include "slosh/viscosity/bodies.h"
#include "slosh/viscosity/dense.h"

namespace slosh {

struct ViscousMultigridOptions {
    int levels = 12;     ///< At most; 1 leaves symmetric Gauss-Seidel.
    int coarsest = 400;  ///< Rows that are solved directly.
    int sweeps = 1;      ///< Before and after.
    bool band = true;    ///< One more sweep at borders and jumps.
};

template <int D>
class ViscousMultigrid {
public:
    /// `matrix` on the faces `rows`, and `bodies` or null; all must outlive this.
    ViscousMultigrid(const Rows<double>& matrix, const FaceRows<D>& rows,
                     const BodyColumns<D>* bodies = nullptr,
                     const ViscousMultigridOptions& options = {});
    /// z = M^-1 r: rows, then the bodies' numbers.
    void apply(const std::vector<double>& r, std::vector<double>& z);
    std::size_t bytes() const;
    int levels() const { return static_cast<int>(levels_.size()); }

private:
    struct Level {
        const FaceRows<D>* rows = nullptr;
        FaceRows<D> own_rows;  // of coarse levels
        const Rows<double>* exact = nullptr;
        Rows<double> own_matrix;                 // of coarse levels
        std::vector<float> value;                // of the matrix, in the order of exact->column
        std::vector<float> inverse;              // of the diagonal
        std::vector<std::uint8_t> band;          // per row
        std::vector<int> lower, upper;           // per row: the coarse rows it takes the mean of
        std::vector<std::uint32_t> first_child;  // per coarse row, into `child`
        std::vector<int> child;
        std::vector<float> x, b, r;  // b less what the bodies' twists pull
        const BodyEntries<D>* bodies = nullptr;
        BodyEntries<D> own_bodies;         // of coarse levels
        std::vector<double> twist, force;  // of the bodies, and their right-hand side
    };
    void start(Level& level);
    bool coarsen(Level& fine, Level& coarse);
    void factor_coarsest();
    void sweep(Level& level, bool forwards, bool band_only) const;
    /// What is left of the bodies' rows.
    std::vector<double> body_residual(const Level& level) const;
    void move_bodies(Level& level, const std::vector<double>& by) const;
    /// Their twists from the faces.
    void relax_bodies(Level& level) const;
    /// Betters the x and twists of a level; from zero if `fresh`.
    void cycle(std::size_t l, bool fresh);

    ViscousMultigridOptions options_;
    const BodyColumns<D>* bodies_;
    DenseCholesky stiffness_;
    std::vector<std::unique_ptr<Level>> levels_;
    DenseCholesky coarsest_;
};

extern template class ViscousMultigrid<2>;
extern template class ViscousMultigrid<3>;

}  // namespace slosh
