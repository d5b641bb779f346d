#include "slosh/lcp/relax.h"

#include <algorithm>

#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

inline void relax_row(const Sweep& s, std::size_t i, std::vector<double>& x) {
    if (!(s.diagonal[i] > 0)) return;
    double r = s.rhs[i];
    for (std::int64_t k = s.A.start[i]; k < s.A.start[i + 1]; ++k)
        r -= s.A.value[k] * x[s.A.column[k]];
    const double relaxed = x[i] + r / s.diagonal[i];
    x[i] = s.lower.empty() ? relaxed : std::max(relaxed, s.lower[i]);
}

}  // namespace

void relax(const Sweep& sweep, std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) relax_row(sweep, i, x);
}

void relax_uncoupled(const Sweep& sweep, const std::vector<int>& rows, std::vector<double>& x) {
    for_each_row(rows.size(), [&](std::size_t k) { relax_row(sweep, rows[k], x); });
}

}  // namespace slosh
