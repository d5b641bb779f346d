// The only file that sees Assimp, and only for glTF. The simple formats have readers of their own
// (mesh_obj.cpp, mesh_ply.cpp, mesh_stl.cpp): Assimp 5.2 never returns from a PLY file that was cut
// off within its header, and theirs can name the line. Nothing that a reader returns is trusted.
#include "slosh/shape/mesh_file.h"

#include <assimp/BaseImporter.h>
#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/DefaultLogger.hpp>
#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#include <assimp/LogStream.hpp>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "slosh/base/error.h"
#include "slosh/shape/mesh_text.h"

namespace slosh {

namespace {

constexpr std::size_t kMaxTriangles = 50'000'000;
constexpr std::uintmax_t kMaxBytes = 4ull << 30;
constexpr int kMaxDepth = 256;          // of nodes
constexpr double kMaxCoordinate = 1e9;  // m

[[noreturn]] void fail(const std::string& path, std::string why) {
    // One line, whatever the library or the file had to say.
    for (char& c : why)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = ' ';
    if (why.size() > 200) why.resize(200);
    throw InputError(fmt::format("mesh {}: {}", path, why));
}

/// The file's kind in small letters, dot included, if it can be read at all.
std::string check_file(const std::string& path) {
    namespace fs = std::filesystem;
    std::string extension = fs::path(path).extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto known = {".obj", ".ply", ".stl", ".gltf", ".glb"};
    if (std::find(known.begin(), known.end(), extension) == known.end())
        fail(path, fmt::format("unknown kind of file '{}'; use .obj, .ply, .stl, .gltf or .glb",
                               extension));
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status)) fail(path, "no such file");
    if (!fs::is_regular_file(status)) fail(path, "not a file");
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) fail(path, "cannot be read");
    if (size == 0) fail(path, "the file is empty");
    if (size > kMaxBytes) fail(path, fmt::format("the file has {} bytes; that is too much", size));
    return extension;
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    if (!file) throw InputError("cannot be read");
    return std::move(bytes).str();
}

/// Adds the parts of a node and of all nodes below it.
void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, int depth,
              TriangleMesh& out) {
    if (depth > kMaxDepth)
        throw InputError(fmt::format("nodes are nested more than {} deep", kMaxDepth));
    const aiMatrix4x4 to_world = parent * node.mTransformation;
    const bool mirrored = to_world.Determinant() < 0;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
        if (node.mMeshes[m] >= scene.mNumMeshes)
            throw InputError("a node names a mesh that is not there");
        const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
        const std::size_t first = out.vertices.size();
        if (first + mesh.mNumVertices > 3 * kMaxTriangles ||
            out.triangles.size() + mesh.mNumFaces > kMaxTriangles)
            throw InputError(fmt::format("more than {} triangles", kMaxTriangles));
        for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
            const aiVector3D p = to_world * mesh.mVertices[v];
            out.vertices.push_back({p.x, p.y, p.z});
        }
        for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
            const aiFace& face = mesh.mFaces[f];
            if (face.mNumIndices != 3) continue;  // points and lines
            std::array<std::uint32_t, 3> t;
            for (int i = 0; i < 3; ++i) {
                if (face.mIndices[i] >= mesh.mNumVertices)
                    throw InputError(fmt::format("a triangle names vertex {} of {}",
                                                 face.mIndices[i], mesh.mNumVertices));
                t[i] = static_cast<std::uint32_t>(first + face.mIndices[i]);
            }
            if (mirrored) std::swap(t[1], t[2]);
            out.triangles.push_back(t);
        }
    }
    for (unsigned c = 0; c < node.mNumChildren; ++c)
        add_node(scene, *node.mChildren[c], to_world, depth + 1, out);
}

/// Listens to what Assimp says while it reads. It drops triangles with corners that do not exist,
/// and only its log tells. There is one log for the whole process, hence the lock.
class Listener final : public Assimp::LogStream {
public:
    Listener() : lock_(mutex()) {
        Assimp::DefaultLogger::create(nullptr, Assimp::Logger::NORMAL, 0);
        Assimp::DefaultLogger::get()->attachStream(this, Assimp::Logger::Warn);
    }
    ~Listener() override {
        Assimp::DefaultLogger::get()->detachStream(this, Assimp::Logger::Warn);
        Assimp::DefaultLogger::kill();
    }
    void write(const char* message) override {
        dropped_ =
            dropped_ || std::string_view(message).find("out-of-range") != std::string_view::npos;
    }
    bool dropped_triangles() const { return dropped_; }

private:
    static std::mutex& mutex() {
        static std::mutex m;
        return m;
    }
    std::lock_guard<std::mutex> lock_;
    bool dropped_ = false;
};

/// The files that Assimp reads, held in memory. Some it closes, some it deletes, and those of a
/// glTF file that it refuses it forgets: what is left goes with this.
class Files final : public Assimp::DefaultIOSystem {
public:
    ~Files() override {
        while (!open_.empty()) delete *open_.begin();
    }
    Assimp::IOStream* Open(const char* path, const char*) override {
        std::error_code error;
        if (!std::filesystem::is_regular_file(path, error)) return nullptr;
        return new File(open_, content(path));
    }
    void Close(Assimp::IOStream* file) override { delete file; }

private:
    struct File final : Assimp::IOStream {
        std::set<Assimp::IOStream*>& open;
        std::string bytes;
        std::size_t at = 0;

        File(std::set<Assimp::IOStream*>& files, std::string b) : open(files), bytes(std::move(b)) {
            open.insert(this);
        }
        ~File() override { open.erase(this); }
        std::size_t Read(void* to, std::size_t size, std::size_t count) override {
            if (size == 0) return 0;
            count = std::min(count, (bytes.size() - at) / size);
            std::memcpy(to, bytes.data() + at, size * count);
            at += size * count;
            return count;
        }
        aiReturn Seek(std::size_t offset, aiOrigin from) override {
            const std::size_t base = from == aiOrigin_SET   ? 0
                                     : from == aiOrigin_CUR ? at
                                                            : bytes.size();
            if (base + offset > bytes.size()) return aiReturn_FAILURE;
            at = base + offset;
            return aiReturn_SUCCESS;
        }
        std::size_t Tell() const override { return at; }
        std::size_t FileSize() const override { return bytes.size(); }
        std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
        void Flush() override {}
    };
    std::set<Assimp::IOStream*> open_;
};

/// The library takes the lengths that a GLB's chunks claim at their word, and memory for them.
void check_glb(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    const auto number = [&](std::size_t at) {
        std::uint32_t n = 0;  // little-endian, as every machine that slosh runs on
        std::memcpy(&n, bytes.data() + at, 4);
        return static_cast<std::size_t>(n);
    };
    for (std::size_t at = 12; at + 8 <= bytes.size(); at += 8 + number(at))
        if (number(at) > bytes.size() - at - 8)
            throw InputError(
                fmt::format("a chunk claims {} bytes, {} are left; the file is damaged", number(at),
                            bytes.size() - at - 8));
}

TriangleMesh read_gltf(const std::string& path) {
    const Listener listener;
    Assimp::Importer importer;
    importer.SetIOHandler(new Files);  // which it deletes
    // It looks into files and would read, by other code, one that only claims to be glTF.
    for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
        Assimp::BaseImporter* reader = importer.GetImporter(i);
        if (std::string_view(importer.GetImporterInfo(i)->mName).starts_with("glTF2")) continue;
        importer.UnregisterLoader(reader);
        delete reader;
    }
    // Positions are all we want: less work, and fewer of the library's own paths.
    importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS,
                                aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                    aiComponent_COLORS | aiComponent_TEXCOORDS |
                                    aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                    aiComponent_TEXTURES | aiComponent_LIGHTS |
                                    aiComponent_CAMERAS | aiComponent_MATERIALS);
    const aiScene* scene = importer.ReadFile(
        path, aiProcess_ValidateDataStructure | aiProcess_RemoveComponent | aiProcess_Triangulate);
    if (!scene) throw InputError(fmt::format("cannot be read: {}", importer.GetErrorString()));
    if (listener.dropped_triangles())
        throw InputError("triangles name vertices that are not there; the file is damaged");
    if (!scene->mRootNode) throw InputError("holds no geometry");
    TriangleMesh mesh;
    add_node(*scene, *scene->mRootNode, aiMatrix4x4(), 0, mesh);
    return mesh;
}

TriangleMesh read(const std::string& path, const std::string& extension) {
    if (extension == ".glb") check_glb(path);
    if (extension == ".gltf" || extension == ".glb") return read_gltf(path);
    const std::string bytes = content(path);
    if (extension == ".obj") return read_obj(bytes);
    if (extension == ".ply") return read_ply(bytes);
    return read_stl(bytes);
}

}  // namespace

TriangleMesh load_mesh(const std::string& path) {
    const std::string extension = check_file(path);
    TriangleMesh mesh;
    try {
        mesh = read(path, extension);
    } catch (const InputError& e) {
        fail(path, e.what());
    } catch (const std::bad_alloc&) {
        fail(path, "asks for more memory than there is; it is damaged or far too large");
    } catch (const std::exception& e) {
        fail(path, fmt::format("cannot be read: {}", e.what()));
    } catch (...) {
        fail(path, "cannot be read");
    }
    mesh.name = path;
    if (mesh.triangles.empty()) fail(path, "holds no triangles");
    if (mesh.triangles.size() > kMaxTriangles)
        fail(path,
             fmt::format("has {} triangles, more than {}", mesh.triangles.size(), kMaxTriangles));
    for (const Point<3>& v : mesh.vertices)
        for (int d = 0; d < 3; ++d)
            if (!(std::abs(v[d]) < kMaxCoordinate))
                fail(path, fmt::format("has a coordinate of {}; is it damaged?", v[d]));
    weld(mesh);
    if (mesh.triangles.empty()) fail(path, "holds only triangles without area");
    return mesh;
}

}  // namespace slosh
