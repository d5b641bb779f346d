// The only file of this folder that includes OpenVDB: its headers take most of a minute.
#include "slosh/cache/vdb.h"

#include <fmt/format.h>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/Interpolation.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <sstream>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/grid/tile.h"

#ifdef SLOSH_USE_OPENVDB_CODE
extern template class openvdb::Grid<openvdb::FloatTree>;
extern template class openvdb::Grid<openvdb::Vec3STree>;
extern template class openvdb::Grid<openvdb::points::PointDataTree>;
extern template class openvdb::tree::Tree<openvdb::FloatTree::RootNodeType>;
extern template class openvdb::tree::Tree<openvdb::Vec3STree::RootNodeType>;
extern template class openvdb::tree::Tree<openvdb::points::PointDataTree::RootNodeType>;
#endif

namespace slosh {

namespace {

namespace pts = openvdb::points;

constexpr float kBand = 3;        // cells of level set kept on either side of the surface
constexpr float kMovingBand = 2;  // cells of air that still carry velocity: what interpolation
                                  // at the surface and motion blur read

void start_openvdb() {
    static std::once_flag once;
    std::call_once(once, [] { openvdb::initialize(); });
}

/// Voxel (0,0,0)'s centre is the centre of cell (0,0,0); a 2D layer lies at z = 0.
template <int D>
openvdb::math::Transform::Ptr transform_of(const GridGeometry<D>& grid) {
    auto transform = openvdb::math::Transform::createLinearTransform(grid.dx);
    openvdb::Vec3d shift(0.0);
    for (int d = 0; d < D; ++d) shift[d] = grid.origin[d] + 0.5 * grid.dx;
    transform->postTranslate(shift);
    return transform;
}

template <int D>
openvdb::Coord to_coord(const Index<D>& i) {
    return {i[0], i[1], D == 3 ? i[D - 1] : 0};
}

/// Leaf offset (z fastest) of a cell of a block (x fastest).
template <int D>
openvdb::Index leaf_offset(const Index<D>& local) {
    return (local[0] << 6) + (local[1] << 3) + (D == 3 ? local[D - 1] : 0);
}

template <int D>
openvdb::FloatGrid::Ptr level_set_grid(const Field<float, D>& phi, const GridGeometry<D>& grid) {
    using Leaf = openvdb::FloatTree::LeafNodeType;
    const float band = static_cast<float>(kBand * grid.dx);
    const Blocks<D>& blocks = phi.blocks();
    std::vector<std::unique_ptr<Leaf>> leaves(blocks.size());
    std::vector<char> inside(blocks.size(), 0);  // blocks that are liquid through and through
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        const float* p = phi.block(static_cast<int>(b));
        auto leaf = std::make_unique<Leaf>(to_coord(blocks.first_cell(int(b))), band, false);
        int deep = 0;
        for_each_cell<D, 0>([&](const Index<D>& c, int o, int) {
            const float v = p[o] < band ? std::max(p[o], -band) : band;  // NaN becomes air
            leaf->setValueOnly(leaf_offset(c), v);
            if (v > -band && v < band) leaf->setValueOn(leaf_offset(c));
            deep += v <= -band;
        });
        if (!leaf->isEmpty() || (deep > 0 && deep < kBlockCells<D>))
            leaves[b] = std::move(leaf);
        else
            inside[b] = deep > 0;
    });

    auto out = openvdb::FloatGrid::create(band);
    for (int b = 0; b < blocks.size(); ++b) {
        if (leaves[b]) {
            out->tree().addLeaf(leaves[b].release());
        } else if (inside[b]) {
            if constexpr (D == 3)
                out->tree().addTile(1, to_coord(blocks.first_cell(b)), -band, false);
            else
                for (int o = 0; o < kBlockCells<D>; ++o)
                    out->tree().setValueOff(to_coord(blocks.first_cell(b) + local_cell<D>(o)),
                                            -band);
        }
    }
    out->setName("surface");
    out->setGridClass(openvdb::GRID_LEVEL_SET);
    out->setTransform(transform_of(grid));
    return out;
}

template <int D>
openvdb::Vec3SGrid::Ptr velocity_grid(const Field<float, D>& level_set,
                                      const FaceField<float, D>& velocity,
                                      const GridGeometry<D>& grid) {
    using Leaf = openvdb::Vec3STree::LeafNodeType;
    const float limit = static_cast<float>(kMovingBand * grid.dx);
    const Blocks<D>& blocks = level_set.blocks();
    const Blocks<D>& faces = velocity.blocks();
    std::vector<std::unique_ptr<Leaf>> leaves(blocks.size());
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        const int f = faces.find(blocks.coord(int(b)));
        if (f == faces.size()) return;
        Tile<float, D, 1> u[D];
        for (int d = 0; d < D; ++d) u[d].load(velocity.axis(d), f);
        const float* phi = level_set.block(int(b));
        auto leaf = std::make_unique<Leaf>(to_coord(blocks.first_cell(int(b))),
                                           openvdb::Vec3s(0.0f), false);
        for_each_cell<D, 1>([&](const Index<D>& c, int o, int t) {
            if (!(phi[o] < limit)) return;
            openvdb::Vec3s v(0.0f);
            for (int d = 0; d < D; ++d)
                v[d] = 0.5f * (u[d].v[t] + u[d].v[t + Tile<float, D, 1>::step(d)]);
            leaf->setValueOn(leaf_offset(c), v);
        });
        if (!leaf->isEmpty()) leaves[b] = std::move(leaf);
    });

    auto out = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    for (auto& leaf : leaves)
        if (leaf) out->tree().addLeaf(leaf.release());
    out->setName("vel");
    out->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    out->setTransform(transform_of(grid));
    return out;
}

/// A fog volume of the values that differ from the background.
template <int D>
openvdb::FloatGrid::Ptr fog_grid(const char* name, const Field<float, D>& f,
                                 const GridGeometry<D>& grid) {
    using Leaf = openvdb::FloatTree::LeafNodeType;
    const float background = f.background(), least = 1e-5f * std::max(1.0f, std::abs(background));
    const Blocks<D>& blocks = f.blocks();
    std::vector<std::unique_ptr<Leaf>> leaves(blocks.size());
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        const Index<D> first = blocks.first_cell(int(b));
        const float* v = f.block(int(b));
        auto leaf = std::make_unique<Leaf>(to_coord(first), background, false);
        for_each_cell<D, 0>([&](const Index<D>& c, int o, int) {
            for (int d = 0; d < D; ++d)
                if (first[d] + c[d] < 0 || first[d] + c[d] >= grid.cells[d]) return;
            if (std::abs(v[o] - background) > least) leaf->setValueOn(leaf_offset(c), v[o]);
        });
        if (!leaf->isEmpty()) leaves[b] = std::move(leaf);
    });
    auto out = openvdb::FloatGrid::create(background);
    for (auto& leaf : leaves)
        if (leaf) out->tree().addLeaf(leaf.release());
    out->setName(name);
    out->setGridClass(openvdb::GRID_FOG_VOLUME);
    out->setTransform(transform_of(grid));
    return out;
}

/// Particles by leaf: order[first[l]] ... order[first[l+1]-1] lie in leaf l.
template <int D>
struct Binned {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> first;
};

template <int D>
Index<D> cell_of(const Particles<D>& p, std::size_t i) {
    Index<D> cell;
    for (int d = 0; d < D; ++d) cell[d] = static_cast<int>(std::floor(p.x[d][i]));
    return cell;
}

template <int D>
Binned<D> bin(const Particles<D>& p) {
    std::vector<std::uint64_t> key(p.size());
    parallel_for(p.size(), 4096,
                 [&](std::size_t i) { key[i] = block_key(block_of(cell_of(p, i))); });
    Binned<D> bins;
    bins.order.resize(p.size());
    std::iota(bins.order.begin(), bins.order.end(), 0u);
    if (!std::is_sorted(key.begin(), key.end()))  // they often are: the step sorts them
        std::stable_sort(bins.order.begin(), bins.order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
    for (std::size_t i = 0; i < p.size(); ++i)
        if (i == 0 || key[bins.order[i]] != key[bins.order[i - 1]]) bins.first.push_back(i);
    bins.first.push_back(p.size());
    return bins;
}

using PositionArray = pts::TypedAttributeArray<openvdb::Vec3f>;
using VelocityArray = pts::TypedAttributeArray<openvdb::Vec3f>;
using IdArray = pts::TypedAttributeArray<std::int32_t>;

/// Fills one leaf with its particles, ordered by voxel and then as they come.
template <int D>
void fill_leaf(pts::PointDataTree::LeafNodeType& leaf, const Particles<D>& p,
               const std::uint32_t* begin, std::size_t n) {
    using Leaf = pts::PointDataTree::LeafNodeType;
    std::vector<std::uint32_t> end(Leaf::SIZE, 0), place(n);
    std::vector<openvdb::Index> voxel(n);
    for (std::size_t k = 0; k < n; ++k)
        ++end[voxel[k] = leaf_offset<D>(local_of(cell_of(p, begin[k])))];
    std::uint32_t total = 0;
    std::vector<std::uint32_t> next(Leaf::SIZE);
    for (openvdb::Index o = 0; o < Leaf::SIZE; ++o) {
        next[o] = total;
        end[o] = total += end[o];
    }
    for (std::size_t k = 0; k < n; ++k) place[k] = next[voxel[k]]++;

    auto& position = PositionArray::cast(leaf.attributeArray("P"));
    auto& velocity = VelocityArray::cast(leaf.attributeArray("v"));
    auto& id = IdArray::cast(leaf.attributeArray("id"));
    position.expand();
    velocity.expand();
    id.expand();
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t i = begin[k];
        openvdb::Vec3f x(0.0f), v(0.0f);
        for (int d = 0; d < D; ++d) {
            x[d] = p.x[d][i] - std::floor(p.x[d][i]) - 0.5f;  // from the voxel's centre
            v[d] = p.v[d][i];
        }
        position.setUnsafe(place[k], x);
        velocity.setUnsafe(place[k], v);
        id.setUnsafe(place[k], static_cast<std::int32_t>(p.id[i]));
    }
    leaf.setOffsets(std::vector<pts::PointDataTree::ValueType>(end.begin(), end.end()));
}

template <int D>
pts::PointDataGrid::Ptr points_grid(const Particles<D>& p, const GridGeometry<D>& grid) {
    using Leaf = pts::PointDataTree::LeafNodeType;
    // All leaves share these descriptors: attributes are added to a leaf one by one.
    const auto with_p = pts::AttributeSet::Descriptor::create(PositionArray::attributeType());
    auto with_v = with_p->duplicateAppend("v", VelocityArray::attributeType());
    auto with_id = with_v->duplicateAppend("id", IdArray::attributeType());

    const Binned<D> bins = bin(p);
    const std::size_t leaf_count = bins.first.size() - 1;
    std::vector<std::unique_ptr<Leaf>> leaves(leaf_count);
    parallel_for(leaf_count, 16, [&](std::size_t l) {
        const std::uint32_t* begin = bins.order.data() + bins.first[l];
        const std::size_t n = bins.first[l + 1] - bins.first[l];
        const Index<D> corner = block_of(cell_of(p, *begin)) * kSide;
        leaves[l] = std::make_unique<Leaf>(to_coord(corner));
        leaves[l]->initializeAttributes(with_p, static_cast<openvdb::Index>(n));
        leaves[l]->appendAttribute(*with_p, with_v, 1);
        leaves[l]->appendAttribute(*with_v, with_id, 2);
        fill_leaf(*leaves[l], p, begin, n);
    });

    auto out = pts::PointDataGrid::create();
    for (auto& leaf : leaves) out->tree().addLeaf(leaf.release());
    out->setName("points");
    out->setTransform(transform_of(grid));
    return out;
}

/// The random file id: 36 characters after magic (8), versions (4 + 4 + 4) and a flag (1).
constexpr std::size_t kIdAt = 21, kIdLength = 36;

/// The id a file should have: a hash of everything else in it.
std::string content_id(const std::string& bytes) {
    const std::string_view text(bytes), rest = text.substr(kIdAt + kIdLength);
    const std::uint64_t head = hash_bytes(text.substr(0, kIdAt));
    const std::string hex =
        fmt::format("{:016x}{:016x}", hash_bytes(rest, head), hash_bytes(rest, head + 1));
    return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                       hex.substr(16, 4), hex.substr(20));
}

/// OpenVDB's own File writes to a path and does not notice a full disk; this one writes to memory.
class MemoryArchive : public openvdb::io::Archive {
public:
    std::string write_to_memory(const openvdb::GridPtrVec& grids) const {
        std::ostringstream out(std::ios::binary);
        write(out, grids, /*seekable=*/true);
        return std::move(out).str();
    }
};

std::size_t write_grids(const std::string& path, const openvdb::GridPtrVec& grids) {
    std::string bytes = MemoryArchive().write_to_memory(grids);
    for (const std::size_t dash : {8, 13, 18, 23})  // the id is where we think it is
        SLOSH_EXPECT(bytes.size() > kIdAt + kIdLength && bytes[kIdAt + dash] == '-');
    bytes.replace(kIdAt, kIdLength, content_id(bytes));
    write_file(path, bytes);
    return bytes.size();
}

/// Reads all grids. OpenVDB trusts what it reads and may crash on a damaged file, so the id, a hash
/// of the content, is checked first; files of other programs are thereby refused.
openvdb::GridPtrVec read_grids(const std::string& path) {
    start_openvdb();
    const std::string bytes = read_file(path);
    if (bytes.size() < kIdAt + kIdLength || bytes.substr(kIdAt, kIdLength) != content_id(bytes))
        throw InputError(
            fmt::format("cannot read {}: it is damaged, or no VDB file written by slosh", path));
    try {
        openvdb::io::File in(path);
        in.open(false);  // no delayed loading
        openvdb::GridPtrVecPtr grids = in.getGrids();
        return *grids;
    } catch (const std::exception& e) {
        std::string why = e.what();
        std::replace(why.begin(), why.end(), '\n', ' ');
        throw InputError(fmt::format("cannot read {}: not a whole VDB file ({})", path, why));
    }
}

template <class Grid>
typename Grid::Ptr find_grid(const openvdb::GridPtrVec& grids, const std::string& path,
                             const char* name) {
    for (const auto& grid : grids)
        if (grid->getName() == name)
            if (auto found = openvdb::gridPtrCast<Grid>(grid)) return found;
    throw InputError(
        fmt::format("cannot read {}: it holds no grid '{}' of the right type", path, name));
}

}  // namespace

template <int D>
std::size_t write_volumes_vdb(const std::string& path, const Field<float, D>& level_set,
                              const FaceField<float, D>& velocity, const GridGeometry<D>& grid) {
    start_openvdb();
    return write_grids(path,
                       {level_set_grid(level_set, grid), velocity_grid(level_set, velocity, grid)});
}

template <int D>
std::size_t write_smoke_vdb(const std::string& path, const Field<float, D>& smoke,
                            const Field<float, D>& temperature, const FaceField<float, D>* velocity,
                            const GridGeometry<D>& grid) {
    start_openvdb();
    openvdb::GridPtrVec grids = {fog_grid("density", smoke, grid),
                                 fog_grid("temperature", temperature, grid)};
    if (velocity) {
        const Field<float, D> inside(smoke.blocks_ptr(), -1.0f);
        grids.push_back(velocity_grid(inside, *velocity, grid));
    }
    return write_grids(path, grids);
}

template <int D>
std::size_t write_particles_vdb(const std::string& path, const Particles<D>& particles,
                                const GridGeometry<D>& grid) {
    start_openvdb();
    return write_grids(path, {points_grid(particles, grid)});
}

ParticleCloud read_particles_vdb(const std::string& path) {
    const auto grid = find_grid<pts::PointDataGrid>(read_grids(path), path, "points");
    ParticleCloud cloud;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
        const pts::AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
        const pts::AttributeHandle<openvdb::Vec3f> velocity(leaf->constAttributeArray("v"));
        const pts::AttributeHandle<std::int32_t> id(leaf->constAttributeArray("id"));
        for (auto i = leaf->beginIndexOn(); i; ++i) {
            const openvdb::Vec3d x =
                grid->indexToWorld(openvdb::Vec3d(position.get(*i)) + i.getCoord().asVec3d());
            const openvdb::Vec3f v = velocity.get(*i);
            cloud.positions.push_back({float(x[0]), float(x[1]), float(x[2])});
            cloud.velocities.push_back({v[0], v[1], v[2]});
            cloud.ids.push_back(static_cast<std::uint32_t>(id.get(*i)));
        }
    }
    return cloud;
}

std::vector<VolumeSample> sample_volumes_vdb(const std::string& path,
                                             const std::vector<Point<3>>& points) {
    const openvdb::GridPtrVec grids = read_grids(path);
    const auto phi = find_grid<openvdb::FloatGrid>(grids, path, "surface");
    const auto vel = find_grid<openvdb::Vec3SGrid>(grids, path, "vel");
    const openvdb::tools::GridSampler<openvdb::FloatGrid, openvdb::tools::BoxSampler> at_phi(*phi);
    const openvdb::tools::GridSampler<openvdb::Vec3SGrid, openvdb::tools::BoxSampler> at_vel(*vel);
    std::vector<VolumeSample> samples;
    for (const Point<3>& p : points) {
        const openvdb::Vec3d x(p[0], p[1], p[2]);
        const openvdb::Vec3s v = at_vel.wsSample(x);
        samples.push_back({at_phi.wsSample(x), {v[0], v[1], v[2]}});
    }
    return samples;
}

SmokeVolume read_smoke_vdb(const std::string& path, const Index<3>& cells) {
    const auto grid = find_grid<openvdb::FloatGrid>(read_grids(path), path, "density");
    SmokeVolume out;
    out.cells = cells;
    out.density.assign(std::size_t(cells[0]) * cells[1] * cells[2], 0.0f);
    for (auto v = grid->cbeginValueOn(); v; ++v) {
        const openvdb::Coord c = v.getCoord();
        if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] >= cells[0] || c[1] >= cells[1] ||
            c[2] >= cells[2])
            throw InputError(fmt::format("cannot read {}: it does not fit the scene", path));
        out.density[(std::size_t(c[2]) * cells[1] + c[1]) * cells[0] + c[0]] = *v;
    }
    return out;
}

std::vector<VdbGridInfo> summarize_vdb(const std::string& path) {
    std::vector<VdbGridInfo> infos;
    for (const auto& grid : read_grids(path)) {
        const openvdb::Vec3d centre = grid->indexToWorld(openvdb::Vec3d(0.0));
        VdbGridInfo info{.name = grid->getName(),
                         .type = grid->valueType(),
                         .grid_class = openvdb::GridBase::gridClassToString(grid->getGridClass()),
                         .voxel_size = grid->voxelSize()[0],
                         .first_centre = {centre[0], centre[1], centre[2]},
                         .active = grid->activeVoxelCount()};
        if (const auto points = openvdb::gridPtrCast<pts::PointDataGrid>(grid)) {
            info.type = "points";
            info.points = pts::pointCount(points->tree());
        }
        infos.push_back(info);
    }
    return infos;
}

#define SLOSH_INSTANTIATE(D)                                                                       \
    template std::size_t write_smoke_vdb<D>(const std::string&, const Field<float, D>&,            \
                                            const Field<float, D>&, const FaceField<float, D>*,    \
                                            const GridGeometry<D>&);                               \
    template std::size_t write_volumes_vdb<D>(const std::string&, const Field<float, D>&,          \
                                              const FaceField<float, D>&, const GridGeometry<D>&); \
    template std::size_t write_particles_vdb<D>(const std::string&, const Particles<D>&,           \
                                                const GridGeometry<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
