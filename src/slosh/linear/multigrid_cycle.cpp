#include "slosh/linear/coarsest.h"
#include "slosh/linear/cycle_bodies.h"
#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

namespace {
constexpr int kPasses = 7;  // in one journey: more would not stay in cache

double sum_of(const std::vector<double>& values) {
    double sum = 0;
    for (double v : values) sum += v;
    return sum;
}
}  // namespace

template <int D>
bool Multigrid<D>::is_coarsest(std::size_t l) const {
    return coarsened_ && l + 1 == levels_.size();
}

template <int D>
int Multigrid<D>::sweeps(std::size_t l) const {
    if (is_coarsest(l)) return options_.coarsest_sweeps;
    return l == 0 ? options_.sweeps : options_.coarse_sweeps;
}

template <int D>
int Multigrid<D>::edge_passes(std::size_t l) const {
    const bool some = l == 0 && !is_coarsest(l) && finest().unknowns >= options_.edge_from;
    return some ? 2 * options_.edge_sweeps : 0;
}

/// A half-sweep over one colour, with weight omega; from x = 0 there if `from_zero`.
template <int D>
void relax(int colour, const MultigridLevel<D>& level, int i, const SplitField<D>& b,
           SplitField<D>& x, float omega, bool from_zero) {
    const auto of_colour = [&](auto T) {
        if (omega == 1 || from_zero)
            relax_block<D, T>(level, i, b, x, omega);
        else
            relax_block<D, T, true>(level, i, b, x, omega);
    };
    if (colour == 1)
        of_colour(std::integral_constant<int, 1>{});
    else
        of_colour(std::integral_constant<int, 0>{});
}

/// A half-sweep over the mixed vectors of one colour.
template <int D>
void relax_edge(int colour, const MultigridLevel<D>& level, int i, const SplitField<D>& b,
                SplitField<D>& x) {
    if (colour == 1)
        relax_mixed<D, 1>(level, i, b, x);
    else
        relax_mixed<D, 0>(level, i, b, x);
}

template <int D>
double Multigrid<D>::cycle(SplitField<D>& rhs, SplitField<D>& x) {
    descend(0, rhs, x, true, nullptr);
    return correct_and_ascend(rhs, x, nullptr);
}

template <int D>
double Multigrid<D>::cycle(SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low) {
    descend(0, rhs, x, true, &low);
    return correct_and_ascend(rhs, x, &low);
}

template <int D>
void Multigrid<D>::smooth(const SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low) {
    descend(0, rhs, x, true, &low, 0, 2 * sweeps(0) + edge_passes(0));
}

template <int D>
double Multigrid<D>::finish(SplitField<D>& rhs, SplitField<D>& x, const LowerBounds& low) {
    descend(0, rhs, x, true, &low, 2 * sweeps(0) + edge_passes(0));
    return correct_and_ascend(rhs, x, &low);
}

/// The weight of a half-sweep: those between the first and the last over-relax. The first and the
/// last do not: the residual is to vanish on black cells when it is restricted, and the first
/// one's weight matters little.
template <int D>
float Multigrid<D>::weight_of(int pass, int last, bool coarsest) const {
    return coarsest || pass == 0 || pass == last ? 1 : options_.omega;
}

/// What follows the descent on the finest level. Returns rhs.x.
template <int D>
double Multigrid<D>::correct_and_ascend(SplitField<D>& rhs, SplitField<D>& x,
                                        const LowerBounds* low) {
    const bool with_bodies = bodies_ && levels_.size() > 1;
    if (with_bodies) {
        bodies_->begin(0, rhs, nullptr);
        bodies_->restrict_rest(0, x, levels_[1].b);
    }
    correct(0);
    if (with_bodies) bodies_->correct(0, rhs, levels_[1].x);
    ascend(0, rhs, x, low);
    return sum_of(partial_) + (with_bodies ? bodies_->end(0, rhs, x) : 0);
}

/// Solves the next coarser level's problem, more or less.
template <int D>
void Multigrid<D>::correct(std::size_t l) {
    if (is_coarsest(l)) return;
    MultigridLevel<D>& level = levels_[l + 1];
    if (bodies_ && is_coarsest(l + 1) && bodies_->knows_coarsest()) {
        bodies_->solve_coarsest(level);
        return;
    }
    if (!bodies_ && is_coarsest(l + 1) && coarsest_->is_known()) {
        coarsest_->solve(level.b, level.x);
        return;
    }
    for (int visit = 0; visit < options_.visits; ++visit) {
        if (bodies_) bodies_->begin(l + 1, level.b, visit == 0 ? nullptr : &level.x);
        descend(l + 1, level.b, level.x, visit == 0, nullptr);
        if (bodies_ && !is_coarsest(l + 1))
            bodies_->restrict_rest(l + 1, level.x, levels_[l + 2].b);
        correct(l + 1);
        if (bodies_ && !is_coarsest(l + 1)) bodies_->correct(l + 1, level.b, levels_[l + 2].x);
        ascend(l + 1, level.b, level.x, nullptr);
    }
}

template <int D>
void Multigrid<D>::set_bodies(const LowRank<D>& F) {
    bodies_ = std::make_unique<CycleBodies<D>>(F, finest());
    if (coarsened_) coarsen_bodies(nullptr);
}

template <int D>
void Multigrid<D>::coarsen_bodies(const Field<std::uint8_t, D>* active) {
    bodies_->coarsen(levels_, active);
    if (levels_.size() == 1) return;
    MultigridLevel<D>& level = levels_.back();
    const std::size_t l = levels_.size() - 1;
    bodies_->set_coarsest(level, [&] {
        for (int visit = 0; visit < options_.visits; ++visit) {
            descend(l, level.b, level.x, visit == 0, nullptr);
            ascend(l, level.b, level.x, nullptr);
        }
    });
}

/// Smooths (red, black, at the edges red, black, then red, black ...) and restricts the residual.
template <int D>
void Multigrid<D>::descend(std::size_t l, const SplitField<D>& b, SplitField<D>& x, bool from_zero,
                           const LowerBounds* low, int first_pass, int last_pass) {
    const MultigridLevel<D>& level = levels_[l];
    const Coarsening<D>& up = level.coarsening;
    const bool coarsest = is_coarsest(l);
    SplitField<D>* coarse = coarsest ? nullptr : &levels_[l + 1].b;
    const int edge = edge_passes(l), n = 2 * sweeps(l) + edge,
              passes = std::min(n + !coarsest, last_pass);
    for (int done = first_pass; done < passes; done += kPasses) {
        level.slabs.run(std::min(kPasses, passes - done), [&](int k, int i) {
            const int pass = done + k;
            const bool bounded = low && low->is_near(i);
            if (pass == n) {
                const auto restrict = bounded ? restrict_red<D, true> : restrict_red<D, false>;
                return restrict(level, i, b, x, up.octant[i], *coarse, up.parent[i], low);
            }
            if (pass >= 2 && pass < 2 + edge)
                relax_edge<D>(pass & 1, level, i, b, x);
            else if (pass == 0 && from_zero)
                relax_red_from_zero<D>(level, i, b, x);
            else
                relax<D>(pass & 1, level, i, b, x, weight_of(pass, n - 1, coarsest),
                         from_zero && pass == 1);
            if (bounded) raise_to_bounds<D>(pass & 1, level, i, *low, x);
        });
    }
}

/// Adds the coarse correction and smooths in the reverse order.
template <int D>
void Multigrid<D>::ascend(std::size_t l, const SplitField<D>& b, SplitField<D>& x,
                          const LowerBounds* low) {
    const MultigridLevel<D>& level = levels_[l];
    const Coarsening<D>& up = level.coarsening;
    const bool coarsest = is_coarsest(l);
    const SplitField<D>* coarse = coarsest ? nullptr : &levels_[l + 1].x;
    const int edge = edge_passes(l), first = coarsest ? 1 : 0, last = 2 * sweeps(l) + edge;
    for (int done = first; done <= last; done += kPasses) {
        level.slabs.run(std::min(kPasses, last + 1 - done), [&](int k, int i) {
            const int pass = done + k;
            const bool bounded = low && low->is_near(i);
            if (last - pass >= 2 && last - pass < 2 + edge) {
                relax_edge<D>(pass & 1, level, i, b, x);
            } else if (pass == 0) {
                const auto prolong = bounded ? prolong_red<D, true> : prolong_red<D, false>;
                prolong(level, i, up.octant[i], *coarse, up.parent[i], x, low);
            } else {
                relax<D>(pass & 1, level, i, b, x, weight_of(last - pass, last - 1, coarsest),
                         false);
            }
            if (bounded) raise_to_bounds<D>(pass & 1, level, i, *low, x);
            // After the last half-sweep the block is in cache: take its share of b.x along.
            if (l == 0 && pass == last) partial_[i] = dot_block(level, b, x, i);
        });
    }
}

#define SLOSH_INSTANTIATE(D)                                                                      \
    template bool Multigrid<D>::is_coarsest(std::size_t) const;                                   \
    template int Multigrid<D>::sweeps(std::size_t) const;                                         \
    template int Multigrid<D>::edge_passes(std::size_t) const;                                    \
    template float Multigrid<D>::weight_of(int, int, bool) const;                                 \
    template void Multigrid<D>::correct(std::size_t);                                             \
    template double Multigrid<D>::correct_and_ascend(SplitField<D>&, SplitField<D>&,              \
                                                     const LowerBounds*);                         \
    template void Multigrid<D>::descend(std::size_t, const SplitField<D>&, SplitField<D>&, bool,  \
                                        const LowerBounds*, int, int);                            \
    template void Multigrid<D>::ascend(std::size_t, const SplitField<D>&, SplitField<D>&,         \
                                       const LowerBounds*);                                       \
    template double Multigrid<D>::cycle(SplitField<D>&, SplitField<D>&);                          \
    template double Multigrid<D>::cycle(SplitField<D>&, SplitField<D>&, const LowerBounds&);      \
    template void Multigrid<D>::set_bodies(const LowRank<D>&);                                    \
    template void Multigrid<D>::coarsen_bodies(const Field<std::uint8_t, D>*);                    \
    template void Multigrid<D>::smooth(const SplitField<D>&, SplitField<D>&, const LowerBounds&); \
    template double Multigrid<D>::finish(SplitField<D>&, SplitField<D>&, const LowerBounds&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
