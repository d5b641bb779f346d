#include "slosh/cache/maps.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

std::size_t write_maps(const std::string& path, const SurfaceMaps& maps) {
    const std::string head = fmt::format("PF\n{} {}\n-1.0\n", maps.nx, maps.nz);
    std::vector<float> texels(3 * static_cast<std::size_t>(maps.nx) * maps.nz);
    for (std::size_t i = 0; i < texels.size() / 3; ++i) {
        texels[3 * i] = maps.foam[i];
        texels[3 * i + 1] = maps.wet[i];
        texels[3 * i + 2] = maps.ripple[i];
    }
    AtomicFile file(path);
    file.write(head);
    file.write(texels.data(), texels.size() * sizeof(float));
    file.commit();
    return head.size() + texels.size() * sizeof(float);
}

SurfaceMaps read_maps(const std::string& path, const Point<2>& lower, double side) {
    const auto damaged = [&] { return InputError(path + " is damaged; run the scene again"); };
    std::ifstream file(path, std::ios::binary);
    std::string magic, size, order;
    std::getline(file, magic);
    std::getline(file, size);
    std::getline(file, order);
    SurfaceMaps maps;
    std::istringstream sides(size);
    sides >> maps.nx >> maps.nz;
    if (!file || magic != "PF" || order != "-1.0" || !sides || maps.nx < 2 || maps.nz < 2 ||
        maps.nx > 1 << 16 || maps.nz > 1 << 16)
        throw damaged();
    maps.lower = lower;
    maps.texel = side / maps.nx;
    const std::size_t n = static_cast<std::size_t>(maps.nx) * maps.nz;
    std::vector<float> texels(3 * n);
    file.read(reinterpret_cast<char*>(texels.data()),
              static_cast<std::streamsize>(texels.size() * sizeof(float)));
    if (!file) throw damaged();
    for (auto* map : {&maps.foam, &maps.wet, &maps.ripple}) map->resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        maps.foam[i] = texels[3 * i];
        maps.wet[i] = texels[3 * i + 1];
        maps.ripple[i] = texels[3 * i + 2];
    }
    return maps;
}

}  // namespace slosh
