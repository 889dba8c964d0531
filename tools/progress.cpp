// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "tools/interrupt.hpp"

namespace clusterwright {

using namespace std::chrono_literals;

Progress::Progress(std::string what, std::size_t total, bool quiet)
    : what_(std::move(what)),
      total_(total),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      shown_(begin_) {}

Progress::~Progress() {
  if (line_open_) std::fputs("\r\033[K", stderr);
}

void Progress::finished(std::size_t done) {
  stop_if_interrupted();
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto between = terminal_ ? Clock::duration(100ms) : Clock::duration(30s);
  if (now - begin_ < 1s || now - shown_ < between) return;
  shown_ = now;
  show(done, now);
}

void Progress::show(std::size_t done, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double left = done > 0 ? elapsed * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  const std::string line = fmt::format("{}: {} of {}, about {:.0f} s left", what_, done, total_, left);
  std::fputs(terminal_ ? fmt::format("\r\033[K{}", line).c_str() : (line + "\n").c_str(), stderr);
  std::fflush(stderr);
  line_open_ = terminal_;
}

}  // namespace clusterwright
