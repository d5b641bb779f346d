// What nearly every file includes, compiled once for all (cmake/folders.cmake). No file counts on
// it: each includes what it uses, and builds with -DSLOSH_PRECOMPILE=OFF (the debug preset).
#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>
