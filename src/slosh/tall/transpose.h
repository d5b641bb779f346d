// Eight vectors of eight floats, turned over.
#pragma once

#include <immintrin.h>

namespace slosh::tall {

/// Rows of eight lanes become lanes of eight rows.
inline void transpose(__m256 r[8]) {
    __m256 a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = _mm256_unpacklo_ps(r[k], r[k + 1]);
        a[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
    }
    for (int k = 0; k < 8; k += 4)
        for (int j = 0; j < 2; ++j) {
            b[k + 2 * j] = _mm256_shuffle_ps(a[k + j], a[k + 2 + j], 0x44);
            b[k + 2 * j + 1] = _mm256_shuffle_ps(a[k + j], a[k + 2 + j], 0xee);
        }
    for (int k = 0; k < 4; ++k) {
        r[k] = _mm256_permute2f128_ps(b[k], b[k + 4], 0x20);
        r[k + 4] = _mm256_permute2f128_ps(b[k], b[k + 4], 0x31);
    }
}

}  // namespace slosh::tall
