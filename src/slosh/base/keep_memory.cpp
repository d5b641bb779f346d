#include "slosh/base/keep_memory.h"

#include <malloc.h>

namespace slosh {

void keep_freed_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace slosh
