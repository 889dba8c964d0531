// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time limits. The probes ask between launches; the alarm thread acts when a launch never comes back.

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "report.hpp"

namespace clusterwright::probes {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  Watchdog(Report& report, double limit_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Something finished: the next 60 s are free again.
  void progress() { last_progress_ns_ = now_ns(); }
  void set_activity(const std::string& probe, const std::string& what);

  /// Another process that must not outlive this one: killed when a launch hangs.
  void adopt(pid_t process);
  void release(pid_t process);

  double elapsed_s() const { return 1e-9 * static_cast<double>(now_ns() - start_ns_); }
  double left_s() const { return limit_s_ - elapsed_s(); }

 private:
  static std::int64_t now_ns() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }
  void watch();
  [[noreturn]] void give_up(const std::string& why);

  Report& report_;
  double limit_s_;
  std::int64_t start_ns_;
  std::atomic<std::int64_t> last_progress_ns_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of what follows
  std::string probe_ = "start", what_ = "opening the device";
  std::vector<pid_t> adopted_;
  std::thread thread_;
};

}  // namespace clusterwright::probes
