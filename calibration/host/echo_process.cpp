// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/echo_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "calibration/host/probe_case.hpp"

namespace clusterwright {

namespace {

constexpr unsigned time_limit_s = 30;

[[noreturn]] void refused(const std::string& what) {
  throw ProbeFailure(what + ": " + std::strerror(errno));
}

// These four run in the forked process too: they call only functions that are safe there.

bool read_all(int descriptor, unsigned char* begin, std::size_t length) {
  while (length > 0) {
    const ssize_t count = ::read(descriptor, begin, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    begin += count;
    length -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int descriptor, const unsigned char* begin, std::size_t length) {
  while (length > 0) {
    const ssize_t count = ::write(descriptor, begin, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    begin += count;
    length -= static_cast<std::size_t>(count);
  }
  return true;
}

unsigned char ends_of(const unsigned char* message, std::size_t length) {
  return static_cast<unsigned char>(message[0] + 3 * message[length - 1]);
}

/// Reads until the other end closes.
void serve(int reads, int writes, const EchoTask& task, unsigned char* buffer) {
  while (true) {
    unsigned char answer = 0;
    for (std::size_t i = 0; i < task.messages; ++i) {
      if (!read_all(reads, buffer, task.bytes)) return;
      answer = static_cast<unsigned char>(answer + ends_of(buffer, task.bytes));
    }
    const bool sent = task.returns_them ? write_all(writes, buffer, task.bytes) : write_all(writes, &answer, 1);
    if (!sent) return;
  }
}

Descriptor copy_of(const Descriptor& descriptor) {
  const int number = fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0);
  if (number < 0) refused("a descriptor is refused");
  return Descriptor(number);
}

}  // namespace

unsigned char answer_to(const std::vector<unsigned char>& message, std::size_t messages) {
  unsigned char answer = 0;
  for (std::size_t i = 0; i < messages; ++i)
    answer = static_cast<unsigned char>(answer + ends_of(message.data(), message.size()));
  return answer;
}

EchoProcess::EchoProcess(TransferPath path, const EchoTask& task) {
  path == TransferPath::pipe ? join_by_pipes() : join_by_tcp();
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before_);
  try {
    start(task);
  } catch (...) {
    sigaction(SIGPIPE, &before_, nullptr);
    throw;
  }
}

EchoProcess::~EchoProcess() {
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  sigaction(SIGPIPE, &before_, nullptr);
}

void EchoProcess::join_by_tcp() {
  std::tie(own_.reads, other_.reads) = connect_over_loopback();
  for (Ends* ends : {&own_, &other_}) ends->writes = copy_of(ends->reads);
}

void EchoProcess::join_by_pipes() {
  for (auto [reads, writes] : {std::pair(&own_.reads, &other_.writes), std::pair(&other_.reads, &own_.writes)}) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refused("a pipe is refused");
    *reads = Descriptor(ends[0]);
    *writes = Descriptor(ends[1]);
  }
}

void EchoProcess::start(const EchoTask& task) {
  std::vector<unsigned char> buffer(task.bytes);  // before the fork: the forked process must not allocate
  process_ = fork();
  if (process_ < 0) refused("a process is refused");
  if (process_ > 0) {
    other_ = Ends();
    return;
  }
  ::close(own_.reads.number());
  ::close(own_.writes.number());
  signal(SIGALRM, SIG_DFL);
  alarm(time_limit_s);
  serve(other_.reads.number(), other_.writes.number(), task, buffer.data());
  _exit(0);
}

void EchoProcess::send(const std::vector<unsigned char>& message) {
  if (!write_all(own_.writes.number(), message.data(), message.size())) refused("a message could not be sent");
}

void EchoProcess::receive(std::vector<unsigned char>& answer) {
  if (!read_all(own_.reads.number(), answer.data(), answer.size()))
    throw ProbeFailure("no answer: the other process ended");
}

}  // namespace clusterwright
