// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "calibration/host/probe_case.hpp"

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

}  // namespace clusterwright
