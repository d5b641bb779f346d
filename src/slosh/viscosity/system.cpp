#include "slosh/viscosity/system.h"

#include <cmath>

#include "slosh/grid/tile.h"

namespace slosh {

namespace {

/// Faces become rows (0 for now), solid or air.
template <int D>
void classify(const ViscousInput<D>& in, FaceRows<D>& rows) {
    parallel_for(rows.blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d) {
            const float *open = in.open->face.axis(d).block(b),
                        *liquid = in.liquid->face.axis(d).block(b);
            int* n = rows.number.axis(d).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                n[o] = open[o] < kLeastOpenFace   ? kSolidFace
                       : liquid[o] < kLeastLiquid ? kAirFace
                                                  : 0;
        }
    });
}

/// Geometric mean of the viscosities that are known in the cells around an edge: of stiff and thin
/// liquid in one place neither should rule.
template <int D>
float edge_nu(const Tile<float, D, 1>& nu, int t, int a, int c) {
    const int sa = Tile<float, D, 1>::step(a), sc = Tile<float, D, 1>::step(c);
    double log_sum = 0;
    int count = 0;
    for (const int at : {t, t - sa, t - sc, t - sa - sc})
        if (nu.v[at] > 0) {
            log_sum += std::log(nu.v[at]);
            ++count;
        }
    return count ? static_cast<float>(std::exp(log_sum / count)) : 0.0f;
}

/// C of all samples; zero beside faces that hold no liquid, unless the system is to be the plain
/// one.
template <int D>
void find_stiffness(const ViscousInput<D>& in, ViscousSystem<D>& s) {
    using T = Tile<int, D, 1>;
    const float least_liquid = in.plain ? 0 : kLeastLiquidStress;
    parallel_for(s.rows.blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        std::fill_n(s.normal.block(b), kBlockCells<D>, 0.0f);
        for (auto& edge : s.shear) std::fill_n(edge.block(b), kBlockCells<D>, 0.0f);
        T number[D];
        bool any = false;
        for (int d = 0; d < D; ++d) {
            number[d].load(s.rows.number.axis(d), b);
            for (const int n : number[d].v) any |= n >= 0;
        }
        if (!any) return;
        Tile<float, D, 1> nu;
        if (in.local_nu) nu.load(*in.local_nu, b);
        const float* cell_open = in.open->cell.block(b);
        const float* cell_liquid = in.liquid->cell.block(b);
        float* normal = s.normal.block(b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (cell_liquid[o] > least_liquid) {
                bool air = false;
                for (int d = 0; d < D && !in.plain; ++d)
                    air |= number[d].v[t] == kAirFace || number[d].v[t + T::step(d)] == kAirFace;
                const float n = in.local_nu ? nu.v[t] : static_cast<float>(in.nu);
                const float least =
                    cell_open[o] < kLeastOpenFace ? kClosedStress : kLeastOpenStress;
                if (!air) normal[o] = 2 * n * cell_liquid[o] / std::max(cell_open[o], least);
            }
            for (int a = 0; a < D; ++a)
                for (int c = a + 1; c < D; ++c) {
                    const int pair = pair_of(a, c);
                    const float liquid = in.liquid->edge[pair].block(b)[o];
                    if (!(liquid > least_liquid)) continue;
                    const int f[4] = {number[a].v[t], number[a].v[t - T::step(c)], number[c].v[t],
                                      number[c].v[t - T::step(a)]};
                    if (!in.plain && std::count(f, f + 4, kAirFace) > 0) continue;
                    float open = std::max(in.open->edge[pair].block(b)[o], kLeastOpenStress);
                    if (in.slip) open += (*in.slip)[pair].block(b)[o];
                    const float n =
                        in.local_nu ? edge_nu<D>(nu, t, a, c) : static_cast<float>(in.nu);
                    s.shear[pair].block(b)[o] = n * liquid / open;
                }
        });
    });
}

/// The stresses of a block and of its neighbours.
template <int D>
struct StressTiles {
    using T = Tile<float, D, 1>;
    T normal, shear[kPairs<D>];

    StressTiles(const ViscousSystem<D>& s, int b) {
        normal.load(s.normal, b);
        for (int p = 0; p < kPairs<D>; ++p) shear[p].load(s.shear[p], b);
    }
    /// How many of them act on the face of axis d at t.
    int held(int d, int t) const {
        int count = (normal.v[t] > 0) + (normal.v[t - T::step(d)] > 0);
        for (int e = 0; e < D; ++e) {
            if (e == d) continue;
            const T& edge = shear[pair_of(std::min(d, e), std::max(d, e))];
            count += (edge.v[t] > 0) + (edge.v[t + T::step(e)] > 0);
        }
        return count;
    }
};

/// Gives to the air the faces that no more than one stress acts on and that are less than half
/// liquid. Returns how many.
template <int D>
double drop_hinges(const ViscousInput<D>& in, ViscousSystem<D>& s) {
    return parallel_sum(s.rows.blocks->size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const auto has_row = [&](int d) {
            const int* n = s.rows.number.axis(d).block(b);
            return std::any_of(n, n + kBlockCells<D>, [](int k) { return k >= 0; });
        };
        bool any = false;
        for (int d = 0; d < D; ++d) any |= has_row(d);
        if (!any) return 0;
        const StressTiles<D> stress(s, b);
        int dropped = 0;
        for (int d = 0; d < D; ++d) {
            int* n = s.rows.number.axis(d).block(b);
            const float* liquid = in.liquid->face.axis(d).block(b);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                if (n[o] < 0 || liquid[o] >= kLeastLiquidHinge || stress.held(d, t) > 1) return;
                n[o] = kAirFace;
                ++dropped;
            });
        }
        return dropped;
    });
}

/// Takes in the faces without liquid that a stress acts on.
template <int D>
void add_empty_faces(ViscousSystem<D>& s) {
    parallel_for(s.rows.blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const StressTiles<D> stress(s, b);
        for (int d = 0; d < D; ++d) {
            int* n = s.rows.number.axis(d).block(b);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                if (n[o] == kAirFace && stress.held(d, t) > 0) n[o] = 0;
            });
        }
    });
}

/// The tiles that the rows of a block need, and the walk over a row of K.
template <int D>
struct RowTiles {
    using T = Tile<float, D, 1>;
    Tile<int, D, 1> number[D];
    T normal, shear[kPairs<D>], moved[D];

    RowTiles(const ViscousSystem<D>& s, const FaceField<float, D>* solid, int b) {
        normal.load(s.normal, b);
        for (int p = 0; p < kPairs<D>; ++p) shear[p].load(s.shear[p], b);
        for (int d = 0; d < D; ++d) {
            number[d].load(s.rows.number.axis(d), b);
            if (solid) moved[d].load(solid->axis(d), b);
        }
    }

    /// Calls add(axis, t, k): K of face (d, t) has the coefficient k at face (axis, t). Returns how
    /// many stresses act on the face.
    template <class Add>
    int row(int d, int t, const Add& add) const {
        const int sd = T::step(d);
        int held = 0;
        double diagonal = 0;
        const auto normal_stress = [&](int cell, int other) {
            const double c = normal.v[cell];
            if (c == 0) return;
            ++held;
            diagonal += c;
            add(d, other, -c);
        };
        normal_stress(t, t + sd);
        normal_stress(t - sd, t - sd);
        for (int e = 0; e < D; ++e) {
            if (e == d) continue;
            const int se = T::step(e);
            const auto& at_edge = shear[pair_of(std::min(d, e), std::max(d, e))];
            const double below = at_edge.v[t], above = at_edge.v[t + se];
            held += (below != 0) + (above != 0);
            if (below != 0) {
                diagonal += below;
                add(d, t - se, -below);
                add(e, t, below);
                add(e, t - sd, -below);
            }
            if (above != 0) {
                diagonal += above;
                add(d, t + se, -above);
                add(e, t + se, -above);
                add(e, t + se - sd, above);
            }
        }
        add(d, t, diagonal);
        return held;
    }
};

template <int D>
void fill_matrix(const ViscousInput<D>& in, ViscousSystem<D>& s) {
    using T = Tile<float, D, 1>;
    const int blocks = s.rows.blocks->size();
    const int n = s.rows.size();
    constexpr int kMost = 6 * D - 3;
    s.matrix.first.assign(n + 1, 0);
    s.known.assign(n, 0);
    s.open.resize(n);
    s.liquid.resize(n);
    s.held.resize(n);
    // Rows are short and their length is bounded: block by block into a buffer, then joined.
    struct Part {
        std::vector<int> column;
        std::vector<double> value;
    };
    std::vector<Part> part(blocks);
    parallel_for(blocks, 2, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (s.rows.first[b] == s.rows.first[b + 1]) return;
        const RowTiles<D> tiles(s, in.moved, b);
        Part& out = part[b];
        const std::size_t most =
            static_cast<std::size_t>(s.rows.first[b + 1] - s.rows.first[b]) * kMost;
        out.column.reserve(most);
        out.value.reserve(most);
        s.rows.each(b, [&](int row, int d, int o) {
            const int t = T::offset(local_cell<D>(o));
            const double open = in.open->face.axis(d).block(b)[o];
            const double liquid = std::max(in.liquid->face.axis(d).block(b)[o], kLeastLiquid);
            s.open[row] = open;
            s.liquid[row] = liquid;
            int column[kMost], count = 0;
            double value[kMost], known = 0;
            const int held = tiles.row(d, t, [&](int axis, int at, double k) {
                if (in.moved) known += k * tiles.moved[axis].v[at];
                const int other = tiles.number[axis].v[at];
                if (other < 0) return;
                int place = count++;
                for (; place > 0 && column[place - 1] > other; --place) {
                    column[place] = column[place - 1];
                    value[place] = value[place - 1];
                }
                column[place] = other;
                value[place] = k + (other == row ? liquid / open : 0.0);
            });
            s.known[row] = known;
            s.held[row] = static_cast<std::uint8_t>(held);
            s.matrix.first[row + 1] = static_cast<std::uint32_t>(count);
            out.column.insert(out.column.end(), column, column + count);
            out.value.insert(out.value.end(), value, value + count);
        });
    });
    for (int row = 0; row < n; ++row) s.matrix.first[row + 1] += s.matrix.first[row];
    s.matrix.column.resize(s.matrix.first[n]);
    s.matrix.value.resize(s.matrix.first[n]);
    parallel_for(blocks, 4, [&](std::size_t b) {
        const std::size_t at = s.matrix.first[s.rows.first[b]];
        std::copy(part[b].column.begin(), part[b].column.end(), s.matrix.column.begin() + at);
        std::copy(part[b].value.begin(), part[b].value.end(), s.matrix.value.begin() + at);
        part[b] = {};
    });
}

template <int D>
double largest(const Field<float, D>& f) {
    return parallel_max(f.blocks().size(), [&](std::size_t b) {
        float most = 0;
        for (int o = 0; o < kBlockCells<D>; ++o)
            most = std::max(most, std::abs(f.block(static_cast<int>(b))[o]));
        return most;
    });
}

}  // namespace

template <int D>
ViscousSystem<D> assemble_viscosity(const ViscousInput<D>& in) {
    ViscousSystem<D> s;
    const BlocksPtr<D>& blocks = in.open->cell.blocks_ptr();
    s.rows.blocks = blocks;
    s.rows.number = FaceField<int, D>(blocks, kAirFace);
    s.normal = Field<float, D>(blocks);
    for (auto& e : s.shear) e = Field<float, D>(blocks);
    classify(in, s.rows);
    find_stiffness(in, s);
    if (in.plain) add_empty_faces(s);
    // Each round may leave new hinges, fewer and fewer.
    for (int round = 0; !in.plain && round < 3 && drop_hinges(in, s) > 0; ++round)
        find_stiffness(in, s);
    s.rows.finish();
    s.stiffest = in.local_nu ? largest(*in.local_nu) : in.nu;
    for (int d = 0; in.moved && d < D; ++d)
        s.solid_speed = std::max(s.solid_speed, largest(in.moved->axis(d)));
    fill_matrix(in, s);
    return s;
}

template <int D>
void ViscousSystem<D>::load(const FaceField<float, D>& u, std::vector<double>& rhs,
                            std::vector<double>& x) const {
    rhs.resize(rows.size());
    x.resize(rows.size());
    parallel_for(rows.blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        rows.each(b, [&](int row, int d, int o) {
            const double velocity = u.axis(d).block(b)[o];
            rhs[row] = liquid[row] * velocity - known[row];
            x[row] = open[row] * velocity;
        });
    });
}

template <int D>
void ViscousSystem<D>::store(const std::vector<double>& x, FaceField<float, D>& u) const {
    parallel_for(rows.blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        rows.each(b, [&](int row, int d, int o) {
            u.axis(d).block(b)[o] = static_cast<float>(x[row] / open[row]);
        });
    });
}

#define SLOSH_INSTANTIATE(D)          \
    template struct ViscousSystem<D>; \
    template ViscousSystem<D> assemble_viscosity<D>(const ViscousInput<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
