// The live page, compiled into the program.
#pragma once

#include <string_view>

namespace slosh::view {

/// HTML with everything it needs in it.
std::string_view page();

}  // namespace slosh::view
