// The rigid motions of every piece of liquid, as a coarse space.
//
// A piece that touches no wall has D + kSpin motions without strain: the viscous matrix sees only
// their mass, and the more viscous the liquid, the worse every other preconditioner does on them.
// With Z those motions, one group per connected piece of the matrix, E = Z^T A Z and M whatever
// preconditions the rest, the balanced preconditioner is
//
//     P^T M P + Z E^-1 Z^T,        P = I - A Z E^-1 Z^T                                       (V5)
//
// M never sees a rigid motion, which a cycle in float would return with noise that the matrix
// multiplies by nu. Pieces do not meet, so E falls apart into small blocks. A body makes one piece
// of all that it touches, itself included: its unknowns move along, as far as it may.
#pragma once

#include "slosh/viscosity/bodies.h"
#include "slosh/viscosity/dense.h"

namespace slosh {

template <int D>
class RigidModes {
public:
    static constexpr int kModes = D == 3 ? 6 : 3;
    /// `bodies` may be null. Vectors hold the rows, then the bodies' numbers.
    explicit RigidModes(const ViscousSystem<D>& system, const BodyColumns<D>* bodies = nullptr);

    /// t = E^-1 Z^T r, and with it p = P r.
    void take_out(const std::vector<double>& r, std::vector<double>& p,
                  std::vector<double>& t) const;
    /// z = P^T z + Z t
    void put_back(const std::vector<double>& t, std::vector<double>& z) const;
    int pieces() const { return static_cast<int>(blocks_.size()); }
    std::size_t bytes() const { return modes_.size() * 8 + order_.size() * 8; }

private:
    void find_pieces(const Rows<double>& matrix, const BodyColumns<D>* bodies);
    void fill_modes(const ViscousSystem<D>& system, const BodyColumns<D>* bodies);
    std::vector<double> body_product(int rows, const BodyColumns<D>* bodies) const;
    /// E^-1 (sum over the rows of each piece of `with`, kModes a row, times r)
    std::vector<double> solve_coarse(const std::vector<float>& with,
                                     const std::vector<double>& r) const;

    struct Chunk {
        int piece, begin, end;  // in order_
    };
    std::vector<float> modes_;    // Z, kModes per row
    std::vector<float> product_;  // A Z
    std::vector<int> order_;      // rows and bodies' numbers, piece by piece
    std::vector<int> piece_;      // of each
    std::vector<Chunk> chunks_;
    std::vector<DenseCholesky> blocks_;
};

extern template class RigidModes<2>;
extern template class RigidModes<3>;

}  // namespace slosh
