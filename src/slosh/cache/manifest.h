// manifest.json: what a cache directory holds, for programs that read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slosh/grid/geometry.h"

namespace slosh {

/// Files of one kind, one a frame.
struct FileSeries {
    std::string pattern;  ///< Relative to the cache, printf style: "surface/surface.%04d.ply".
    int first = 0, last = 0, count = 0;  ///< Frames there are.
};

struct Manifest {
    std::string program = "slosh";  ///< Name and version of what wrote the cache.
    std::string scene;              ///< Name of the scene.
    std::uint64_t scene_hash = 0;   ///< Of everything in the scene that changes the result.
    int dim = 3;
    double fps = 30;             ///< Frame f shows the time (f - 1) / fps.
    std::vector<double> origin;  ///< Lower corner of cell 0, one entry a dimension. m.
    double dx = 0;               ///< Cell size. m.
    std::vector<int> cells;      ///< Cells of the domain.
    int frames = 0;              ///< Frames 1 ... frames are complete.
    std::vector<FileSeries> files;

    template <int D>
    void set_grid(const GridGeometry<D>& grid) {
        dim = D;
        dx = grid.dx;
        origin.assign(grid.origin.v, grid.origin.v + D);
        cells.assign(grid.cells.v, grid.cells.v + D);
    }
    double time_of(int frame) const { return (frame - 1) / fps; }
};

/// "surface/surface.%04d.ply" and 12 give "surface/surface.0012.ply".
std::string frame_file(const std::string& pattern, int frame);

std::string to_json(const Manifest& manifest);
/// Reads DIR/manifest.json. InputError if it is missing, damaged or of a newer format.
Manifest read_manifest(const std::string& directory);

}  // namespace slosh
