// Level set, velocity and particles as OpenVDB files, for Blender, Houdini and renderers.
//
//     volumes     `surface`  float, GRID_LEVEL_SET, metres, narrow band of 3 cells on either side
//                 `vel`      Vec3s, m/s, *cell-centred* (the mean of a cell's two faces), wherever
//                            the level set is below two cells; cell-centred and not staggered
//                            because Blender ignores the staggered class and would be half a cell
//                            off
//     smoke       `density`, `temperature`  float, fog volumes, wherever there is smoke or heat (K;
//                            elsewhere the background, the ambient temperature); `vel` on demand
//     particles   `points`   VDB points with P (float, exact), `v` (Vec3s, m/s), `id` (int32)
//
// Level set and points go to separate files: readers without points (pyopenvdb) fail on files that
// hold any. Voxel (i,j,k) is cell (i,j,k), its centre where the cell's centre is. 2D is written as
// one layer of cells, k = 0, its centre at z = 0.
//
// The same input gives the same bytes: OpenVDB's random file id is replaced by a hash of the rest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "slosh/cache/ply.h"
#include "slosh/grid/field.h"

namespace slosh {

/// All return the bytes written; the file appears whole or not at all.
template <int D>
std::size_t write_volumes_vdb(const std::string& path, const Field<float, D>& level_set,
                              const FaceField<float, D>& velocity, const GridGeometry<D>& grid);
template <int D>
std::size_t write_particles_vdb(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid);

/// `velocity` may be null. Background of `temperature` is that of the field.
template <int D>
std::size_t write_smoke_vdb(const std::string& path, const Field<float, D>& smoke,
                            const Field<float, D>& temperature, const FaceField<float, D>* velocity,
                            const GridGeometry<D>& grid);

/// Readers; InputError if the file is damaged or does not hold what is asked for.
ParticleCloud read_particles_vdb(const std::string& path);

/// The smoke of a domain of `cells` cells (2D: one layer).
struct SmokeVolume {
    Index<3> cells;
    std::vector<float> density;  ///< One per cell, x fastest.
};
SmokeVolume read_smoke_vdb(const std::string& path, const Index<3>& cells);

/// Level set (m) and velocity (m/s) of a volume file at world points, trilinear.
struct VolumeSample {
    float phi = 0;
    Vec<float, 3> velocity;
};
std::vector<VolumeSample> sample_volumes_vdb(const std::string& path,
                                             const std::vector<Point<3>>& points);

/// One grid of a VDB file.
struct VdbGridInfo {
    std::string name, type, grid_class;
    double voxel_size = 0;   ///< m
    Point<3> first_centre;   ///< World position of voxel (0,0,0)'s centre. m.
    std::size_t active = 0;  ///< Active voxels.
    std::size_t points = 0;  ///< Points, in a grid of points.
};
std::vector<VdbGridInfo> summarize_vdb(const std::string& path);

}  // namespace slosh
