// libFuzzer target: a digit that chooses the kind of file (0 OBJ, 1 PLY, 2 STL, 3 glTF, 4 GLB),
// then the file, for load_mesh. Nothing but an InputError of one line may come out, and a mesh that
// is accepted is sound. ./test --fuzz runs it.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "slosh/base/error.h"
#include "slosh/shape/mesh_file.h"

/// Assimp forgets 72 bytes for some glTF files that it refuses. Leaks of ours are still found.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libassimp";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    static const char* const kinds[] = {".obj", ".ply", ".stl", ".gltf", ".glb"};
    static const std::string stem = "/tmp/slosh_fuzz_mesh_" + std::to_string(getpid());
    const std::string path = stem + kinds[static_cast<std::uint8_t>(data[0] - '0') % 5];
    if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
        std::fwrite(data + 1, 1, size - 1, file);
        std::fclose(file);
    }
    try {
        const slosh::TriangleMesh mesh = slosh::load_mesh(path);
        for (const auto& t : mesh.triangles)
            for (const auto corner : t)
                if (corner >= mesh.vertices.size()) std::abort();
        if (mesh.triangles.empty()) std::abort();
    } catch (const slosh::InputError& e) {
        if (std::strchr(e.what(), '\n')) std::abort();
    }
    std::remove(path.c_str());
    return 0;
}
