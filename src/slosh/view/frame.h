// What a viewer is shown of one moment, and its bytes on the wire.
//
//     message   "SLSH", u32 bytes of the header, the header (JSON, padded with blanks to a multiple
//               of four), then a zlib stream of the arrays that the header announces
//     arrays    positions: 16 bits a coordinate between the header's corners, each axis for itself,
//               as differences from the vertex before (zigzag: sign in the lowest bit), first all
//               low bytes, then all high ones; indices: likewise in four bytes; a byte a value
//               (speed, density, thickness) for the rest
//
// Neighbours in memory are neighbours in space, so differences are small, their high bytes nearly
// all zero, and a fast deflate halves what 16 bits leave. All integers are little-endian.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "slosh/shape/motion.h"
#include "slosh/surface/mesh.h"

namespace slosh::view {

/// Where a viscosity (kg/(m s)) lies between 1e-3, as water has, and 1e8: of its logarithm. [0, 1].
float thickness(double viscosity);

/// Particles to be drawn, all or an even choice of them.
struct ShownPoints {
    std::vector<Vec<float, 3>> positions;  ///< m; z = 0 in 2D.
    std::vector<float> speeds;             ///< m/s
    std::vector<float> densities;  ///< Liquid: particles in its cell, as a share of the cell's due;
                                   ///< gas: smoke. In [0, 2].
    std::vector<float> thicknesses;  ///< thickness() of their viscosity. In [0, 1].
};

struct ShownFrame {
    int number = 1;   ///< Frame 1 is the initial state.
    double time = 0;  ///< s
    SurfaceMesh surface;
    /// If set it makes `surface`, on any thread, while the run goes on.
    std::function<SurfaceMesh()> make_surface;
    ShownPoints points;
    std::vector<Transform<3>> bodies;  ///< Where the bodies' shapes are.
    std::vector<Transform<3>> solids;  ///< Where the scene's solids are.
    Point<3> tilt;   ///< How the container is turned about the world's axes. degrees
    Point<3> shift;  ///< How far it is shaken off its place. m
};

/// The bytes of a frame of run `run` on side `side`. Positions are rounded to 1/65535 of `room`,
/// what lies outside is moved to its border.
std::string encode_frame(const ShownFrame& frame, const Box<3>& room, int run, int side);

/// The frame back, positions and speeds rounded. InputError if the bytes are not whole.
ShownFrame decode_frame(std::string_view bytes);

/// A mesh that is sent once, in its own frame.
struct NamedMesh {
    std::string json;  ///< Members of an object that say more of it, without braces; not empty.
    SurfaceMesh mesh;
};
/// A square picture of a 2D shape's distance, for sharp edges at any size: bytes over `box`, x
/// fastest, lowest row first, 128 at the surface, a step of 1 a sixteenth of a texel, less inside.
struct NamedField {
    std::string json;
    int nx = 0, ny = 0;
    Box<3> box;
    std::string texels;
};

/// A scene: `json` as for NamedMesh, and its parts.
std::string encode_scene(const std::string& json, const std::vector<NamedMesh>& meshes,
                         const std::vector<NamedField>& fields);

/// Text as a JSON string, quotes included.
std::string json_text(std::string_view text);

}  // namespace slosh::view
