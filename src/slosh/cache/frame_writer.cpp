#include "slosh/cache/frame_writer.h"

#include "slosh/base/timer.h"
#include "slosh/cache/bodies.h"
#include "slosh/cache/ply.h"
#include "slosh/cache/vdb.h"
#include "slosh/cache/vtk.h"

namespace slosh {

template <int D>
FrameReport write_frame(RunDirectory& run, int frame, const LiquidFrame<D>& shown,
                        const LiquidState<D>& state, const GridGeometry<D>& grid,
                        const OutputChoices& choices, bool stopping) {
    FrameReport report;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    const auto file = [&](const char* folder, const char* stem, const char* extension) {
        return run.data_file(frame, folder, stem, extension);
    };
    const double time = run.manifest().time_of(frame);

    run.write_stats();
    const bool gas = shown.smoke.blocks_ptr() != nullptr;
    if (choices.surface && !gas)
        report.bytes += write_surface_ply(file("surface", "surface", "ply"), shown.surface);
    if (choices.particles == ParticleFormat::Ply)
        report.bytes +=
            write_particles_ply(file("particles", "particles", "ply"), state.particles, grid);
    if (choices.particles == ParticleFormat::Vdb)
        report.bytes +=
            write_particles_vdb(file("particles", "particles", "vdb"), state.particles, grid);
    if (gas)
        report.bytes +=
            write_smoke_vdb(file("volumes", "volumes", "vdb"), shown.smoke, shown.temperature,
                            choices.volumes ? &shown.velocity : nullptr, grid);
    else if (choices.volumes)
        report.bytes += write_volumes_vdb(file("volumes", "volumes", "vdb"), shown.level_set,
                                          shown.velocity, grid);
    if (!state.bodies.empty())
        report.bytes +=
            write_bodies(file("bodies", "bodies", "json"), time, shown.bodies, state.bodies);
    if (choices.paraview && gas)
        report.bytes += write_smoke_vti(file("paraview", "smoke", "vti"), shown.smoke,
                                        shown.temperature, grid, time);
    else if (choices.paraview && choices.surface)
        report.bytes += write_surface_vtp(file("paraview", "surface", "vtp"), shown.surface, time);
    else if (choices.paraview)
        report.bytes +=
            write_particles_vtp(file("paraview", "particles", "vtp"), state.particles, grid, time);
    run.publish(frame);
    if (stopping || run.checkpoint_due(frame)) report.bytes += run.write_checkpoint(frame, state);

    report.wall = wall_seconds() - wall;
    report.cpu = cpu_seconds() - cpu;
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                           \
    template FrameReport write_frame<D>(RunDirectory&, int, const LiquidFrame<D>&,     \
                                        const LiquidState<D>&, const GridGeometry<D>&, \
                                        const OutputChoices&, bool);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
