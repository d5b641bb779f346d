// Where the repository's files are, seen from the tests.
#pragma once

#include <filesystem>

namespace slosh_test {

inline std::filesystem::path repository() {
    return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

}  // namespace slosh_test
