// Feeds bytes to load_mesh: the first chooses the kind of file, the rest is the file. Nothing but
// an InputError of one line may come out. Built with (in bash, at the repository's root):
//
//   clang++-14 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined
//     -fno-sanitize-recover=undefined -Isrc -DFMT_HEADER_ONLY tests/fuzz/fuzz_mesh.cpp
//     src/slosh/shape/mesh_{file,obj,ply,stl,polygon}.cpp src/slosh/shape/triangle_mesh.cpp
//     src/slosh/base/{hash,error}.cpp -lassimp -o fuzz_mesh
//   ./fuzz_mesh -max_total_time=60 -max_len=2048 -timeout=20 -rss_limit_mb=4000 -detect_leaks=0
//   corpus
//
// Leaks are not looked for: Assimp forgets 72 bytes for some glTF files that it refuses.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "slosh/base/error.h"
#include "slosh/shape/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    static const char* const kinds[] = {".obj", ".ply", ".stl", ".gltf", ".glb"};
    static const std::string stem = "/tmp/slosh_fuzz_mesh_" + std::to_string(getpid());
    const std::string path = stem + kinds[data[0] % 5];
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
