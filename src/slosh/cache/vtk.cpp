#include "slosh/cache/vtk.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/ply.h"

namespace slosh {

namespace {

/// The XML part of a file and the raw arrays appended to it. Arrays are written in the order they
/// were added, each preceded by its size.
class Appended {
public:
    template <class T>
    void add(const char* name, const char* type, int components, const std::vector<T>& data) {
        xml += fmt::format(
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
            "offset=\"{}\"/>\n",
            type, name, components, offset_);
        arrays_.push_back({data.data(), data.size() * sizeof(T)});
        offset_ += 8 + data.size() * sizeof(T);
    }
    std::size_t write(const std::string& path) const {
        AtomicFile file(path);
        file.write(xml);
        file.write("<AppendedData encoding=\"raw\">\n_");
        for (const auto& [data, bytes] : arrays_) {
            const std::uint64_t size = bytes;
            file.write(&size, sizeof size);
            file.write(data, bytes);
        }
        file.write("\n</AppendedData>\n</VTKFile>\n");
        file.commit();
        return file.bytes();
    }
    std::string xml;

private:
    std::vector<std::pair<const void*, std::size_t>> arrays_;
    std::size_t offset_ = 0;
};

std::string piece(double time, std::size_t points, std::size_t verts, std::size_t lines,
                  std::size_t polys) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
        "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" "
        "NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
        time, points, verts, lines, polys);
}

/// The domain's cells as one array, x fastest.
template <int D>
std::vector<float> dense(const Field<float, D>& f, const GridGeometry<D>& grid) {
    std::size_t layer = 1;
    for (int d = 0; d < D; ++d) layer *= std::size_t(grid.cells[d]);
    std::vector<float> out(layer);
    const std::size_t rows = layer / std::size_t(grid.cells[0]);
    parallel_for(rows, 64, [&](std::size_t row) {
        Accessor<float, D> at(f);
        Index<D> cell;
        std::size_t rest = row;
        for (int d = 1; d < D; ++d, rest /= std::size_t(grid.cells[d - 1]))
            cell[d] = int(rest % std::size_t(grid.cells[d]));
        for (cell[0] = 0; cell[0] < grid.cells[0]; ++cell[0])
            out[row * std::size_t(grid.cells[0]) + std::size_t(cell[0])] = at(cell);
    });
    return out;
}

/// Cells of `corners` points each: their corners and where each cell ends.
struct Cells {
    std::vector<std::int32_t> connectivity, offsets;
    Cells(std::size_t count, int corners) : connectivity(count * corners), offsets(count) {
        SLOSH_EXPECT(count * corners <= std::size_t(std::numeric_limits<std::int32_t>::max()));
        parallel_for(count, 8192, [&](std::size_t i) {
            offsets[i] = static_cast<std::int32_t>((i + 1) * corners);
        });
    }
};

void add_cells(Appended& file, const char* kind, const Cells& cells) {
    file.xml += fmt::format("<{}>\n", kind);
    file.add("connectivity", "Int32", 1, cells.connectivity);
    file.add("offsets", "Int32", 1, cells.offsets);
    file.xml += fmt::format("</{}>\n</Piece>\n</PolyData>\n", kind);
}

}  // namespace

std::size_t write_surface_vtp(const std::string& path, const SurfaceMesh& mesh, double time) {
    const std::size_t n = mesh.elements.size();
    const int corners = mesh.dim;
    Cells cells(n, corners);
    parallel_for(n, 8192, [&](std::size_t i) {
        for (int k = 0; k < corners; ++k)
            cells.connectivity[i * corners + k] = static_cast<std::int32_t>(mesh.elements[i][k]);
    });
    Appended file;
    const bool lines = mesh.dim == 2;
    file.xml = piece(time, mesh.vertices.size(), 0, lines ? n : 0, lines ? 0 : n);
    file.xml += "<PointData Vectors=\"velocity\">\n";
    file.add("velocity", "Float32", 3, mesh.velocities);
    file.xml += "</PointData>\n<Points>\n";
    file.add("position", "Float32", 3, mesh.vertices);
    file.xml += "</Points>\n";
    add_cells(file, lines ? "Lines" : "Polys", cells);
    return file.write(path);
}

template <int D>
std::size_t write_particles_vtp(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid, double time) {
    const std::size_t n = particles.size();
    std::vector<Vec<float, 3>> x(n), v(n);
    std::vector<std::uint32_t> id(particles.id.begin(), particles.id.end());
    Cells cells(n, 1);
    parallel_for(n, 8192, [&](std::size_t i) {
        x[i] = world_position(particles, i, grid);
        v[i] = world_velocity(particles, i);
        cells.connectivity[i] = static_cast<std::int32_t>(i);
    });
    Appended file;
    file.xml = piece(time, n, n, 0, 0);
    file.xml += "<PointData Vectors=\"velocity\">\n";
    file.add("velocity", "Float32", 3, v);
    file.add("id", "UInt32", 1, id);
    file.xml += "</PointData>\n<Points>\n";
    file.add("position", "Float32", 3, x);
    file.xml += "</Points>\n";
    add_cells(file, "Verts", cells);
    return file.write(path);
}

template <int D>
std::size_t write_smoke_vti(const std::string& path, const Field<float, D>& smoke,
                            const Field<float, D>& temperature, const GridGeometry<D>& grid,
                            double time) {
    Appended file;
    Point<3> origin;
    int n[3] = {1, 1, 1};
    for (int d = 0; d < D; ++d) {
        origin[d] = grid.origin[d];
        n[d] = grid.cells[d];
    }
    if (D == 2) origin[2] = -0.5 * grid.dx;
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0], n[1], n[2]);
    file.xml = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<ImageData WholeExtent=\"{0}\" "
        "Origin=\"{1} {2} {3}\" Spacing=\"{4} {4} {4}\">\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{5}"
        "</DataArray>\n</FieldData>\n<Piece Extent=\"{0}\">\n<CellData Scalars=\"density\">\n",
        extent, origin[0], origin[1], origin[2], grid.dx, time);
    const std::vector<float> density = dense(smoke, grid), heat = dense(temperature, grid);
    file.add("density", "Float32", 1, density);
    file.add("temperature", "Float32", 1, heat);
    file.xml += "</CellData>\n</Piece>\n</ImageData>\n";
    return file.write(path);
}

void write_pvd(const std::string& path, const std::vector<std::pair<double, std::string>>& files) {
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
        "byte_order=\"LittleEndian\">\n<Collection>\n";
    for (const auto& [time, name] : files)
        text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", time, name);
    write_file(path, text + "</Collection>\n</VTKFile>\n");
}

template std::size_t write_smoke_vti<2>(const std::string&, const Field<float, 2>&,
                                        const Field<float, 2>&, const GridGeometry<2>&, double);
template std::size_t write_smoke_vti<3>(const std::string&, const Field<float, 3>&,
                                        const Field<float, 3>&, const GridGeometry<3>&, double);
template std::size_t write_particles_vtp<2>(const std::string&, const Particles<2>&,
                                            const GridGeometry<2>&, double);
template std::size_t write_particles_vtp<3>(const std::string&, const Particles<3>&,
                                            const GridGeometry<3>&, double);

}  // namespace slosh
