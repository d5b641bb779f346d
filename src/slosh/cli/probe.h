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

/// Waits until all threads that loops use are at hand, each on a core of its own, for an instant at
/// most. Before a measurement that starts after something done by one thread alone: others sleep by
/// then, and a virtual processor that sleeps may take milliseconds to come back. In a step they
/// have just been at work.
void wake_threads();

}  // namespace slosh::cli
