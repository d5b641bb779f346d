#include "slosh/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace slosh::cli {
namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t on_terminal = 0;
const char* line = "";
std::size_t line_size = 0;

extern "C" void on_signal(int) {
    seen = seen + 1;
    // Files of a cache appear whole or not at all, so leaving at any moment does no harm.
    if (seen >= 2) _exit(130);
    if (on_terminal && write(STDERR_FILENO, line, line_size) < 0) _exit(130);
}

}  // namespace

void catch_interrupts(const char* words) {
    line = words;
    line_size = std::strlen(words);
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
