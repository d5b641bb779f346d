// The word a user probably meant.
#pragma once

#include <string>
#include <vector>

namespace slosh::cli {

/// " (did you mean 'X'?)" for the word closest to `given`, or "" if none is close.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& known);

}  // namespace slosh::cli
