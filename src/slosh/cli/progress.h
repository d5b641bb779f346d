// What a run shows while it works: one moving line on a terminal, else a line per frame.
#pragma once

#include <string>

#include "slosh/liquid/simulation.h"

namespace slosh::cli {

class Progress {
public:
    /// `last` is the last frame of the run.
    Progress(int last, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// After each substep; `done` is the simulated share of the frame in [0, 1].
    void step(int frame, const StepReport& report, double done);
    /// After a frame is on disk.
    void frame(int frame);
    /// A full line above the moving one.
    void say(const std::string& line);
    /// A warning, on standard error, quiet or not.
    void warn(const std::string& text);
    /// For pictures: `what` n of m.
    void item(const std::string& what, int n, int m);
    /// Takes the moving line away.
    void clear();

private:
    double eta(double frames_left) const;
    void show(const std::string& line, double share);

    int last_;
    bool quiet_, terminal_;
    bool shown_ = false;
    bool warned_ = false;
    int substeps_ = 0, iterations_ = 0;
    std::size_t particles_ = 0;
    double started_, frame_started_;
    double seconds_per_frame_ = 0;
    bool measured_ = false;  // whether a whole frame has been timed
};

}  // namespace slosh::cli
