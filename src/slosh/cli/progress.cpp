#include "slosh/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "slosh/base/timer.h"
#include "slosh/cli/text.h"

namespace slosh::cli {
namespace {

std::size_t terminal_width() {
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
    return size.ws_col;
}

}  // namespace

Progress::Progress(int last, bool quiet)
    : last_(last), quiet_(quiet), terminal_(isatty(STDOUT_FILENO)) {
    started_ = frame_started_ = wall_seconds();
}

Progress::~Progress() {
    clear();
}

// Frames cost much alike, and later ones more like the last few than like the first: the estimate
// leans on a running average.
double Progress::eta(double frames_left) const {
    return frames_left * seconds_per_frame_;
}

void Progress::step(int frame, const StepReport& report, double done) {
    ++substeps_;
    iterations_ = report.pressure.iterations;
    particles_ = report.particles;
    if (report.squeezed > 0 && !warned_) {
        warned_ = true;
        warn(fmt::format(
            "at t = {:.4g} s walls press {:.3g} m^3/s into liquid that has no way out; that "
            "volume is lost. Leave air, or open a side",
            report.time, report.squeezed));
    }
    if (quiet_ || !terminal_) return;
    // Before the first frame is done, guess from its own share.
    const double here = wall_seconds() - frame_started_;
    if (!measured_ && done > 0) seconds_per_frame_ = here / done;
    const double left = last_ - frame + 1 - done;
    const double share = (frame - 1 + done) / std::max(1, last_);
    show(fmt::format("frame {}/{}  substep {}  {} particles  {} iterations  {}/frame  ETA {}",
                     frame, last_, substeps_, format_count(double(particles_)), iterations_,
                     format_seconds(seconds_per_frame_), format_seconds(eta(left))),
         share);
}

void Progress::frame(int frame) {
    const double now = wall_seconds();
    const double seconds = now - frame_started_;
    // The initial state costs nothing like a frame: leave it out of the average.
    if (substeps_ > 0) {
        seconds_per_frame_ = measured_ ? 0.8 * seconds_per_frame_ + 0.2 * seconds : seconds;
        measured_ = true;
    }
    if (!quiet_ && !terminal_) {
        std::printf("frame %d/%d", frame, last_);
        if (substeps_ > 0)
            std::printf("  %d substeps  %zu particles  %d iterations  %.2f s  ETA %s", substeps_,
                        particles_, iterations_, seconds,
                        format_seconds(eta(last_ - frame)).c_str());
        std::printf("\n");
        std::fflush(stdout);
    }
    substeps_ = 0;
    frame_started_ = now;
}

void Progress::item(const std::string& what, int n, int m) {
    if (quiet_ || !terminal_) return;
    const double spent = wall_seconds() - started_;
    const double left = n > 0 ? spent / n * (m - n) : 0;
    show(fmt::format("{} {}/{}  ETA {}", what, n, m, format_seconds(left)), double(n) / m);
}

void Progress::say(const std::string& line) {
    if (quiet_) return;
    clear();
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void Progress::warn(const std::string& text) {
    clear();
    std::fprintf(stderr, "slosh: warning: %s\n", text.c_str());
}

void Progress::show(const std::string& line, double share) {
    constexpr int kBar = 20;
    const int full = std::clamp(int(share * kBar), 0, kBar);
    std::string text = fmt::format("[{:.<{}}] {}", std::string(full, '#'), kBar, line);
    // A line that wraps could not be overwritten.
    if (text.size() >= terminal_width()) text.resize(terminal_width() - 1);
    std::printf("\r\033[K%s", text.c_str());
    std::fflush(stdout);
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    std::printf("\r\033[K");
    std::fflush(stdout);
    shown_ = false;
}

}  // namespace slosh::cli
