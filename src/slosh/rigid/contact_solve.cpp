// The only file that knows Bullet.
#include <BulletDynamics/ConstraintSolver/btHingeConstraint.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/ConstraintSolver/btSliderConstraint.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <btBulletCollisionCommon.h>

#include <memory>

#include "slosh/rigid/contact_impl.h"
#include "slosh/rigid/dynamics.h"

namespace slosh {

namespace {

constexpr int kIterations = 60;        // sweeps over all contacts, without any from the last step
constexpr double kSlop = 1e-4;         // overlap that is left alone, of a body's size
constexpr double kErp = 0.2;           // share of the overlap undone in a step
constexpr double kBounceSpeed = 0.05;  // m/s; slower contacts do not bounce

template <int D>
btVector3 to_bullet(const Point<D>& v) {
    return {v[0], v[1], D == 3 ? v[D - 1] : 0};
}
btVector3 to_bullet3(const Point<3>& v) {
    return {v[0], v[1], v[2]};
}
template <int D>
Point<D> from_bullet(const btVector3& v) {
    Point<D> p;
    for (int d = 0; d < D; ++d) p[d] = v[d];
    return p;
}

/// A body in Bullet, whose own frame has the principal axes of inertia.
struct Mirror {
    std::unique_ptr<btRigidBody> body;
    btMatrix3x3 axes;  ///< Principal axes in the local frame.
};

template <int D>
btMatrix3x3 rotation_of(const BodyState<D>& s) {
    btMatrix3x3 r = btMatrix3x3::getIdentity();
    for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) r[i][j] = s.rotation.row[i][j];
    return r;
}

template <int D>
Mirror mirror(const Body<D>& body, const BodyState<D>& state, btCollisionShape* shape) {
    Mirror m;
    btMatrix3x3 inertia;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) inertia[i][j] = body.mass.inertia.row[i][j];
    if (D == 2) inertia[0][0] = inertia[1][1] = inertia[2][2];  // never used
    m.axes = btMatrix3x3::getIdentity();
    if (D == 3) inertia.diagonalize(m.axes, 1e-12, 50);
    const btVector3 moments(inertia[0][0], inertia[1][1], inertia[2][2]);
    btRigidBody::btRigidBodyConstructionInfo info(body.mass.mass, nullptr, shape, moments);
    info.m_startWorldTransform =
        btTransform(rotation_of(state) * m.axes, to_bullet<D>(state.position));
    m.body = std::make_unique<btRigidBody>(info);
    btVector3 linear(0, 0, 0), angular(0, 0, 0);
    for (int d = 0; d < D; ++d) linear[d] = !body.locked[d];
    for (int k = 0; k < kSpin<D>; ++k) angular[3 - kSpin<D> + k] = !body.locked[D + k];
    m.body->setLinearFactor(linear);
    m.body->setAngularFactor(angular);
    m.body->setLinearVelocity(to_bullet<D>(state.velocity));
    m.body->setAngularVelocity(to_bullet3(state.spin));
    m.body->updateInertiaTensor();
    return m;
}

/// The joint of a body to `world`, for Bullet.
template <int D>
std::unique_ptr<btTypedConstraint> tie(const Joint<D>& joint, btRigidBody& body,
                                       btRigidBody& world) {
    const btVector3 axis = to_bullet3(joint.axis);
    const btTransform& at = body.getCenterOfMassTransform();
    if (joint.kind == JointKind::Hinge) {
        const btVector3 pivot = to_bullet<D>(joint.at);
        const btVector3 turned = at.getBasis().transpose() * axis;
        return std::make_unique<btHingeConstraint>(body, world, at.inverse() * pivot, pivot, turned,
                                                   axis);
    }
    // Bullet slides along the x axis of the frames.
    btVector3 y, z;
    btPlaneSpace1(axis, y, z);
    const btMatrix3x3 frame(axis.x(), y.x(), z.x(), axis.y(), y.y(), z.y(), axis.z(), y.z(), z.z());
    const btTransform in_world(frame, at.getOrigin());
    auto slider =
        std::make_unique<btSliderConstraint>(body, world, at.inverse() * in_world, in_world, true);
    slider->setLowerLinLimit(1), slider->setUpperLinLimit(-1);  // free
    slider->setLowerAngLimit(0), slider->setUpperAngLimit(0);   // held
    return slider;
}

/// Something of the scene, moving past at a velocity.
std::unique_ptr<btRigidBody> wall(const btVector3& velocity, btCollisionShape* shape) {
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape);
    auto body = std::make_unique<btRigidBody>(info);
    body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    body->setLinearVelocity(velocity);
    return body;
}

}  // namespace

template <int D>
std::size_t Contact<D>::solve(const ContactScene<D>& scene, double dt, bool separate,
                              std::vector<BodyState<D>>& states) const {
    const Impl& m = *impl_;
    if (states.empty()) return 0;
    // As far as anything can come over dt, and a little for bodies at rest.
    double margin = 0, size = 1e300;
    for (std::size_t n = 0; n < states.size(); ++n) {
        margin = std::max(margin,
                          (length(states[n].velocity) + length(states[n].spin) * m.reach[n]) * dt);
        size = std::min(size, m.reach[n]);
    }
    margin = 2 * std::min(margin, size) + 0.01 * size;
    const std::vector<ContactPoint<D>> points = find(states, scene, margin);
    if (points.empty()) return 0;

    btEmptyShape nothing;
    std::vector<Mirror> mirrors;
    std::vector<std::unique_ptr<btRigidBody>> walls;
    std::vector<std::unique_ptr<btPersistentManifold>> manifolds;
    for (std::size_t n = 0; n < states.size(); ++n)
        mirrors.push_back(mirror(m.bodies[n], states[n], &nothing));

    for (const ContactPoint<D>& p : points) {
        // Bullet slows down what would meet within the step, so that it just meets. What is to
        // bounce keeps its speed while it is further away, and bounces where it is in the step in
        // which it would meet: sooner by less than a step's way, but never from inside.
        const Point<D> past = p.other >= 0
                                  ? placed_body(m.bodies[p.other], states[p.other]).velocity_at(p.x)
                                  : scene.velocity(p.x);
        const Body<D>& first = m.bodies[p.body];
        const double bounce =
            first.restitution * (p.other >= 0 ? m.bodies[p.other].restitution : 1);
        const double closing =
            dot(past - placed_body(first, states[p.body]).velocity_at(p.x), p.normal);
        double gap = p.gap;
        if (gap > 0 && bounce > 0 && closing > kBounceSpeed) {
            if (closing * dt < gap) continue;
            gap = 0;
        }

        btRigidBody* a = mirrors[p.body].body.get();
        btRigidBody* b = nullptr;
        if (p.other >= 0) {
            b = mirrors[p.other].body.get();
        } else {
            walls.push_back(wall(to_bullet<D>(past), &nothing));
            b = walls.back().get();
        }
        const btVector3 at = to_bullet<D>(p.x), normal = to_bullet<D>(p.normal);
        const btVector3 on_b = at - normal * gap;
        btManifoldPoint point(a->getCenterOfMassTransform().inverse() * at,
                              b->getCenterOfMassTransform().inverse() * on_b, normal, gap);
        point.m_positionWorldOnA = at;
        point.m_positionWorldOnB = on_b;
        point.m_combinedFriction = first.friction * (p.other >= 0 ? m.bodies[p.other].friction : 1);
        point.m_combinedRestitution = bounce;
        manifolds.push_back(std::make_unique<btPersistentManifold>(a, b, 0, 1e30, 1e30));
        manifolds.back()->addManifoldPoint(point);
    }

    if (manifolds.empty()) return 0;
    const std::unique_ptr<btRigidBody> world = wall({0, 0, 0}, &nothing);
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::vector<btTypedConstraint*> ties;
    for (std::size_t n = 0; n < states.size(); ++n) {
        if (!m.bodies[n].joint) continue;
        joints.push_back(tie(m.bodies[n].joint, *mirrors[n].body, *world));
        ties.push_back(joints.back().get());
    }
    std::vector<btCollisionObject*> objects;
    for (const Mirror& mirror : mirrors) objects.push_back(mirror.body.get());
    for (const auto& w : walls) objects.push_back(w.get());
    if (!ties.empty()) objects.push_back(world.get());
    std::vector<btPersistentManifold*> lists;
    for (const auto& list : manifolds) lists.push_back(list.get());
    btContactSolverInfo info;
    info.m_timeStep = dt;
    info.m_numIterations = kIterations;
    info.m_splitImpulse = true;
    info.m_splitImpulsePenetrationThreshold = 0;
    info.m_erp2 = kErp;
    info.m_linearSlop = kSlop * size;
    info.m_restitutionVelocityThreshold = kBounceSpeed;
    info.m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    btSequentialImpulseConstraintSolver solver;
    solver.solveGroup(objects.data(), static_cast<int>(objects.size()), lists.data(),
                      static_cast<int>(lists.size()), ties.data(), static_cast<int>(ties.size()),
                      info, nullptr, nullptr);

    for (std::size_t n = 0; n < states.size(); ++n) {
        const btRigidBody& body = *mirrors[n].body;
        states[n].velocity = from_bullet<D>(body.getLinearVelocity());
        for (int k = 0; k < kSpin<D>; ++k)
            states[n].spin[3 - kSpin<D> + k] = body.getAngularVelocity()[3 - kSpin<D> + k];
        obey_joint(m.bodies[n], states[n]);
        if (!separate || m.bodies[n].joint) continue;
        const btTransform& at = body.getWorldTransform();
        states[n].position = from_bullet<D>(at.getOrigin());
        const btMatrix3x3 turned = at.getBasis() * mirrors[n].axes.transpose();
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) states[n].rotation.row[i][j] = turned[i][j];
    }
    return points.size();
}

template std::size_t Contact<2>::solve(const ContactScene<2>&, double, bool,
                                       std::vector<BodyState<2>>&) const;
template std::size_t Contact<3>::solve(const ContactScene<3>&, double, bool,
                                       std::vector<BodyState<3>>&) const;

}  // namespace slosh
