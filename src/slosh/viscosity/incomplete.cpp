#include "slosh/viscosity/incomplete.h"

#include <cmath>

namespace slosh {

ZeroFillCholesky::ZeroFillCholesky(const Rows<double>& a) {
    const int n = a.size();
    lower_.first.assign(n + 1, 0);
    pivot_.assign(n, 0);
    std::vector<double> diagonal(n);
    for (int i = 0; i < n; ++i) {
        for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) {
            if (a.column[k] < i) {
                lower_.column.push_back(a.column[k]);
                lower_.value.push_back(a.value[k]);
            } else if (a.column[k] == i) {
                diagonal[i] = a.value[k];
            }
        }
        lower_.first[i + 1] = static_cast<std::uint32_t>(lower_.column.size());
    }
    std::vector<double> pivot = diagonal;  // what is left of the diagonal
    // Row i: l_ij = (a_ij - sum_{m<j} l_im l_jm) / l_jj over what both rows have.
    for (int i = 0; i < n; ++i) {
        for (std::uint32_t k = lower_.first[i]; k < lower_.first[i + 1]; ++k) {
            const int j = lower_.column[k];
            double s = lower_.value[k];
            std::uint32_t p = lower_.first[i], q = lower_.first[j];
            while (p < k && q < lower_.first[j + 1]) {
                if (lower_.column[p] < lower_.column[q]) {
                    ++p;
                } else if (lower_.column[p] > lower_.column[q]) {
                    ++q;
                } else {
                    s -= lower_.value[p++] * lower_.value[q++];
                }
            }
            lower_.value[k] = s * pivot_[j];
            pivot[i] -= lower_.value[k] * lower_.value[k];
        }
        if (!(pivot[i] > 0.01 * diagonal[i])) pivot[i] = diagonal[i];
        pivot_[i] = 1 / std::sqrt(pivot[i]);
    }
}

void ZeroFillCholesky::apply(const std::vector<double>& r, std::vector<double>& z) const {
    const int n = lower_.size();
    z.resize(r.size());
    for (int i = 0; i < n; ++i) {
        double s = r[i];
        for (std::uint32_t k = lower_.first[i]; k < lower_.first[i + 1]; ++k)
            s -= lower_.value[k] * z[lower_.column[k]];
        z[i] = s * pivot_[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const double s = z[i] * pivot_[i];
        z[i] = s;
        for (std::uint32_t k = lower_.first[i]; k < lower_.first[i + 1]; ++k)
            z[lower_.column[k]] -= lower_.value[k] * s;
    }
}

}  // namespace slosh
