#include "slosh/render/ray_scene.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <cstring>

#include "slosh/base/error.h"
#include "slosh/render/palette.h"
#include "slosh/render/walls.h"

namespace slosh {

namespace {

struct Object {
    Kind kind = kOpaque;
    Vec3 colour = {1, 1, 1};
    bool wets = false;
    std::vector<Vec3> normals = {};  // per vertex, smooth; empty where a shape gives them
    std::vector<std::array<std::uint32_t, 3>> elements = {};
    std::vector<Vec3> colours = {};  // per primitive, if they differ
    const Shape<3>* shape = nullptr;
    Transform<3> transform = {};
    double step = 0;  // m, of the differences that give a shape's normal
};

/// Area-weighted normals at the vertices, then smoothed over neighbours `rounds` times.
std::vector<Vec3> vertex_normals(const std::vector<Vec3>& x,
                                 const std::vector<std::array<std::uint32_t, 3>>& elements,
                                 int rounds) {
    std::vector<Vec3> n(x.size());
    for (const auto& e : elements) {
        const Vec3 a = cross(x[e[1]] - x[e[0]], x[e[2]] - x[e[0]]);
        for (int k = 0; k < 3; ++k) n[e[k]] += a;
    }
    for (Vec3& v : n) v = normalized(v);
    for (int round = 0; round < rounds; ++round) {
        std::vector<Vec3> sum = n;
        for (const auto& e : elements)
            for (int k = 0; k < 3; ++k)
                sum[e[k]] += (n[e[(k + 1) % 3]] + n[e[(k + 2) % 3]]) * 0.25f;
        for (std::size_t i = 0; i < n.size(); ++i) n[i] = normalized(sum[i]);
    }
    return n;
}

/// The vertices of a mesh on the stage.
std::vector<Vec3> on_stage(const SurfaceMesh& mesh, const Transform<3>& transform,
                           const Stage& stage) {
    std::vector<Vec3> x;
    x.reserve(mesh.vertices.size());
    for (const auto& v : mesh.vertices)
        x.push_back(stage.from_world(transform.apply(v.as<double>())));
    return x;
}

/// Longest side of a mesh's bounding box. m.
double extent(const SurfaceMesh& mesh) {
    Vec<float, 3> lo = Vec<float, 3>::filled(1e30f), hi = Vec<float, 3>::filled(-1e30f);
    for (const auto& v : mesh.vertices) {
        lo = min(lo, v);
        hi = max(hi, v);
    }
    return std::max({hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
}

/// Lets rays pass the wall of a cut-away container that they meet from its solid side.
void skip_from_behind(const RTCFilterFunctionNArguments* args) {
    if (args->N != 1 || args->valid[0] == 0) return;
    const auto* ray = reinterpret_cast<const RTCRay*>(args->ray);
    const auto* hit = reinterpret_cast<const RTCHit*>(args->hit);
    const float along = ray->dir_x * hit->Ng_x + ray->dir_y * hit->Ng_y + ray->dir_z * hit->Ng_z;
    if (along > 0) args->valid[0] = 0;
}

/// Lets rays go on from water and glass that they start on.
void skip_start(const RTCFilterFunctionNArguments* args) {
    if (args->N == 1 && reinterpret_cast<const RTCRay*>(args->ray)->tfar < kStartsOn)
        args->valid[0] = 0;
}

}  // namespace

struct RayScene::Impl {
    Stage stage;
    Walls walls;
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    std::vector<Object> objects;

    Impl(const Stage& s, const Box<3>& domain, double contact)
        : stage(s), walls(s, domain, contact) {}

    /// Attaches a geometry; its number is the index into `objects`.
    void attach(RTCGeometry geometry, Object object) {
        rtcSetGeometryMask(geometry, object.kind);
        const auto filter = [&](RTCFilterFunctionN skip) {
            rtcSetGeometryIntersectFilterFunction(geometry, skip);
            rtcSetGeometryOccludedFilterFunction(geometry, skip);
        };
        if (object.kind == kCutAway) filter(skip_from_behind);
        if (object.kind & (kWater | kGlass)) filter(skip_start);
        rtcCommitGeometry(geometry);
        const unsigned id = rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        SLOSH_EXPECT(id == objects.size());
        objects.push_back(std::move(object));
    }

    void attach_triangles(const std::vector<Vec3>& x,
                          const std::vector<std::array<std::uint32_t, 3>>& elements,
                          Object object) {
        if (elements.empty()) return;
        RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                          sizeof(Vec3), x.size());
        void* e = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(std::uint32_t), elements.size());
        if (!v || !e) throw ResourceError("out of memory for the picture's triangles");
        std::memcpy(v, x.data(), x.size() * sizeof(Vec3));
        std::memcpy(e, elements.data(), elements.size() * 3 * sizeof(std::uint32_t));
        attach(g, std::move(object));
    }

    /// A thin bar between two corners of the box, as eight corners and twelve triangles.
    void attach_bar(const Vec3& a, const Vec3& b, float half) {
        const Vec3 lo = min(a, b) - Vec3::filled(half), hi = max(a, b) + Vec3::filled(half);
        std::vector<Vec3> x;
        for (int k = 0; k < 8; ++k)
            x.push_back({k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]});
        static const std::vector<std::array<std::uint32_t, 3>> kFaces = {
            {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
            {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
        attach_triangles(x, kFaces, {.kind = kLine, .colour = {0.10f, 0.12f, 0.15f}});
    }
};

RayScene::RayScene(const Stage& stage, const Box<3>& domain, double contact)
    : impl_(std::make_unique<Impl>(stage, domain, contact)) {
    impl_->device = rtcNewDevice(nullptr);
    if (!impl_->device) throw ResourceError("cannot start the ray tracer Embree");
    impl_->scene = rtcNewScene(impl_->device);
    rtcSetSceneFlags(impl_->scene, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST));
}

RayScene::~RayScene() {
    rtcReleaseScene(impl_->scene);
    rtcReleaseDevice(impl_->device);
}

void RayScene::add_water(const SurfaceMesh& mesh) {
    if (mesh.elements.empty()) return;
    std::vector<Vec3> x = on_stage(mesh, {}, impl_->stage);
    impl_->walls.settle(x, vertex_normals(x, mesh.elements, 1));
    Object water{.kind = kWater};
    water.elements = mesh.elements;
    water.normals = vertex_normals(x, mesh.elements, 2);
    impl_->attach_triangles(x, mesh.elements, std::move(water));
}

void RayScene::add_solid(const RenderSolid<3>& solid) {
    if (solid.look == RenderLook::Hidden) return;
    SLOSH_EXPECT(solid.mesh);
    if (solid.mesh->elements.empty()) return;
    const std::vector<Vec3> x = on_stage(*solid.mesh, solid.transform, impl_->stage);
    Object o{.kind = solid.look == RenderLook::Glass     ? kGlass
                     : solid.look == RenderLook::CutAway ? kCutAway
                                                         : kOpaque,
             .colour = solid.colour};
    o.wets = solid.wets;
    o.shape = solid.shape.get();
    o.transform = solid.transform;
    o.step = 1.5e-3 * extent(*solid.mesh);
    if (o.shape) {
        impl_->walls.add(o.shape, o.transform, o.step);
    } else {
        o.elements = solid.mesh->elements;
        o.normals = vertex_normals(x, o.elements, 0);
    }
    impl_->attach_triangles(x, solid.mesh->elements, std::move(o));
}

void RayScene::add_box(const Box<3>& box) {
    const Vec3 a = impl_->stage.from_world(box.lo), b = impl_->stage.from_world(box.hi);
    const Vec3 lo = min(a, b), hi = max(a, b);
    std::vector<Vec3> x;
    for (int k = 0; k < 8; ++k)
        x.push_back({k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]});
    const std::vector<std::array<std::uint32_t, 3>> sides = {
        {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {2, 6, 7},
        {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    impl_->attach_triangles(x, sides, {.kind = kGlass, .colour = {0.85f, 0.92f, 0.95f}});
    for (int k = 0; k < 8; ++k)
        for (int d = 0; d < 3; ++d)
            if (!(k >> d & 1)) impl_->attach_bar(x[k], x[k | 1 << d], 0.0016f);
}

void RayScene::add_particles(const RenderParticles& particles, double radius) {
    const std::size_t n = particles.positions.size();
    if (n == 0) return;
    Object o{.kind = kOpaque};
    o.colours = speed_colours(particles, foam_colour);
    RTCGeometry g = rtcNewGeometry(impl_->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    auto* v = static_cast<float*>(
        rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 16, n));
    if (!v) throw ResourceError("out of memory for the picture's particles");
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 p = impl_->stage.from_world(particles.positions[i].as<double>());
        for (int d = 0; d < 3; ++d) v[4 * i + d] = p[d];
        v[4 * i + 3] = static_cast<float>(radius / impl_->stage.size);
    }
    impl_->attach(g, std::move(o));
}

void RayScene::commit() {
    // Embree cuts its work by the number of cores, not by the number of threads that we allow it,
    // so the tree, and with it the winner of a tie on an edge, is the same for any of the latter.
    rtcCommitScene(impl_->scene);
    if (rtcGetDeviceError(impl_->device) != RTC_ERROR_NONE)
        throw ResourceError("the ray tracer Embree cannot build its tree; is memory short?");
}

bool RayScene::closest(const Vec3& o, const Vec3& d, float t_max, unsigned mask, Hit& hit) const {
    RTCRayHit q;
    q.ray = {o[0], o[1], o[2], 0, d[0], d[1], d[2], 0, t_max, mask, 0, 0};
    q.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    q.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(impl_->scene, &context, &q);
    if (q.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    hit.t = q.ray.tfar;
    hit.p = o + d * hit.t;
    hit.ng = normalized({q.hit.Ng_x, q.hit.Ng_y, q.hit.Ng_z});
    hit.object = q.hit.geomID;
    hit.kind = impl_->objects[hit.object].kind;
    hit.primitive = q.hit.primID;
    hit.u = q.hit.u;
    hit.v = q.hit.v;
    return true;
}

bool RayScene::occluded(const Vec3& o, const Vec3& d, float t_max, unsigned mask) const {
    RTCRay ray = {o[0], o[1], o[2], 0, d[0], d[1], d[2], 0, t_max, mask, 0, 0};
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(impl_->scene, &context, &ray);
    return ray.tfar < 0;
}

Vec3 RayScene::shading_normal(const Hit& hit) const {
    const Object& o = impl_->objects[hit.object];
    if (o.shape) {
        const Point<3> local = o.transform.unapply(impl_->stage.to_world(hit.p));
        const Point<3> n = o.transform.rotation * slope(*o.shape, local, o.step);
        return normalized(impl_->stage.turn(n).as<float>());
    }
    if (o.normals.empty()) return hit.ng;
    const auto& e = o.elements[hit.primitive];
    const Vec3 &a = o.normals[e[0]], &b = o.normals[e[1]], &c = o.normals[e[2]];
    const Vec3 n = normalized(a * (1 - hit.u - hit.v) + b * hit.u + c * hit.v);
    if (o.kind == kWater) return impl_->walls.normal(hit.p, n);
    // A corner that turns by more than 40 degrees is an edge of the body: keep it sharp.
    const float least = std::min({dot(a, hit.ng), dot(b, hit.ng), dot(c, hit.ng)});
    return least > 0.766f ? n : hit.ng;
}

Vec3 RayScene::colour(const Hit& hit) const {
    const Object& o = impl_->objects[hit.object];
    return o.colours.empty() ? o.colour : o.colours[hit.primitive];
}

bool RayScene::wets(const Hit& hit) const {
    return impl_->objects[hit.object].wets;
}

}  // namespace slosh
