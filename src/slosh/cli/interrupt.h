// Ctrl-C and kill: the first asks to stop after the frame in hand, the second stops at once.
#pragma once

namespace slosh::cli {

/// Catches SIGINT and SIGTERM from now on.
void catch_interrupts();
/// Whether one has come.
bool interrupted();

}  // namespace slosh::cli
