// SPDX-License-Identifier: Apache-2.0
/// Long computations: threads, progress and Ctrl-C.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace clusterwright {

/// Thrown where a computation notices Ctrl-C.
struct Interrupted {};

/// The first Ctrl-C asks the computation to stop after its current point, the second ends the program at once.
void watch_for_interrupt();

/// Whether Ctrl-C was pressed.
bool interrupted();

/// @throws Interrupted after a Ctrl-C
void stop_if_interrupted();

/// Shows on standard error the progress of a long computation: nothing in its first second, then one line, rewritten
/// on a terminal, or a new line every 30 s elsewhere.
class ProgressLine {
 public:
  ProgressLine(std::string what, std::size_t total, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// May be called from any thread.
  void finished(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::size_t done, Clock::time_point now);

  std::string what_;
  std::size_t total_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  Clock::time_point begin_;
  Clock::time_point shown_;
  std::mutex mutex_;
};

/// Limits the number of threads of parallel work during its lifetime. Results do not depend on the number.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ThreadLimit(ThreadLimit&&) noexcept;
  ~ThreadLimit();

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace clusterwright
