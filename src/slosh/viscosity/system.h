// The viscous system: one implicit step of the full viscous stress [Takahashi2019, sec. 3.2, 3.4].
//
// With u the velocity of faces, W_F what solids leave of a sample's box and W_L what liquid fills
// of it (volumes.h), the step from u* minimises over u and the bodies' twists V
//
//     1/2 sum_f W_F W_L (u - u*)^2 + nu sum_s (W_L / W_F)_s |e_s|^2 + 1/2 (V - V*) M (V - V*)  (V1)
//     e = D ( W_F u + W_S u_solid + sum_n W_Sn J_n V_n ),     nu = dt eta / (rho dx^2)         (V2)
//
// in units of rho dx^D: e_s is the strain rate that the averaged velocity of liquid and solid has,
// exactly zero for a rigid motion of all. D is the plain difference of faces: a normal strain in a
// cell, (d_j u_i + d_i u_j)/2 at an edge. In x = W_F u this is the symmetric positive definite
//
//     ( W_L/W_F + K ) x = W_L u* - K (W_S u_solid),     K = D^T C D                            (V3)
//     C = 2 nu W_L/W_F in cells, nu W_L/W_F at edges
//
// of 9 (15) points. No slip at solids; a slip length b adds b/dx to W_F of the edges at that solid:
// the stress there becomes that of liquid which slides as if the wall were b further away (Navier).
//
// Choices: W_F of stress is at least 0.05 (in cells that a solid fills 0.005: what they hold is a
// face on the wall, which has one row alone to move, and a wall on a line of the grid stays there),
// faces less than 1e-3 open belong to the solid, and faces with less than 1e-3 of liquid to the
// air; stress beside such a face, and stress of a box with less than 2 % of liquid, is dropped. A
// face that only one stress is left to hold may turn about it like a hinge: if it is less than half
// liquid it goes to the air as well. (To drop them all takes half a cell off every surface: a film
// of 32 cells then flows 5 % too slowly. To keep them all lets the velocity of a rim, which few
// particles know of, slow a blob that spins.) So the condition number does not depend on slivers,
// and a bit of liquid that hangs on the rest by a sliver is a piece of its own, with its own rigid
// motions. `plain` leaves the liquid's side as the paper prints it: all stress with any liquid
// counts, and every face beside one is a row, without mass if it has no liquid. So the rivals of
// the volumes are compared; a face that they give neither volume nor stress is at rest after the
// step, whatever liquid pressure sees there.
#pragma once

#include "slosh/viscosity/rows.h"
#include "slosh/viscosity/volumes.h"

namespace slosh {

constexpr float kLeastOpenStress = 0.05f;
constexpr float kClosedStress = 0.005f;
constexpr float kLeastOpenFace = 1e-3f;
constexpr float kLeastLiquid = 1e-3f;
constexpr float kLeastLiquidStress = 0.02f;
constexpr float kLeastLiquidHinge = 0.5f;
constexpr int kAirFace = -1;    ///< In FaceRows::number: no liquid here ...
constexpr int kSolidFace = -2;  ///< ... a solid's velocity is known here.

template <int D>
struct ViscousInput {
    const SampleVolumes<D>* open = nullptr;      ///< W_F
    const SampleVolumes<D>* liquid = nullptr;    ///< W_L
    const FaceField<float, D>* moved = nullptr;  ///< W_S u_solid of what is known; null: zero. m/s
    double nu = 0;                               ///< dt eta / (rho dx^2), if `local_nu` is null.
    const Field<float, D>* local_nu = nullptr;   ///< The same at cell centres; 0 where unknown.
    const std::array<Field<float, D>, kPairs<D>>* slip = nullptr;  ///< b / dx at edges; null: zero.
    bool plain = false;  ///< Without the choices about slivers of liquid.
};

template <int D>
struct ViscousSystem {
    FaceRows<D> rows;
    Rows<double> matrix;               ///< Of (V3).
    std::vector<double> open, liquid;  ///< W_F, W_L per row.
    std::vector<double> known;         ///< K (W_S u_solid) per row.
    std::vector<std::uint8_t> held;    ///< Stresses that act on each row: 2 D amid liquid.
    Field<float, D> normal;            ///< C in cells.
    std::array<Field<float, D>, kPairs<D>> shear;  ///< C at edges.
    double stiffest = 0;                           ///< Largest nu.
    double solid_speed = 0;                        ///< Largest component of W_S u_solid. m/s

    /// Right-hand side for the velocity u*, and u* as the first guess x = W_F u*.
    void load(const FaceField<float, D>& u, std::vector<double>& rhs, std::vector<double>& x) const;
    /// Writes x / W_F into the faces that are rows.
    void store(const std::vector<double>& x, FaceField<float, D>& u) const;
};

template <int D>
ViscousSystem<D> assemble_viscosity(const ViscousInput<D>& input);

}  // namespace slosh
