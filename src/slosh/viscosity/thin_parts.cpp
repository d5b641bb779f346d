#include "slosh/viscosity/thin_parts.h"

#include <Eigen/SparseCholesky>
#include <numeric>

namespace slosh {

namespace {

constexpr int kOverlap = 1;         ///< Rows around what is thin that are solved with it.
constexpr int kFactorRows = 2000;   ///< Small parts share a factor up to this size.
constexpr int kMostRows = 200'000;  ///< Of a part: beyond, not even its fill is counted.
constexpr std::uint8_t kFar = 255;

using Matrix = Eigen::SparseMatrix<double>;

/// `distance` holds 0 at the rows of `front` and kFar elsewhere: sets it up to `most` rows from
/// there and returns the rows that are that far.
std::vector<int> spread(const Rows<double>& a, std::vector<int> front, int most,
                        std::vector<std::uint8_t>& distance) {
    for (int d = 1; d <= most; ++d) {
        std::vector<int> next;
        for (const int i : front)
            for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) {
                std::uint8_t& there = distance[a.column[k]];
                if (there != kFar) continue;
                there = static_cast<std::uint8_t>(d);
                next.push_back(a.column[k]);
            }
        front = std::move(next);
    }
    return front;
}

/// 1 for rows of T.
template <int D>
std::vector<std::uint8_t> find_thin(const ViscousSystem<D>& s) {
    constexpr int kFull = 2 * D;  // stresses on a face amid liquid
    const std::size_t n = s.held.size();
    std::vector<std::uint8_t> depth(n, kFar);
    std::vector<int> border;
    for (std::size_t i = 0; i < n; ++i)
        if (s.held[i] < kFull) {
            depth[i] = 0;
            border.push_back(static_cast<int>(i));
        }
    const std::vector<int> core = spread(s.matrix, border, kThinDepth, depth);
    // Outwards again: all that is deeper than the core's first rows is reached at once.
    std::vector<std::uint8_t> reached(n, kFar);
    for (std::size_t i = 0; i < n; ++i)
        if (depth[i] >= kThinDepth) reached[i] = 0;
    (void)spread(s.matrix, core, kThinDepth, reached);
    std::vector<std::uint8_t> thin(n, kFar);
    std::vector<int> rows;
    for (std::size_t i = 0; i < n; ++i)
        if (reached[i] == kFar) {
            thin[i] = 0;
            rows.push_back(static_cast<int>(i));
        }
    (void)spread(s.matrix, std::move(rows), kOverlap, thin);
    for (auto& t : thin) t = t != kFar;
    return thin;
}

}  // namespace

template <int D>
struct ThinParts<D>::Factor : Eigen::SimplicialLLT<Matrix> {
    int begin = 0, end = 0;  // in rows_

    /// Multiplications that the factorization takes; known from the pattern alone.
    double work() const {
        double sum = 0;
        for (const auto count : this->m_nonZerosPerCol) sum += double(count) * double(count);
        return sum;
    }
    std::size_t bytes() const {
        return static_cast<std::size_t>(this->m_matrix.nonZeros()) * (sizeof(double) + sizeof(int));
    }
};

template <int D>
ThinParts<D>::ThinParts(const ViscousSystem<D>& s) : matrix_(s.matrix) {
    const std::vector<Part> parts = find_parts(find_thin(s));
    if (!parts.empty()) factor(parts, kMostWork * s.rows.size());
}

template <int D>
ThinParts<D>::~ThinParts() = default;

/// Connected parts, into rows_. They do not meet in the matrix.
template <int D>
auto ThinParts<D>::find_parts(const std::vector<std::uint8_t>& thin) -> std::vector<Part> {
    std::vector<Part> parts;
    std::vector<std::uint8_t> left = thin;
    for (int i = 0; i < static_cast<int>(thin.size()); ++i) {
        if (!left[i]) continue;
        const int begin = size();
        left[i] = 0;
        rows_.push_back(i);
        for (int next = begin; next < size(); ++next) {
            const int row = rows_[next];
            for (std::uint32_t k = matrix_.first[row]; k < matrix_.first[row + 1]; ++k) {
                const int column = matrix_.column[k];
                if (!left[column]) continue;
                left[column] = 0;
                rows_.push_back(column);
            }
        }
        std::sort(rows_.begin() + begin, rows_.end());
        parts.push_back({begin, size()});
    }
    return parts;
}

template <int D>
void ThinParts<D>::factor(const std::vector<Part>& parts, double most_work) {
    for (const Part& p : parts) {
        if (p.end - p.begin > kMostRows) continue;
        if (factors_.empty() || factors_.back()->end != p.begin ||
            p.end - factors_.back()->begin > kFactorRows) {
            factors_.push_back(std::make_unique<Factor>());
            factors_.back()->begin = p.begin;
        }
        factors_.back()->end = p.end;
    }
    std::vector<int> place(matrix_.size(), -1);
    for (int i = 0; i < size(); ++i) place[rows_[i]] = i;
    parallel_for(factors_.size(), 1, [&](std::size_t n) {
        Factor& f = *factors_[n];
        const int count = f.end - f.begin;
        std::vector<Eigen::Triplet<double>> lower;
        for (int i = 0; i < count; ++i) {
            const int row = rows_[f.begin + i];
            for (std::uint32_t k = matrix_.first[row]; k < matrix_.first[row + 1]; ++k) {
                const int j = place[matrix_.column[k]] - f.begin;
                if (j >= 0 && j <= i) lower.emplace_back(i, j, matrix_.value[k]);
            }
        }
        Matrix m(count, count);
        m.setFromTriplets(lower.begin(), lower.end());
        f.analyzePattern(m);
        bool done = f.work() <= most_work;
        if (done) {
            f.factorize(m);
            done = f.info() == Eigen::Success;
        }
        if (!done) factors_[n].reset();
    });

    // What has no factor is not in T.
    std::vector<int> kept;
    for (auto& f : factors_) {
        if (!f) continue;
        const int begin = static_cast<int>(kept.size());
        kept.insert(kept.end(), rows_.begin() + f->begin, rows_.begin() + f->end);
        f->begin = begin;
        f->end = static_cast<int>(kept.size());
        bytes_ += f->bytes();
    }
    std::erase(factors_, nullptr);
    rows_ = std::move(kept);
    std::vector<std::uint8_t> seen(matrix_.size());
    for (const int row : rows_) seen[row] = 1;
    for (const int row : rows_)
        for (std::uint32_t k = matrix_.first[row]; k < matrix_.first[row + 1]; ++k)
            if (!seen[matrix_.column[k]]) {
                seen[matrix_.column[k]] = 1;
                rim_.push_back(matrix_.column[k]);
            }
}

template <int D>
void ThinParts<D>::solve(std::vector<double>& x) const {
    parallel_for(factors_.size(), 1, [&](std::size_t n) {
        const Factor& f = *factors_[n];
        Eigen::Map<Eigen::VectorXd> part(&x[f.begin], f.end - f.begin);
        part = f.solve(part).eval();
    });
}

template <int D>
void ThinParts<D>::before(const std::vector<double>& r, std::vector<double>& z,
                          std::vector<double>& left) const {
    std::vector<double> x(rows_.size());
    parallel_for(x.size(), kRowGrain, [&](std::size_t i) { x[i] = r[rows_[i]]; });
    solve(x);
    z.assign(r.size(), 0);
    left = r;
    parallel_for(x.size(), kRowGrain, [&](std::size_t i) {
        z[rows_[i]] = x[i];
        left[rows_[i]] = 0;
    });
    parallel_for(rim_.size(), kRowGrain,
                 [&](std::size_t i) { left[rim_[i]] -= product(matrix_, rim_[i], z); });
}

template <int D>
void ThinParts<D>::after(const std::vector<double>& r, std::vector<double>& z) const {
    std::vector<double> x(rows_.size());
    parallel_for(x.size(), kRowGrain,
                 [&](std::size_t i) { x[i] = r[rows_[i]] - product(matrix_, rows_[i], z); });
    solve(x);
    parallel_for(x.size(), kRowGrain, [&](std::size_t i) { z[rows_[i]] += x[i]; });
}

template class ThinParts<2>;
template class ThinParts<3>;

}  // namespace slosh
