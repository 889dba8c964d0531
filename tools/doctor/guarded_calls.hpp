// SPDX-License-Identifier: Apache-2.0
/// Calls into libraries of others, each in a process of its own: what crashes or hangs there costs its answer only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calibration/host/echo_process.hpp"

namespace clusterwright {

struct GuardedAnswer {
  enum class Outcome {
    answered,
    failed,  ///< threw, crashed, or no process was to be had
    late
  };
  Outcome outcome = Outcome::failed;
  std::string text;
};

/// Start the calls before any thread: a forked process has only the thread that forked it.
class GuardedCalls {
 public:
  /// @param limit  from now on, for all calls together
  explicit GuardedCalls(std::chrono::milliseconds limit);
  ~GuardedCalls();  ///< ends those that still run, without waiting for a driver that holds them
  GuardedCalls(const GuardedCalls&) = delete;
  GuardedCalls& operator=(const GuardedCalls&) = delete;

  /// Runs it aside, without standard input and output, and without a core file if it crashes. @return its number
  std::size_t start(const std::function<std::string()>& call);

  /// Waits for one call until the limit.
  GuardedAnswer answer(std::size_t number);

 private:
  struct Call {
    pid_t process = -1;
    Descriptor reads;
  };
  std::chrono::steady_clock::time_point end_;
  std::vector<Call> calls_;
};

}  // namespace clusterwright
