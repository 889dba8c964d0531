// SPDX-License-Identifier: Apache-2.0
#include "tools/long_computation.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "tools/standard_streams.hpp"

namespace clusterwright {

namespace {

volatile sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  constexpr int interrupted_exit = 130;
  if (interrupts > 0) _exit(interrupted_exit);
  interrupts = 1;
  constexpr std::string_view note = "\nstopping after the current point; press Ctrl-C again to stop at once\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, note.data(), note.size());
}

}  // namespace

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return interrupts > 0;
}

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

using namespace std::chrono_literals;

ProgressLine::ProgressLine(std::string what, std::size_t total, bool quiet)
    : what_(std::move(what)),
      total_(total),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      shown_(begin_) {}

ProgressLine::~ProgressLine() {
  if (line_open_) write_error("\r\033[K");
}

void ProgressLine::finished(std::size_t done) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto between = terminal_ ? Clock::duration(100ms) : Clock::duration(30s);
  if (now - begin_ < 1s || now - shown_ < between) return;
  shown_ = now;
  show(done, now);
}

void ProgressLine::show(std::size_t done, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double left = done > 0 ? elapsed * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  const std::string line = fmt::format("{}: {} of {}, about {:.0f} s left", what_, done, total_, left);
  write_error(terminal_ ? "\r\033[K" + line : line + "\n");
  line_open_ = terminal_;
}

struct ThreadLimit::Control {
  tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(new Control{{tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)}}) {}
ThreadLimit::ThreadLimit(ThreadLimit&&) noexcept = default;
ThreadLimit::~ThreadLimit() = default;

}  // namespace clusterwright
