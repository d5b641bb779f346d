// Numbers as people read them.
#pragma once

#include <cstddef>
#include <string>

namespace slosh::cli {

std::string format_count(double n);          ///< 950, 12.3 k, 4.1 M
std::string format_bytes(double bytes);      ///< 12 MB, 1.3 GB
std::string format_seconds(double seconds);  ///< 0.8 s, 42 s, 3 min 5 s, 2 h 10 min

}  // namespace slosh::cli
