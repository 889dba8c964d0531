// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace clusterwright {

/// Says on standard error how far a long computation is: nothing in its first second, then one line that is rewritten
/// on a terminal, or a new line every 30 s elsewhere.
class Progress {
 public:
  Progress(std::string what, std::size_t total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// May be called from any thread. @throws Interrupted after a Ctrl-C
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

}  // namespace clusterwright
