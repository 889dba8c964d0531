// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace clusterwright::probes {
namespace {
constexpr double silence_limit_s = 60;  // the longest single launch of any probe takes a few seconds
constexpr double overrun_limit_s = 60;  // past --minutes, for a probe that forgets to ask
constexpr int exit_time_limit = 4;
}  // namespace

Watchdog::Watchdog(Report& report, double limit_s)
    : report_(report), limit_s_(limit_s), start_ns_(now_ns()), last_progress_ns_(now_ns()), thread_([this] {
        watch();
      }) {}

Watchdog::~Watchdog() {
  stop_ = true;
  thread_.join();
}

void Watchdog::set_activity(const std::string& probe, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  probe_ = probe;
  what_ = what;
  progress();
}

void Watchdog::adopt(pid_t process) {
  const std::lock_guard<std::mutex> lock(mutex_);
  adopted_.push_back(process);
}

void Watchdog::release(pid_t process) {
  const std::lock_guard<std::mutex> lock(mutex_);
  adopted_.erase(std::remove(adopted_.begin(), adopted_.end(), process), adopted_.end());
}

void Watchdog::watch() {
  while (!stop_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double silent_s = 1e-9 * static_cast<double>(now_ns() - last_progress_ns_);
    if (silent_s > silence_limit_s) give_up("no progress for 60 s; the process was ended");
    if (left_s() < -overrun_limit_s) give_up("60 s past --minutes; the process was ended");
  }
}

void Watchdog::give_up(const std::string& why) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    report_.error(probe_, what_, why);
    std::fprintf(stderr, "gpu_probe: %s, %s: %s\n", probe_.c_str(), what_.c_str(), why.c_str());
    for (const pid_t process : adopted_) kill(process, SIGKILL);
  }
  try {
    report_.write(true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_probe: %s\n", error.what());
  }
  _exit(exit_time_limit);  // a hung kernel would also hang the destructors of CUDA
}

}  // namespace clusterwright::probes
