// What this machine can do by itself: what solves and steps are measured against.
#pragma once

namespace slosh::cli {

/// Bytes a second of a[i] = b[i] + s c[i] on arrays far larger than any cache, with the threads now
/// set; 24 bytes a number, as in STREAM. Measured once for each number of threads.
double triad_bandwidth();

/// Multiply-adds a second of all threads now set together, on registers alone: nothing but the
/// machine keeps this from growing with threads (on rented ones, two may share a core). Measured at
/// each call, in about 50 ms, since neighbours come and go.
double arithmetic_rate();

}  // namespace slosh::cli
