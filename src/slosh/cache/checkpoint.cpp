#include "slosh/cache/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cache/codec.h"

namespace slosh {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

namespace {

constexpr char kMagic[8] = {'S', 'L', 'O', 'S', 'H', 'C', 'K', 'P'};
constexpr std::uint32_t kVersion = 3;  // 2: bodies; 3: blocks row by row

constexpr std::uint32_t kAffine = 1, kGas = 2, kViscous = 4;

struct Header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t dim;
    std::uint64_t frame;
    std::uint64_t scene_hash;
    double time;
    std::uint64_t steps;
    std::uint64_t drained;
    std::uint64_t particles;
    std::uint32_t next_id;
    std::uint32_t arrays;  ///< What the particles carry: kAffine, kGas, kViscous.
    std::uint64_t bodies;
    std::uint64_t bodies_hash;  ///< Of their states, which follow the header.
    std::uint64_t hash;         ///< Of all before it.
};
static_assert(sizeof(Header) == 96);

/// A body's state in the file.
template <int D>
struct SavedBody {
    double position[D], rotation[D][D], velocity[D], spin[3], liquid[kFreedoms<D>];
};
std::size_t body_bytes(std::uint64_t dim) {
    return dim == 2 ? sizeof(SavedBody<2>) : sizeof(SavedBody<3>);
}

template <int D>
std::vector<SavedBody<D>> saved(const std::vector<BodyState<D>>& states) {
    std::vector<SavedBody<D>> out;
    for (const BodyState<D>& s : states) {
        SavedBody<D> b;
        for (int i = 0; i < D; ++i) {
            b.position[i] = s.position[i];
            b.velocity[i] = s.velocity[i];
            for (int j = 0; j < D; ++j) b.rotation[i][j] = s.rotation.row[i][j];
        }
        for (int i = 0; i < 3; ++i) b.spin[i] = s.spin[i];
        for (int i = 0; i < kFreedoms<D>; ++i) b.liquid[i] = s.liquid[i];
        out.push_back(b);
    }
    return out;
}

template <int D>
std::vector<BodyState<D>> restored(const std::string& bytes, std::uint64_t count) {
    std::vector<BodyState<D>> states(count);
    for (std::size_t n = 0; n < count; ++n) {
        SavedBody<D> b;
        std::memcpy(&b, bytes.data() + sizeof(Header) + n * sizeof b, sizeof b);
        BodyState<D>& s = states[n];
        for (int i = 0; i < D; ++i) {
            s.position[i] = b.position[i];
            s.velocity[i] = b.velocity[i];
            for (int j = 0; j < D; ++j) s.rotation.row[i][j] = b.rotation[i][j];
        }
        for (int i = 0; i < 3; ++i) s.spin[i] = b.spin[i];
        for (int i = 0; i < kFreedoms<D>; ++i) s.liquid[i] = b.liquid[i];
    }
    return states;
}

std::uint64_t hash_of(const Header& header) {
    return hash_bytes(&header, offsetof(Header, hash));
}

std::size_t arrays_in(const Header& h) {
    return 2 * h.dim + (h.arrays & kAffine ? h.dim * h.dim : 0) + (h.arrays & kGas ? 2 : 0) +
           (h.arrays & kViscous ? 1 : 0) + 1;
}

Header read_header(const std::string& path, const std::string& bytes) {
    Header header;
    if (bytes.size() < sizeof header)
        throw InputError(fmt::format("cannot read {}: too short for a checkpoint", path));
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
        throw InputError(fmt::format("cannot read {}: not a slosh checkpoint", path));
    if (header.version != kVersion)
        throw InputError(fmt::format(
            "cannot read {}: it has format version {}, this slosh reads {}; resume with "
            "the slosh that wrote it",
            path, header.version, kVersion));
    if (header.hash != hash_of(header) || (header.dim != 2 && header.dim != 3))
        throw InputError(fmt::format("cannot read {}: it is damaged", path));
    const std::size_t bodies = header.bodies * body_bytes(header.dim);
    if (header.bodies > 1000000 || bytes.size() < sizeof header + bodies ||
        hash_bytes(bytes.data() + sizeof header, bodies) != header.bodies_hash)
        throw InputError(fmt::format("cannot read {}: it is damaged", path));
    return header;
}

CheckpointInfo info_of(const Header& h, std::size_t bytes) {
    return {.dim = static_cast<int>(h.dim),
            .frame = static_cast<int>(h.frame),
            .time = h.time,
            .steps = h.steps,
            .particles = h.particles,
            .affine = (h.arrays & kAffine) != 0,
            .gas = (h.arrays & kGas) != 0,
            .scene_hash = h.scene_hash,
            .bytes = bytes};
}

/// All arrays of the particles in the order of the file.
template <int D>
std::vector<PackedArray> arrays_of(const Particles<D>& particles) {
    std::vector<PackedArray> arrays;
    const auto add = [&](const auto& a) {
        SLOSH_EXPECT(a.size() == particles.size());
        arrays.push_back({const_cast<void*>(static_cast<const void*>(a.data())), a.size()});
    };
    for (int d = 0; d < D; ++d) add(particles.x[d]);
    for (int d = 0; d < D; ++d) add(particles.v[d]);
    if (particles.affine())
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) add(particles.c[i][j]);
    if (particles.gas()) {
        add(particles.smoke);
        add(particles.temperature);
    }
    if (particles.viscous()) add(particles.viscosity);
    add(particles.id);
    return arrays;
}

/// The packed particles.
std::string_view particles_in(const std::string& bytes, const Header& header) {
    return std::string_view(bytes).substr(sizeof(Header) + header.bodies * body_bytes(header.dim));
}

}  // namespace

template <int D>
std::size_t save_checkpoint(const std::string& path, const LiquidState<D>& state, int frame,
                            std::uint64_t scene_hash) {
    const std::vector<SavedBody<D>> bodies = saved(state.bodies);
    const std::size_t body_size = bodies.size() * sizeof(SavedBody<D>);
    Header header{.magic = {},
                  .version = kVersion,
                  .dim = D,
                  .frame = static_cast<std::uint64_t>(frame),
                  .scene_hash = scene_hash,
                  .time = state.time,
                  .steps = state.steps,
                  .drained = state.drained,
                  .particles = state.particles.size(),
                  .next_id = state.next_id,
                  .arrays = (state.particles.affine() ? kAffine : 0) |
                            (state.particles.gas() ? kGas : 0) |
                            (state.particles.viscous() ? kViscous : 0),
                  .bodies = bodies.size(),
                  .bodies_hash = hash_bytes(bodies.data(), body_size),
                  .hash = 0};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.hash = hash_of(header);
    AtomicFile file(path);
    file.write(&header, sizeof header);
    if (body_size > 0) file.write(bodies.data(), body_size);
    write_packed(file, arrays_of(state.particles));
    file.commit();
    return file.bytes();
}

CheckpointInfo check_checkpoint(const std::string& path) {
    const std::string bytes = read_file(path);
    const Header header = read_header(path, bytes);
    check_packed(path, particles_in(bytes, header), arrays_in(header), header.particles);
    return info_of(header, bytes.size());
}

template <int D>
LiquidState<D> load_checkpoint(const std::string& path, CheckpointInfo* info) {
    const std::string bytes = read_file(path);
    const Header header = read_header(path, bytes);
    if (header.dim != D)
        throw InputError(
            fmt::format("cannot read {}: it is {}D, the scene is {}D", path, header.dim, D));
    check_packed(path, particles_in(bytes, header), arrays_in(header), header.particles);

    LiquidState<D> state;
    state.time = header.time;
    state.steps = header.steps;
    state.next_id = header.next_id;
    state.drained = header.drained;
    state.particles.resize(header.particles, header.arrays & kAffine, header.arrays & kGas,
                           header.arrays & kViscous);
    read_packed(path, particles_in(bytes, header), arrays_of(state.particles));
    state.bodies = restored<D>(bytes, header.bodies);
    if (info) *info = info_of(header, bytes.size());
    return state;
}

#define SLOSH_INSTANTIATE(D)                                                                \
    template std::size_t save_checkpoint<D>(const std::string&, const LiquidState<D>&, int, \
                                            std::uint64_t);                                 \
    template LiquidState<D> load_checkpoint<D>(const std::string&, CheckpointInfo*);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
