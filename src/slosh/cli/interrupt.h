// Ctrl-C and kill: the first asks to stop after the frame in hand, the second stops at once.
#pragma once

namespace slosh::cli {

/// Catches SIGINT and SIGTERM from now on; the first prints `words`, if somebody is there to read.
void catch_interrupts(
    const char* words = "\nfinishing the frame in hand; Ctrl-C again stops at once\n");
/// Whether one has come.
bool interrupted();

}  // namespace slosh::cli
