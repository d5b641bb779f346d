#include "slosh/viscosity/multigrid.h"

#include <algorithm>
#include <array>
#include <memory>

namespace slosh {

namespace {

/// The two coarse faces whose mean a fine face takes (the same twice if it lies in a coarse one).
template <int D>
std::array<Index<D>, 2> coarse_faces(const Index<D>& cell, int axis) {
    Index<D> lower;
    for (int d = 0; d < D; ++d) lower[d] = cell[d] >> 1;
    Index<D> upper = lower;
    upper[axis] += cell[axis] & 1;
    return {lower, upper};
}

/// Sums entries of a row by column; a row has a few dozen at most.
class RowSum {
public:
    void add(int column, double value) {
        unsigned slot = static_cast<unsigned>(column) * 2654435761u >> 24;
        while (key_[slot] != column) {
            if (key_[slot] < 0) {
                key_[slot] = column;
                used_[count_++] = static_cast<std::uint8_t>(slot);
                sum_[slot] = 0;
                break;
            }
            slot = (slot + 1) & 255;
        }
        sum_[slot] += value;
    }
    /// Hands out the entries by ascending column, and clears.
    template <class Take>
    void take(const Take& take) {
        std::sort(used_, used_ + count_,
                  [&](std::uint8_t a, std::uint8_t b) { return key_[a] < key_[b]; });
        for (int i = 0; i < count_; ++i) {
            take(key_[used_[i]], sum_[used_[i]]);
            key_[used_[i]] = -1;
        }
        count_ = 0;
    }
    RowSum() { std::fill(std::begin(key_), std::end(key_), -1); }

private:
    int key_[256];
    double sum_[256];
    std::uint8_t used_[256];
    int count_ = 0;
};

/// Rows that lack a neighbour, or whose coefficients differ by more than a factor of four.
template <int D>
std::vector<std::uint8_t> border_rows(const Rows<double>& a) {
    constexpr std::uint32_t kFull = 6 * D - 3;
    std::vector<std::uint8_t> band(a.size());
    parallel_for(a.size(), kRowGrain, [&](std::size_t i) {
        double least = 1e300, most = 0;
        for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) {
            if (a.column[k] == static_cast<int>(i)) continue;
            least = std::min(least, std::abs(a.value[k]));
            most = std::max(most, std::abs(a.value[k]));
        }
        band[i] = a.first[i + 1] - a.first[i] < kFull || most > 4 * least;
    });
    return band;
}

/// P^T B, one entry a row.
template <int D>
BodyEntries<D> coarse_entries(const BodyEntries<D>& fine, const std::vector<int>& lower,
                              const std::vector<int>& upper) {
    using Entry = typename BodyEntries<D>::Entry;
    BodyEntries<D> coarse;
    for (int b = 0; b < fine.bodies(); ++b) {
        std::vector<Entry> list;
        for (std::size_t i = fine.first[b]; i < fine.first[b + 1]; ++i)
            for (const int row : {lower[fine.entries[i].row], upper[fine.entries[i].row]}) {
                Entry e = fine.entries[i];
                e.row = row;
                for (double& f : e.f) f *= 0.5;
                list.push_back(e);
            }
        coarse.add_body(std::move(list));
    }
    return coarse;
}

}  // namespace

template <int D>
ViscousMultigrid<D>::ViscousMultigrid(const Rows<double>& matrix, const FaceRows<D>& rows,
                                      const BodyColumns<D>* bodies,
                                      const ViscousMultigridOptions& options)
    : options_(options), bodies_(bodies) {
    levels_.push_back(std::make_unique<Level>());
    levels_[0]->rows = &rows;
    levels_[0]->exact = &matrix;
    levels_[0]->bodies = bodies;
    if (bodies_) stiffness_ = DenseCholesky(bodies_->stiffness, bodies_->size(), 1e-12);
    start(*levels_[0]);
    while (levels() < options.levels && levels_.back()->exact->size() > options.coarsest) {
        auto coarse = std::make_unique<Level>();
        if (!coarsen(*levels_.back(), *coarse)) break;
        levels_.push_back(std::move(coarse));
        start(*levels_.back());
    }
    if (levels_.back()->exact->size() <= options.coarsest && levels() > 1) factor_coarsest();
    // What the coarse levels keep of their matrices is float.
    for (std::size_t l = 1; l < levels_.size(); ++l)
        std::vector<double>().swap(levels_[l]->own_matrix.value);
}

/// The matrix of rows and bodies.
template <int D>
void ViscousMultigrid<D>::factor_coarsest() {
    const Level& last = *levels_.back();
    const int n = last.exact->size(), m = bodies_ ? bodies_->size() : 0;
    const std::size_t all = static_cast<std::size_t>(n + m);
    std::vector<double> dense(all * all);
    for (int i = 0; i < n; ++i)
        for (std::uint32_t k = last.exact->first[i]; k < last.exact->first[i + 1]; ++k)
            dense[i * all + last.exact->column[k]] = last.exact->value[k];
    // Cholesky's method reads below the diagonal.
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
            dense[(n + i) * all + n + j] = bodies_->stiffness[static_cast<std::size_t>(i) * m + j];
    for (int b = 0; b * kTwist<D> < m; ++b)
        for (std::size_t e = last.bodies->first[b]; e < last.bodies->first[b + 1]; ++e)
            for (int k = 0; k < kTwist<D>; ++k)
                dense[(n + b * kTwist<D> + k) * all + last.bodies->entries[e].row] +=
                    last.bodies->entries[e].f[k];
    coarsest_ = DenseCholesky(std::move(dense), n + m, 1e-9);
}

template <int D>
void ViscousMultigrid<D>::start(Level& level) {
    const Rows<double>& a = *level.exact;
    level.value.resize(a.value.size());
    level.inverse.resize(a.size());
    parallel_for(a.size(), kRowGrain, [&](std::size_t i) {
        for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) {
            level.value[k] = static_cast<float>(a.value[k]);
            if (a.column[k] == static_cast<int>(i))
                level.inverse[i] = a.value[k] > 0 ? static_cast<float>(1 / a.value[k]) : 0.0f;
        }
    });
    if (options_.band && options_.levels > 1) level.band = border_rows<D>(a);
    for (auto* v : {&level.x, &level.b, &level.r}) v->resize(a.size());
    if (!bodies_) return;
    level.twist.resize(bodies_->size());
    level.force.resize(bodies_->size());
}

template <int D>
bool ViscousMultigrid<D>::coarsen(Level& fine, Level& coarse) {
    const FaceRows<D>& rows = *fine.rows;
    const Blocks<D>& blocks = *rows.blocks;
    // Coarse blocks: parents, and the next ones up where an upper coarse face may lie.
    std::vector<Index<D>> coords;
    for (int b = 0; b < blocks.size(); ++b) {
        if (rows.first[b] == rows.first[b + 1]) continue;
        Index<D> parent;
        for (int d = 0; d < D; ++d) parent[d] = blocks.coord(b)[d] >> 1;
        coords.push_back(parent);
        for (int d = 0; d < D; ++d)
            if (blocks.coord(b)[d] & 1) coords.push_back(parent + unit<D>(d));
    }
    FaceRows<D>& to = coarse.own_rows;
    to.blocks = std::make_shared<const Blocks<D>>(std::move(coords));
    to.number = FaceField<int, D>(to.blocks, -1);
    const auto each_fine = [&](int b, const auto& body) {
        const Index<D> first = blocks.first_cell(b);
        rows.each(b, [&](int row, int axis, int o) {
            body(row, axis, coarse_faces<D>(first + local_cell<D>(o), axis));
        });
    };
    for (int b = 0; b < blocks.size(); ++b)
        each_fine(b, [&](int, int axis, const auto& faces) {
            for (const Index<D>& f : faces) to.number.axis(axis).set(f, 0);
        });
    to.finish();
    if (to.size() * 10 > rows.size() * 9) return false;

    fine.lower.resize(rows.size());
    fine.upper.resize(rows.size());
    parallel_for(blocks.size(), 4, [&](std::size_t b) {
        each_fine(static_cast<int>(b), [&](int row, int axis, const auto& faces) {
            fine.lower[row] = to.number.axis(axis).get(faces[0]);
            fine.upper[row] = to.number.axis(axis).get(faces[1]);
        });
    });
    // The transpose: children of each coarse row, ascending. A row that lies in its coarse face is
    // listed twice there and nowhere else, so every entry of P counts one half.
    fine.first_child.assign(to.size() + 1, 0);
    for (const auto* list : {&fine.lower, &fine.upper})
        for (const int c : *list) ++fine.first_child[c + 1];
    for (int c = 0; c < to.size(); ++c) fine.first_child[c + 1] += fine.first_child[c];
    fine.child.resize(2 * static_cast<std::size_t>(rows.size()));
    std::vector<std::uint32_t> next(fine.first_child.begin(), fine.first_child.end() - 1);
    for (int row = 0; row < rows.size(); ++row) {
        fine.child[next[fine.lower[row]]++] = row;
        fine.child[next[fine.upper[row]]++] = row;
    }

    // P^T A P, block by block.
    const Rows<double>& a = *fine.exact;
    Rows<double>& out = coarse.own_matrix;
    out.first.assign(to.size() + 1, 0);
    std::vector<Rows<double>> part(to.blocks->size());
    parallel_for(to.blocks->size(), 1, [&](std::size_t b) {
        RowSum sum;
        for (int c = to.first[b]; c < to.first[b + 1]; ++c) {
            for (std::uint32_t i = fine.first_child[c]; i < fine.first_child[c + 1]; ++i) {
                const int row = fine.child[i];
                for (std::uint32_t k = a.first[row]; k < a.first[row + 1]; ++k) {
                    const double v = 0.25 * a.value[k];
                    sum.add(fine.lower[a.column[k]], v);
                    sum.add(fine.upper[a.column[k]], v);
                }
            }
            int count = 0;
            sum.take([&](int column, double value) {
                if (value == 0 && column != c) return;
                part[b].column.push_back(column);
                part[b].value.push_back(value);
                ++count;
            });
            out.first[c + 1] = static_cast<std::uint32_t>(count);
        }
    });
    for (int c = 0; c < to.size(); ++c) out.first[c + 1] += out.first[c];
    for (auto& p : part) {
        out.column.insert(out.column.end(), p.column.begin(), p.column.end());
        out.value.insert(out.value.end(), p.value.begin(), p.value.end());
        p = {};
    }
    coarse.rows = &coarse.own_rows;
    coarse.exact = &coarse.own_matrix;
    if (bodies_) {
        coarse.own_bodies = coarse_entries<D>(*fine.bodies, fine.lower, fine.upper);
        coarse.bodies = &coarse.own_bodies;
    }
    return true;
}

template <int D>
void ViscousMultigrid<D>::sweep(Level& level, bool forwards, bool band_only) const {
    const Rows<double>& a = *level.exact;
    float* x = level.x.data();
    const auto relax = [&](int i) {
        if (band_only && !level.band[i]) return;
        float s = level.b[i];
        for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k)
            s -= level.value[k] * x[a.column[k]];
        x[i] += s * level.inverse[i];
    };
    for (int step = 0; step < kChildren<D>; ++step) {
        const auto& list = level.rows->colour[forwards ? step : kChildren<D> - 1 - step];
        parallel_for(list.size(), 2, [&](std::size_t n) {
            const int begin = level.rows->first[list[n]], end = level.rows->first[list[n] + 1];
            if (forwards)
                for (int i = begin; i < end; ++i) relax(i);
            else
                for (int i = end - 1; i >= begin; --i) relax(i);
        });
    }
}

template <int D>
std::vector<double> ViscousMultigrid<D>::body_residual(const Level& level) const {
    std::vector<double> r = level.force;
    level.bodies->add_to_bodies(-1, level.x, r.data());
    bodies_->add_stiffness(-1, level.twist.data(), r.data());
    return r;
}

template <int D>
void ViscousMultigrid<D>::move_bodies(Level& level, const std::vector<double>& by) const {
    for (std::size_t k = 0; k < by.size(); ++k) level.twist[k] += by[k];
    level.bodies->add_to_rows(-1, by.data(), level.b);
}

template <int D>
void ViscousMultigrid<D>::relax_bodies(Level& level) const {
    std::vector<double> r = body_residual(level);
    stiffness_.solve(r.data());
    move_bodies(level, r);
}

template <int D>
void ViscousMultigrid<D>::cycle(std::size_t l, bool fresh) {
    Level& level = *levels_[l];
    const bool band = !level.band.empty(), last = l + 1 == levels_.size();
    if (last && coarsest_.size() > 0) {
        std::vector<double> x(level.b.begin(), level.b.end());
        x.insert(x.end(), level.force.begin(), level.force.end());
        coarsest_.solve(x.data());
        std::copy_n(x.begin(), level.x.size(), level.x.begin());
        std::copy(x.begin() + level.x.size(), x.end(), level.twist.begin());
        return;
    }
    if (fresh) {
        std::fill(level.x.begin(), level.x.end(), 0.0f);
        std::fill(level.twist.begin(), level.twist.end(), 0.0);
    }
    const int sweeps = last && l > 0 ? 8 : options_.sweeps;
    if (band) sweep(level, true, true);
    for (int i = 0; i < sweeps; ++i) sweep(level, true, false);
    if (bodies_) relax_bodies(level);
    if (!last) {
        const Rows<double>& a = *level.exact;
        parallel_for(a.size(), kRowGrain, [&](std::size_t i) {
            float s = level.b[i];
            for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k)
                s -= level.value[k] * level.x[a.column[k]];
            level.r[i] = s;
        });
        Level& coarse = *levels_[l + 1];
        parallel_for(coarse.b.size(), kRowGrain, [&](std::size_t c) {
            float s = 0;
            for (std::uint32_t i = level.first_child[c]; i < level.first_child[c + 1]; ++i)
                s += level.r[level.child[i]];
            coarse.b[c] = 0.5f * s;
        });
        // relax_bodies has left nothing of the bodies' own rows.
        std::fill(coarse.force.begin(), coarse.force.end(), 0.0);
        cycle(l + 1, true);
        if (l + 2 < levels_.size()) cycle(l + 1, false);
        parallel_for(a.size(), kRowGrain, [&](std::size_t i) {
            level.x[i] += 0.5f * (coarse.x[level.lower[i]] + coarse.x[level.upper[i]]);
        });
        if (bodies_) {
            move_bodies(level, coarse.twist);
            relax_bodies(level);
        }
    }
    for (int i = 0; i < sweeps; ++i) sweep(level, false, false);
    if (band) sweep(level, false, true);
}

template <int D>
void ViscousMultigrid<D>::apply(const std::vector<double>& r, std::vector<double>& z) {
    Level& top = *levels_[0];
    const std::size_t rows = top.b.size();
    // The residual of a converged iteration may be too small for float: take its size out.
    const double size = max_abs(r), down = size > 0 ? 1 / size : 0;
    parallel_for(rows, kRowGrain,
                 [&](std::size_t i) { top.b[i] = static_cast<float>(r[i] * down); });
    for (std::size_t k = 0; k < top.force.size(); ++k) top.force[k] = r[rows + k] * down;
    cycle(0, true);
    z.resize(r.size());
    parallel_for(rows, kRowGrain, [&](std::size_t i) { z[i] = top.x[i] * size; });
    for (std::size_t k = 0; k < top.twist.size(); ++k) z[rows + k] = top.twist[k] * size;
}

template <int D>
std::size_t ViscousMultigrid<D>::bytes() const {
    std::size_t n = coarsest_.bytes();
    for (const auto& level : levels_)
        n += level->own_matrix.bytes() + level->own_bodies.bytes() + 4 * level->value.size() +
             level->band.size() +
             4 * (level->inverse.size() + 3 * level->x.size() + 2 * level->lower.size() +
                  level->child.size() + level->first_child.size());
    return n;
}

template class ViscousMultigrid<2>;
template class ViscousMultigrid<3>;

}  // namespace slosh
