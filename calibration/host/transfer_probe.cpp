// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/transfer_probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "calibration/host/echo_process.hpp"
#include "calibration/host/probe_case.hpp"
#include "calibration/host/random_data.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void network_refused(const std::string& what) {
  throw ProbeFailure(what + ": " + std::generic_category().message(errno));
}

Descriptor socket_or_refused(int number) {
  if (number < 0) network_refused("a connection over 127.0.0.1 is refused");
  return Descriptor(number);
}

Descriptor tcp_socket() {
  return socket_or_refused(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

void send_at_once(const Descriptor& end) {
  const int on = 1;
  if (setsockopt(end.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
    network_refused("TCP_NODELAY is refused");
}

}  // namespace

Descriptor::~Descriptor() {
  close();
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::pair<Descriptor, Descriptor> connect_over_loopback() {
  const Descriptor listener = tcp_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* general = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.number(), general, length) != 0 || listen(listener.number(), 1) != 0 ||
      getsockname(listener.number(), general, &length) != 0)
    network_refused("a port of 127.0.0.1 is refused");
  Descriptor one = tcp_socket();
  if (connect(one.number(), general, length) != 0) network_refused("a connection to 127.0.0.1 is refused");
  Descriptor other = socket_or_refused(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
  for (const Descriptor* end : {&one, &other}) send_at_once(*end);
  return {std::move(one), std::move(other)};
}

namespace {

std::vector<unsigned char> random_message(std::size_t bytes) {
  RandomWords words(bytes);
  std::vector<unsigned char> out(bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t eight = words.next();
    std::memcpy(out.data() + i, &eight, std::min(sizeof eight, bytes - i));
  }
  return out;
}

/// Transfer of a task's messages and its answer: a round trip, or a stream and its receipt.
class TransferCase : public ProbeCase {
 public:
  TransferCase(TransferPath path, const EchoTask& task)
      : task_(task),
        message_(random_message(task.bytes)),
        answer_(task.returns_them ? task.bytes : 1),
        other_(path, task) {}

  void run() override {
    for (std::size_t i = 0; i < task_.messages; ++i) other_.send(message_);
    other_.receive(answer_);
  }

  void check() override {
    const bool right =
        task_.returns_them ? answer_ == message_ : answer_.front() == answer_to(message_, task_.messages);
    if (!right) throw ProbeFailure("a message came back changed");
  }

 private:
  EchoTask task_;
  std::vector<unsigned char> message_, answer_;
  EchoProcess other_;
};

PlannedCase transfer_case(TransferPath path, Bytes message, bool streams) {
  const auto bytes = static_cast<std::size_t>(message.in(byte));
  constexpr std::size_t in_flight = 8u << 20;
  const EchoTask task{bytes, streams ? std::clamp<std::size_t>(in_flight / bytes, 2, 512) : 1, !streams};
  PlannedCase out;
  out.what = ProbedTransfer{path, streams ? TransferPattern::stream : TransferPattern::ping_pong, message};
  out.bytes = message;
  out.time_share = streams ? 1.0 / static_cast<double>(task.messages) : 0.5;
  out.build = [path, task] { return std::make_unique<TransferCase>(path, task); };
  return out;
}

}  // namespace

std::vector<PlannedCase> plan_transfer(const HostProbeSizes& sizes) {
  std::vector<PlannedCase> out;
  for (const Bytes message : sizes.messages)
    for (const TransferPath path : {TransferPath::tcp_loopback, TransferPath::pipe})
      for (const bool streams : {false, true}) out.push_back(transfer_case(path, message, streams));
  return out;
}

}  // namespace clusterwright
