// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a piece of device work becomes a sample: the same two ways for every probe.

#include <functional>
#include <string>

#include "context.hpp"

namespace clusterwright::probes {

struct Work {
  std::string probe;
  JsonObject what;   // shape, dtype, layout, ...
  double flops = 0;  // arithmetic operations of one launch
  double bytes = 0;  // device memory traffic of one launch: each input read once, each output written once
  /// Enqueues launch number `index`; the index picks the buffers, so that repeats do not find their operands in L2.
  std::function<void(cudaStream_t stream, int index)> launch;
  int operations = 1;  // kernels and copies that one launch puts into the stream's queue

  // Only for work that needs other processes.
  std::function<void(int launches)> announce;  // called before a batch is enqueued
  std::function<void()> still_possible;        // called while a batch is waited for; throws when it will never end
  double least_wait_us = 0;                    // what the others need to be ready
};

/// Short and cool: every repetition is a pair of device events around enough launches to be measured (about 0.5 ms),
/// queued behind a wait kernel so that the host's launch rate stays out of the time.
/// Repetitions fill about `target_ms`, at least 5 (3 once the run's time is over) and at most 25.
void measure_burst(Context& context, const Work& work, double target_ms = 40);

/// Held for `seconds`: repetitions are batches of about 20 ms, three at least; clocks, temperature and power are the
/// means over the last three quarters. With `keep_trace`, every reading goes into the sample.
void measure_sustained(Context& context, const Work& work, double seconds, bool keep_trace = false);

/// Host wall-clock samples (launch latency and the like), already taken; each is a mean over `launches`.
void add_host_sample(Context& context, const Work& work, const std::vector<double>& repetitions_us, int launches = 1);

/// The GPU left alone for `seconds`, with a trace.
void measure_idle(Context& context, const std::string& probe, const JsonObject& what, double seconds);

/// Blocks the stream for `wait_us` on one thread.
void enqueue_wait(cudaStream_t stream, double wait_us);

}  // namespace clusterwright::probes
