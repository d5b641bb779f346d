// Ten lines of someone else's: a parallel sum on slosh's threads.
#include <cstdio>

#include "slosh/base/parallel.h"

int main() {
    slosh::set_threads(2);
    const double sum = slosh::parallel_sum(1000, [](std::size_t i) { return double(i); });
    std::printf("the sum is %g\n", sum);
    return sum == 499500 ? 0 : 1;
}
