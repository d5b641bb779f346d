// Files for ParaView: one .vtp or .vti (VTK XML, appended raw) a frame and slosh.pvd, which lists
// them with their times, so that an animation plays at true time.
//
// A .pvd can refer to VTK XML files only, not to PLY; that is why the surface (or the particles,
// in runs that write no surface) is written once more as .vtp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"
#include "slosh/surface/mesh.h"

namespace slosh {

/// Triangles (2D: lines) with point vectors `velocity`. `time` (s) becomes the field TimeValue.
std::size_t write_surface_vtp(const std::string& path, const SurfaceMesh& mesh, double time);

/// Points with `velocity` and `id`.
template <int D>
std::size_t write_particles_vtp(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid, double time);

/// Cells of the domain with `density` (of smoke) and `temperature` (K), as an image (.vti).
template <int D>
std::size_t write_smoke_vti(const std::string& path, const Field<float, D>& smoke,
                            const Field<float, D>& temperature, const GridGeometry<D>& grid,
                            double time);

/// A collection of (time in s, file name relative to the .pvd).
void write_pvd(const std::string& path, const std::vector<std::pair<double, std::string>>& files);

}  // namespace slosh
