#include "slosh/cache/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

namespace {

constexpr std::size_t kRecordsAtOnce = 1 << 17;  // bounds the buffer to a few MB

/// Writes `n` records of `size` bytes, each filled by fill(index, destination), in parallel.
template <class Fill>
void write_records(AtomicFile& file, std::size_t n, std::size_t size, const Fill& fill) {
    std::vector<char, AlignedAllocator<char>> buffer(std::min(n, kRecordsAtOnce) * size);
    for (std::size_t first = 0; first < n; first += kRecordsAtOnce) {
        const std::size_t count = std::min(kRecordsAtOnce, n - first);
        parallel_for(count, 8192,
                     [&](std::size_t i) { fill(first + i, buffer.data() + i * size); });
        file.write(buffer.data(), count * size);
    }
}

constexpr std::string_view kPosition = "property float x\nproperty float y\nproperty float z\n";
constexpr std::string_view kVelocity = "property float vx\nproperty float vy\nproperty float vz\n";

std::string header(std::string_view kind, int dim, std::size_t vertices, bool velocity = true) {
    return fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment slosh {}, {}D, m, m/s\n"
        "element vertex {}\n{}{}",
        kind, dim, vertices, kPosition, velocity ? kVelocity : "");
}

}  // namespace

std::size_t write_surface_ply(const std::string& path, const SurfaceMesh& mesh) {
    const bool moving = !mesh.velocities.empty();
    SLOSH_EXPECT(!moving || mesh.velocities.size() == mesh.vertices.size());
    AtomicFile file(path);
    std::string head = header("surface", mesh.dim, mesh.vertices.size(), moving);
    if (mesh.dim == 2)
        head += fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\n",
                            mesh.elements.size());
    else
        head += fmt::format("element face {}\nproperty list uchar int vertex_indices\n",
                            mesh.elements.size());
    file.write(head + "end_header\n");
    write_records(file, mesh.vertices.size(), moving ? 24 : 12, [&](std::size_t i, char* out) {
        std::memcpy(out, &mesh.vertices[i], 12);
        if (moving) std::memcpy(out + 12, &mesh.velocities[i], 12);
    });
    if (mesh.dim == 2)
        write_records(file, mesh.elements.size(), 8,
                      [&](std::size_t i, char* out) { std::memcpy(out, &mesh.elements[i], 8); });
    else
        write_records(file, mesh.elements.size(), 13, [&](std::size_t i, char* out) {
            *out = 3;
            std::memcpy(out + 1, &mesh.elements[i], 12);
        });
    file.commit();
    return file.bytes();
}

template <int D>
std::size_t write_particles_ply(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid) {
    AtomicFile file(path);
    file.write(header("particles", D, particles.size()) + "property uint id\nend_header\n");
    write_records(file, particles.size(), 28, [&](std::size_t i, char* out) {
        const Vec<float, 3> x = world_position(particles, i, grid);
        const Vec<float, 3> v = world_velocity(particles, i);
        std::memcpy(out, &x, 12);
        std::memcpy(out + 12, &v, 12);
        std::memcpy(out + 24, &particles.id[i], 4);
    });
    file.commit();
    return file.bytes();
}

template std::size_t write_particles_ply<2>(const std::string&, const Particles<2>&,
                                            const GridGeometry<2>&);
template std::size_t write_particles_ply<3>(const std::string&, const Particles<3>&,
                                            const GridGeometry<3>&);

}  // namespace slosh
