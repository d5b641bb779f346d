#include "slosh/base/timer.h"

#include <time.h>

#include "slosh/base/team.h"

namespace slosh {

namespace {
double seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
}  // namespace

double wall_seconds() {
    return seconds(CLOCK_MONOTONIC);
}
double cpu_seconds() {
    detail::Team::get().read_clocks();  // or stages of a few ms get each other's time
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void StageTimes::add(const std::string& name, double wall, double cpu) {
    for (auto& s : stages_)
        if (s.name == name) {
            s.wall += wall;
            s.cpu += cpu;
            return;
        }
    stages_.push_back({name, wall, cpu});
}

void StageTimes::add(const StageTimes& other) {
    for (const auto& s : other.stages_) add(s.name, s.wall, s.cpu);
}

double StageTimes::wall() const {
    double t = 0;
    for (const auto& s : stages_) t += s.wall;
    return t;
}

double StageTimes::cpu() const {
    double t = 0;
    for (const auto& s : stages_) t += s.cpu;
    return t;
}

}  // namespace slosh
