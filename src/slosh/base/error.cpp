#include "slosh/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace slosh {

void contract_broken(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "slosh: internal error: expected %s (%s:%d); please report this\n",
                 condition, file, line);
    std::abort();
}

}  // namespace slosh
