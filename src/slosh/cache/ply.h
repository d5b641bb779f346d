// Surfaces and particles as binary little-endian PLY, the format that Blender, Houdini, MeshLab and
// ParaView all read.
//
//     surface, 3D   vertex: float x y z vx vy vz      face: list uchar int vertex_indices
//     surface, 2D   vertex: float x y z vx vy vz      edge: int vertex1 vertex2       (z = 0)
//     particles     vertex: float x y z vx vy vz, uint id                             (2D: z = 0)
//
// Positions in m, velocities in m/s, both in the world frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"
#include "slosh/surface/mesh.h"

namespace slosh {

/// Particles as files hold them.
struct ParticleCloud {
    int dim = 3;
    std::vector<Vec<float, 3>> positions;   ///< World frame, z = 0 in 2D. m.
    std::vector<Vec<float, 3>> velocities;  ///< m/s
    std::vector<std::uint32_t> ids;
};

/// Both return the bytes written; the file appears whole or not at all.
std::size_t write_surface_ply(const std::string& path, const SurfaceMesh& mesh);
template <int D>
std::size_t write_particles_ply(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid);

/// Read any binary little-endian PLY that has these properties (others are skipped; velocity and
/// id may be missing and are then 0 and the index). InputError if the file is not whole.
SurfaceMesh read_surface_ply(const std::string& path);
ParticleCloud read_particles_ply(const std::string& path);

/// What a PLY holds, from its header.
struct PlySummary {
    int dim = 3;
    std::size_t vertices = 0, faces = 0, edges = 0;
    bool particles = false, velocity = false, ids = false;
};
PlySummary summarize_ply(const std::string& path);

/// World position of a particle, in float as all files hold it.
template <int D>
Vec<float, 3> world_position(const Particles<D>& particles, std::size_t i,
                             const GridGeometry<D>& grid) {
    Vec<float, 3> x;
    for (int d = 0; d < D; ++d)
        x[d] = static_cast<float>(grid.origin[d] + grid.dx * double(particles.x[d][i]));
    return x;
}
template <int D>
Vec<float, 3> world_velocity(const Particles<D>& particles, std::size_t i) {
    Vec<float, 3> v;
    for (int d = 0; d < D; ++d) v[d] = particles.v[d][i];
    return v;
}

}  // namespace slosh
