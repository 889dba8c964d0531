// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <string_view>

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

void stop_if_interrupted() {
  if (interrupts > 0) throw Interrupted{};
}

}  // namespace clusterwright
