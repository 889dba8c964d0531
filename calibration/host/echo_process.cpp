#include "calibration/host/echo_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "calibration/host/probe_case.hpp"

namespace clusterwright {

namespace {

constexpr unsigned time_limit_s = 30;

[[noreturn]] void refused(const std::string& what) {
  throw ProbeFailure(what + ": " + std::strerror(errno));
}

// The four below run in the forked process too: they call nothing that is unsafe there.

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

/// Until the other end closes.
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

void send_at_once(int descriptor) {
  const int on = 1;
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) refused("TCP_NODELAY is refused");
}

Descriptor copy_of(const Descriptor& descriptor) {
  const int number = fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0);
  if (number < 0) refused("a descriptor is refused");
  return Descriptor(number);
}

Descriptor tcp_socket() {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (number < 0) refused("a socket is refused");
  return Descriptor(number);
}

}  // namespace

Descriptor::~Descriptor() {
  close();
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

unsigned char answer_to(const std::vector<unsigned char>& message, std::size_t messages) {
  unsigned char answer = 0;
  for (std::size_t i = 0; i < messages; ++i)
    answer = static_cast<unsigned char>(answer + ends_of(message.data(), message.size()));
  return answer;
}

EchoProcess::EchoProcess(const std::string& path, const EchoTask& task) {
  path == "pipe" ? join_by_pipes() : join_by_tcp();
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
  const Descriptor listener = tcp_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.number(), general, length) != 0 || listen(listener.number(), 1) != 0 ||
      getsockname(listener.number(), general, &length) != 0)
    refused("a port of 127.0.0.1 is refused");
  own_.reads = tcp_socket();
  if (connect(own_.reads.number(), general, length) != 0) refused("a connection to 127.0.0.1 is refused");
  other_.reads = Descriptor(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (other_.reads.number() < 0) refused("a connection from 127.0.0.1 is refused");
  for (Ends* ends : {&own_, &other_}) {
    send_at_once(ends->reads.number());
    ends->writes = copy_of(ends->reads);
  }
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
