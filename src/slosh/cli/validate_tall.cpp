// Validation cases 9a to 9c: tall-cell water at rest, in waves, and as a bore.
#include <cmath>

#include "slosh/cli/validate_rows.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81, kPi = 3.14159265358979323846;

/// Amplitude of the first mode of a tank, read off the surface, in metres.
double first_mode(const tall::Water& w) {
    const int nx = w.grid().nx();
    double sum = 0;
    for (int x = 0; x < nx; ++x)
        sum += w.surface_height(x, w.grid().nz() / 2) * std::cos(kPi * (x + 0.5) / nx);
    return 2 * sum / nx;
}

/// Mean period of the first mode over five periods, in a tank of 64 cells and length 1 m, kh deep.
double measured_period(double kh, double expected) {
    const int nx = 64, nz = 8;
    const double h = kh / kPi, amplitude = std::min(0.01 * h, 0.004);
    tall::WaterOptions options;
    options.remesh.under = 44;  // waves reach a third of their length down
    tall::Water w(
        nx, 64, nz, 1.0 / nx, tall::Terrain(nx * nz, 0),
        [=](const Point<3>& p) { return p[1] - h - amplitude * std::cos(kPi * p[0]); }, options);
    const double dt = expected / 60;
    std::vector<double> crossings;
    double last = first_mode(w), last_time = 0;
    while (w.time() < 5.4 * expected) {
        (void)w.step(dt);
        const double now = first_mode(w);
        if ((now > 0) != (last > 0))
            crossings.push_back(last_time + (w.time() - last_time) * last / (last - now));
        last = now;
        last_time = w.time();
    }
    const std::size_t periods = crossings.empty() ? 0 : (crossings.size() - 1) / 2;
    return periods ? (crossings[2 * periods] - crossings[0]) / static_cast<double>(periods) : 0;
}

/// Right-most place where the surface is higher than `level`. m
double front(const tall::Water& w, double level) {
    for (int x = w.grid().nx() - 2; x >= 0; --x) {
        const double a = w.surface_height(x, 4), b = w.surface_height(x + 1, 4);
        if (a > level) return (x + 0.5 + (a - level) / std::max(a - b, 1e-9)) * w.grid().dx();
    }
    return 0;
}

}  // namespace

void validate_tall_lake(ValidateReport& report) {
    tall::Simulation lake(make_tall_setup(load_scene("lake")));
    double fastest = 0;
    while (lake.water().time() < 60) {
        (void)lake.step(1.0 / 30);
        fastest = std::max(fastest, lake.water().max_speed());
    }
    add_small(report, "9a", "largest speed in 60 s over sqrt(g h)",
              fastest / std::sqrt(kGravity * 40.3), 1e-4);
}

void validate_tall_dispersion(ValidateReport& report) {
    for (double kh : {0.3, 1.0, 3.0, 6.0}) {
        const double period = 2 * kPi / std::sqrt(kGravity * kPi * std::tanh(kh));
        const std::string name = "9b/kh=" + std::string(kh < 1 ? "0.3" : std::to_string(int(kh)));
        report.compare(name, "period of mode 1, s", measured_period(kh, period), period, 0.03);
    }
}

namespace {

void measure_bore(ValidateReport& report, const std::string& name, tall::Setup setup, double dt) {
    const double middle = 0.7269204, speed = 2.957918;  // Stoker, 1 m on 0.5 m
    tall::Simulation bore(std::move(setup));
    const double level = 0.5 * (middle + 0.5);
    double early = 0, early_time = 0;
    while (bore.water().time() < 2) {
        (void)bore.step(dt);
        if (early == 0 && bore.water().time() > 0.8) {
            early = front(bore.water(), level);
            early_time = bore.water().time();
        }
    }
    const double t = bore.water().time();
    report.compare(name, "bore speed, m/s", (front(bore.water(), level) - early) / (t - early_time),
                   speed, 0.05);
    // Between the rarefaction's end, (u - c) t = -1.75 t, and the bore.
    double sum = 0;
    int n = 0;
    for (int x = 0; x < 256; ++x) {
        const double at = (x + 0.5) / 16 - 8;
        if (at < -1 * t || at > 2.2 * t) continue;
        sum += bore.water().surface_height(x, 4);
        ++n;
    }
    report.compare(name, "middle depth, m", sum / n, middle, 0.05);
}

}  // namespace

void validate_tall_bore(ValidateReport& report) {
    const tall::Setup scene = make_tall_setup(load_scene("bore"));
    measure_bore(report, "9c", scene, 1.0 / 120);
    // As the real-time scenes step.
    tall::Setup usual = scene;
    usual.options.redistance_every = tall::WaterOptions{}.redistance_every;
    measure_bore(report, "9c/step=1/30", usual, 1.0 / 30);
}

}  // namespace slosh::cli
