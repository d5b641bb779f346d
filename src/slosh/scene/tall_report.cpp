#include "slosh/scene/tall_report.h"

#include "slosh/base/memory.h"

namespace slosh {

StepReport tall_report(const tall::Water& water, const tall::WaterReport& step, double dt) {
    StepReport r;
    r.time = step.time;
    r.dt = dt;
    r.accepted = true;
    r.solver = "tall";
    const tall::ResidualNorm left = tall::residual_norm(water.pressure().finest());
    r.pressure.converged = true;  // by its fixed number of cycles
    r.pressure.iterations = water.options().cycles.full_cycles + water.options().cycles.v_cycles;
    r.pressure.unknowns = left.unknowns;
    r.pressure.residual = left.l2;
    r.volume = water.volume();
    r.max_speed = step.max_speed;
    r.liquid_cells = left.unknowns;
    r.peak_bytes = peak_bytes();
    r.times = step.times;
    return r;
}

}  // namespace slosh
