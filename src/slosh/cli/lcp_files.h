// A complementarity problem in a directory: A.mtx, b.mtx, set.txt and perhaps cells.txt.
#pragma once

#include <string>

#include "slosh/lcp/sparse.h"

namespace slosh::cli {

/// Reads and checks everything. InputError, in one line with file and line, for what is wrong.
SparseLcp read_lcp(const std::string& directory);

}  // namespace slosh::cli
