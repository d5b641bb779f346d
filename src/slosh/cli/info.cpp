#include <cstdio>

#include "slosh/cache/describe.h"
#include "slosh/cli/commands.h"

namespace slosh::cli {

int info(const std::string& path) {
    std::fputs(describe(path).c_str(), stdout);
    return 0;
}

}  // namespace slosh::cli
