// How fast this machine moves memory: what solves are measured against.
#pragma once

namespace slosh::cli {

/// Bytes a second of a[i] = b[i] + s c[i] on arrays far larger than any cache, with the threads now
/// set; 24 bytes a number, as in STREAM. Measured once for each number of threads.
double triad_bandwidth();

}  // namespace slosh::cli
