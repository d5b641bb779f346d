// Validation cases 3a and 3c: the period of the first sloshing mode against linear theory,
// omega^2 = g k tanh(k h), and the amplitude that ten periods leave.
//
// The amplitude is read off the sideways motion of the centre of mass, which the first mode moves
// and higher even modes do not; a period is the time between every second zero crossing.
#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81, kPi = 3.14159265358979323846;

struct Wave {
    double period = 0;  ///< Mean over all whole periods. s
    double kept = 0;    ///< Amplitude of the last period over that of the first.
    int periods = 0;
};

template <int D>
Wave measure(LiquidSimulation<D>& simulation, double middle, double expected_period) {
    std::vector<double> crossings;
    double last = centre_of_mass(simulation)[0] - middle, last_time = 0;
    double first_peak = 0, last_peak = 0;
    run_to<D>(simulation, 10.3 * expected_period, [&](const StepReport& s) {
        const double x = centre_of_mass(simulation)[0] - middle;
        if ((x > 0) != (last > 0))
            crossings.push_back(last_time + (s.time - last_time) * last / (last - x));
        if (s.time < expected_period) first_peak = std::max(first_peak, std::abs(x));
        if (s.time > 9.3 * expected_period) last_peak = std::max(last_peak, std::abs(x));
        last = x;
        last_time = s.time;
    });
    Wave w;
    w.periods = static_cast<int>(crossings.size() - 1) / 2;
    if (w.periods > 0) w.period = (crossings[2 * w.periods] - crossings[0]) / w.periods;
    w.kept = last_peak / first_peak;
    return w;
}

/// Rectangular tank, L = 1, h = 0.5: T = 1.181816 s.
Wave rectangle(Transfer transfer, int n) {
    const double k = kPi, h = 0.5, amplitude = 0.01;
    const double period = 2 * kPi / std::sqrt(kGravity * k * std::tanh(k * h));
    LiquidSetup<2> setup = closed_box<2>({n, n * 3 / 4}, 1.0 / n);
    setup.liquid.push_back({formula_shape<2>([=](const Point<2>& x) {
                                return x[1] - h - amplitude * std::cos(k * x[0]);
                            }),
                            {},
                            {},
                            {}});
    setup.step.transfer = transfer;
    setup.step.max_dt = period / 60;
    LiquidSimulation<2> simulation(setup);
    return measure<2>(simulation, 0.5, period);
}

/// Upright cylinder, R = 0.5, h = 0.5, mode m = 1 (root 1.8411838): T = 1.072043 s.
Wave cylinder_wave(int n) {
    const double radius = 0.5, h = 0.5, k = 1.8411838 / radius, amplitude = 0.01;
    const double period = 2 * kPi / std::sqrt(kGravity * k * std::tanh(k * h));
    // The domain is a little wider than the tank, so that the wall is cut by the grid everywhere.
    const double width = 1.1, dx = width / n, middle = width / 2;
    LiquidSetup<3> setup = closed_box<3>({n, static_cast<int>(0.7 / dx), n}, dx);
    setup.solids.push_back(
        {"tank", invert<3>(cylinder<3>({middle, -1, middle}, {middle, 2, middle}, radius)), {}});
    setup.liquid.push_back({formula_shape<3>([=](const Point<3>& x) {
                                const double a = x[0] - middle, b = x[2] - middle;
                                const double r = std::hypot(a, b);
                                const double mode = r > 0 ? std::cyl_bessel_j(1, k * r) * a / r : 0;
                                return x[1] - h - amplitude * mode / 0.5819;
                            }),
                            {},
                            {},
                            {}});
    setup.step.max_dt = period / 60;
    LiquidSimulation<3> simulation(setup);
    return measure<3>(simulation, middle, period);
}

}  // namespace

void validate_sloshing_period(ValidateReport& report) {
    const Wave w = rectangle(Transfer::Apic, 128);
    report.compare("3a/rectangle", "period of mode 1, s (ten periods)", w.period, 1.181816, 0.01);
    const Wave c = cylinder_wave(36);
    report.compare("3a/cylinder", "period of mode m = 1, s (ten periods)", c.period, 1.072043,
                   0.02);
}

void validate_sloshing_damping(ValidateReport& report) {
    add_at_least(report, "3c/apic", "amplitude kept after ten periods",
                 rectangle(Transfer::Apic, 128).kept, 0.8);
    add_at_least(report, "3c/flip", "amplitude kept after ten periods",
                 rectangle(Transfer::Flip, 128).kept, 0.8);
}

}  // namespace slosh::cli
