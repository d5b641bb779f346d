// For functions and lambdas of inner loops, which are slower by far where the compiler calls them.
#pragma once

#define SLOSH_INLINE __attribute__((always_inline))
