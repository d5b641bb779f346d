#include "slosh/cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace slosh::cli {
namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t on_terminal = 0;

extern "C" void on_signal(int) {
    seen = seen + 1;
    // Files of a cache appear whole or not at all, so leaving at any moment does no harm.
    if (seen >= 2) _exit(130);
    static const char line[] = "\nfinishing the frame in hand; Ctrl-C again stops at once\n";
    if (on_terminal && write(STDERR_FILENO, line, sizeof line - 1) < 0) _exit(130);
}

}  // namespace

void catch_interrupts() {
    on_terminal = isatty(STDERR_FILENO);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
    return seen > 0;
}

}  // namespace slosh::cli
