// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/guarded_calls.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

namespace clusterwright {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char end_mark = '\x04';  // a text without it was cut off

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

/// Nothing that a library prints, catches or dumps may be seen.
void be_quiet() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
}

[[noreturn]] void answer_in(int descriptor, const std::function<std::string()>& call) {
  const int kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);  // clear of the standard ones, which may have been closed
  be_quiet();
  try {
    write_all(kept, call() + end_mark);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

}  // namespace

GuardedCalls::GuardedCalls(std::chrono::milliseconds limit) : end_(Clock::now() + limit) {}

GuardedCalls::~GuardedCalls() {
  for (const Call& call : calls_)
    if (call.process > 0) kill(call.process, SIGKILL);
  const auto gone = [](const Call& call) { return call.process <= 0 || waitpid(call.process, nullptr, WNOHANG) != 0; };
  for (int tries = 0; tries < 20 && !calls_.empty(); ++tries) {
    calls_.erase(std::remove_if(calls_.begin(), calls_.end(), gone), calls_.end());
    if (!calls_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::size_t GuardedCalls::start(const std::function<std::string()>& call) {
  calls_.emplace_back();
  const std::size_t number = calls_.size() - 1;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return number;
  calls_[number].reads = Descriptor(ends[0]);
  const Descriptor writes(ends[1]);
  const pid_t process = fork();
  if (process == 0) answer_in(ends[1], call);
  calls_[number].process = process;
  return number;
}

GuardedAnswer GuardedCalls::answer(std::size_t number) {
  GuardedAnswer out;
  const int reads = calls_.at(number).reads.number();
  std::array<char, 4096> buffer;
  while (reads >= 0) {
    pollfd wanted{reads, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, milliseconds_until(end_));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      out.outcome = GuardedAnswer::Outcome::late;
      return out;
    }
    const ssize_t count = ::read(reads, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    out.text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (!out.text.ends_with(end_mark)) return {};
  out.text.pop_back();
  out.outcome = GuardedAnswer::Outcome::answered;
  return out;
}

}  // namespace clusterwright
