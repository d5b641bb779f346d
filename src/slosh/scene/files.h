// Files that scenes name: where they are, and what is in them.
#pragma once

#include <cstdint>
#include <string>

#include "slosh/scene/cursor.h"

namespace slosh {

/// The whole content of a file. Throws InputError.
std::string read_whole_file(const std::string& path);

/// The mesh file named at `at`, as an absolute path or "builtin:NAME"; refuses unknown endings and
/// files that are not there.
std::string resolve_mesh_file(const Cursor& at);
/// Hash of its bytes; 0 if the reading may not touch the disk.
std::uint64_t hash_mesh_file(const Cursor& at, const std::string& file);

}  // namespace slosh
