// Wall and CPU time, and a table of stages.
#pragma once

#include <string>
#include <vector>

namespace slosh {

double wall_seconds();  ///< Monotonic wall clock.
double cpu_seconds();   ///< CPU time of this process, all threads.

struct StageTime {
    std::string name;
    double wall = 0, cpu = 0;  ///< Seconds.
};

/// Seconds by stage, in the order the stages first ran.
class StageTimes {
public:
    void add(const std::string& name, double wall, double cpu);
    void add(const StageTimes& other);
    const std::vector<StageTime>& stages() const { return stages_; }
    double wall() const;
    double cpu() const;

private:
    std::vector<StageTime> stages_;
};

/// Adds its own lifetime to a stage.
class StageTimer {
public:
    StageTimer(StageTimes& times, const char* name)
        : times_(times), name_(name), wall_(wall_seconds()), cpu_(cpu_seconds()) {}
    ~StageTimer() { times_.add(name_, wall_seconds() - wall_, cpu_seconds() - cpu_); }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    StageTimes& times_;
    const char* name_;
    double wall_, cpu_;
};

}  // namespace slosh
