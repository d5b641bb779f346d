// What is in a cache directory or in one of its files, in a few lines for people.
#pragma once

#include <string>

namespace slosh {

/// Describes a cache directory, a checkpoint, a PLY or a VDB file. Lines end in '\n'. InputError if
/// it is none of these or cannot be read.
std::string describe(const std::string& path);

}  // namespace slosh
