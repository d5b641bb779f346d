#include "slosh/linear/body_rows.h"

#include <algorithm>

namespace slosh {

namespace {

constexpr std::size_t kChunk = 512;   // rows
constexpr std::size_t kTogether = 8;  // chunks that one thread takes at a time
constexpr std::size_t kFew = 4096;    // rows that take one thread less time than two to start

/// As many doubles as a row has numbers.
template <int D>
struct Wide {
    static constexpr int n = BodyRows<D>::kWidth / 4;
    __m256d v[n];

    static Wide zero() {
        Wide w;
        for (int i = 0; i < n; ++i) w.v[i] = _mm256_setzero_pd();
        return w;
    }
    static Wide of(const double* p) {
        Wide w;
        for (int i = 0; i < n; ++i) w.v[i] = _mm256_loadu_pd(p + 4 * i);
        return w;
    }
    void store(double* p) const {
        for (int i = 0; i < n; ++i) _mm256_storeu_pd(p + 4 * i, v[i]);
    }
    void add(const typename BodyRows<D>::Row& row, float x) {
        const __m256d x4 = _mm256_set1_pd(x);
        for (int i = 0; i < n; ++i)
            v[i] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row.f + 4 * i)), x4, v[i]);
    }
    float dot(const typename BodyRows<D>::Row& row) const {
        __m256d s = _mm256_mul_pd(_mm256_cvtps_pd(_mm_load_ps(row.f)), v[0]);
        for (int i = 1; i < n; ++i)
            s = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_load_ps(row.f + 4 * i)), v[i], s);
        const __m128d t = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
        return static_cast<float>(_mm_cvtsd_f64(_mm_add_sd(t, _mm_unpackhi_pd(t, t))));
    }
};

}  // namespace

template <int D>
BodyRows<D>::BodyRows(std::vector<std::uint32_t> places, std::vector<std::size_t> first, int blocks)
    : rows_(places.size()), places_(std::move(places)), first_(std::move(first)) {
    find_chunks(blocks);
}

template <int D>
BodyRows<D>::BodyRows(const LowRank<D>& F, double unit, int blocks)
    : rows_(F.entries.size()), places_(F.entries.size()), first_(F.first) {
    for (std::size_t i = 0; i < F.entries.size(); ++i) {
        const auto& e = F.entries[i];
        places_[i] = place_number(split_place<D>(e.block, e.offset), blocks);
        for (int k = 0; k < kColumns<D>; ++k) rows_[i].f[k] = static_cast<float>(e.f[k] * unit);
    }
    find_chunks(blocks);
}

template <int D>
void BodyRows<D>::find_chunks(int blocks) {
    for (int g = 0; g < groups(); ++g)
        for (std::size_t i = first_[g]; i < first_[g + 1]; i += kChunk)
            chunks_.push_back({g, static_cast<std::uint32_t>(i),
                               static_cast<std::uint32_t>(std::min(i + kChunk, first_[g + 1]))});
    is_shared_.assign(size(), 0);
    if (groups() < 2) return;
    std::vector<bool> seen(place_count<D>(blocks)), twice;
    for (const std::uint32_t place : places_) {
        if (!seen[place]) {
            seen[place] = true;
            continue;
        }
        twice.resize(seen.size());
        twice[place] = true;
    }
    if (twice.empty()) return;
    for (int g = 0; g < groups(); ++g)
        for (std::size_t i = first_[g]; i < first_[g + 1]; ++i)
            if (twice[places_[i]]) {
                is_shared_[i] = 1;
                shared_.push_back({static_cast<std::uint32_t>(i), g});
            }
}

template <int D>
std::size_t BodyRows<D>::together() const {
    return size() < kFew ? std::max<std::size_t>(chunks_.size(), 1) : kTogether;
}

template <int D>
template <class Body>
void BodyRows<D>::for_each_own(const Body& body) const {
    parallel_for(chunks_.size(), together(), [&](std::size_t c) {
        for (std::uint32_t i = chunks_[c].begin; i < chunks_[c].end; ++i)
            if (!is_shared_[i]) body(i, chunks_[c].group);
    });
}

template <int D>
void BodyRows<D>::transposed(const SplitField<D>& field, Columns& t) const {
    const float* x = field.half(0, 0);
    Columns part(chunks_.size() * kWidth);
    parallel_for(chunks_.size(), together(), [&](std::size_t c) {
        Wide<D> sum = Wide<D>::zero();
        for (std::uint32_t i = chunks_[c].begin; i < chunks_[c].end; ++i)
            sum.add(rows_[i], x[places_[i]]);
        sum.store(part.data() + c * kWidth);
    });
    t.assign(static_cast<std::size_t>(groups()) * kWidth, 0.0);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        for (int k = 0; k < kWidth; ++k) t[chunks_[c].group * kWidth + k] += part[c * kWidth + k];
}

template <int D>
void BodyRows<D>::subtract(const Columns& t, SplitField<D>& field) const {
    float* b = field.half(0, 0);
    const auto one = [&](std::uint32_t i, int g) {
        b[places_[i]] -= Wide<D>::of(t.data() + g * kWidth).dot(rows_[i]);
    };
    for_each_own(one);
    for (const Shared& s : shared_) one(s.row, s.group);
}

template <int D>
void BodyRows<D>::hold(const Columns& t, SplitField<D>& field) {
    float* b = field.half(0, 0);
    kept_.resize(size());
    for (const Shared& s : shared_) kept_[s.row] = b[places_[s.row]];
    const auto of = [&](std::uint32_t i, int g) {
        return Wide<D>::of(t.data() + g * kWidth).dot(rows_[i]);
    };
    for_each_own([&](std::uint32_t i, int g) {
        float& value = b[places_[i]];
        kept_[i] = value;
        value -= of(i, g);
    });
    for (const Shared& s : shared_) b[places_[s.row]] -= of(s.row, s.group);
}

template <int D>
void BodyRows<D>::hold_again(const Columns& t, SplitField<D>& field) const {
    float* b = field.half(0, 0);
    const auto of = [&](std::uint32_t i, int g) {
        return Wide<D>::of(t.data() + g * kWidth).dot(rows_[i]);
    };
    for_each_own([&](std::uint32_t i, int g) { b[places_[i]] = kept_[i] - of(i, g); });
    for (const Shared& s : shared_) b[places_[s.row]] = kept_[s.row];
    for (const Shared& s : shared_) b[places_[s.row]] -= of(s.row, s.group);
}

template <int D>
void BodyRows<D>::restore(SplitField<D>& field) const {
    float* b = field.half(0, 0);
    for_each_own([&](std::uint32_t i, int) { b[places_[i]] = kept_[i]; });
    for (const Shared& s : shared_) b[places_[s.row]] = kept_[s.row];
}

template <int D>
double BodyRows<D>::restore(SplitField<D>& b_field, const SplitField<D>& x_field) const {
    float* b = b_field.half(0, 0);
    const float* x = x_field.half(0, 0);
    const auto one = [&](std::uint32_t i) {
        float& value = b[places_[i]];
        const double more = (static_cast<double>(kept_[i]) - value) * x[places_[i]];
        value = kept_[i];
        return more;
    };
    std::vector<double> part(chunks_.size());
    parallel_for(chunks_.size(), together(), [&](std::size_t c) {
        for (std::uint32_t i = chunks_[c].begin; i < chunks_[c].end; ++i)
            if (!is_shared_[i]) part[c] += one(i);
    });
    double more = 0;
    for (const double p : part) more += p;
    // At a shared place the second row finds all done.
    for (const Shared& s : shared_) more += one(s.row);
    return more;
}

template class BodyRows<2>;
template class BodyRows<3>;

}  // namespace slosh
