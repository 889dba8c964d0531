// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/ring.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "calibration/host/kernels/element_kernels.hpp"
#include "calibration/host/probe_case.hpp"
#include "calibration/host/transfer_probe.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t landing_bytes = 64 * 1024;  // stays in cache between arrival and addition
constexpr std::size_t most_sent = 256 * 1024;     // sent before it reads arrivals

[[noreturn]] void refused(const std::string& what) {
  throw ProbeFailure(what + ": " + std::generic_category().message(errno));
}

[[noreturn]] void neighbour_gone() {
  throw ProbeFailure("a neighbour in the ring of processes is gone");
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// Makes a descriptor non-blocking: both directions proceed at once, so no end may wait for the other.
std::pair<Descriptor, Descriptor> connection() {
  auto ends = connect_over_loopback();
  for (const Descriptor* end : {&ends.first, &ends.second})
    if (fcntl(end->number(), F_SETFL, O_NONBLOCK) != 0) refused("O_NONBLOCK is refused");
  return ends;
}

}  // namespace

std::vector<RingEnds> connect_ring(int size) {
  std::vector<RingEnds> out(static_cast<std::size_t>(size));
  for (std::size_t i = 0; size > 1 && i < out.size(); ++i)
    std::tie(out[i].to_next, out[(i + 1) % out.size()].from_previous) = connection();
  return out;
}

Ring::Ring(int rank, int size, RingEnds ends)
    : rank_(rank),
      size_(size),
      ends_(std::move(ends)),
      landing_(landing_bytes),
      tokens_(static_cast<std::size_t>(size)) {}

template <class Scalar>
void Ring::all_reduce(std::span<Scalar> values) {
  const auto size = static_cast<std::size_t>(size_), rank = static_cast<std::size_t>(rank_);
  const auto chunk = [&](std::size_t steps_back) {
    const std::size_t index = (rank + 2 * size - steps_back) % size;
    const std::size_t begin = values.size() * index / size, end = values.size() * (index + 1) / size;
    return values.subspan(begin, end - begin);
  };
  for (std::size_t hop = 0; hop + 1 < size; ++hop) {  // after the last, chunk (rank + 1) is the sum of all
    const std::span<Scalar> into = chunk(hop + 1);
    exchange(std::as_bytes(chunk(hop)), into.size_bytes(), landing_, [&](std::size_t offset, std::size_t count) {
      ElementKernels<Scalar>::add(into.data() + offset / sizeof(Scalar),
                                  reinterpret_cast<const Scalar*>(landing_.data()),
                                  static_cast<std::int64_t>(count / sizeof(Scalar)));
    });
  }
  for (std::size_t hop = 0; hop + 1 < size; ++hop) {
    const std::span<Scalar> into = chunk(hop);
    exchange(std::as_bytes(chunk(hop + size - 1)), into.size_bytes(), std::as_writable_bytes(into),
             [](std::size_t, std::size_t) {});
  }
}

void Ring::barrier() {
  all_reduce(std::span(tokens_));  // one for each process: no sum is complete before all have called
}

template <class Arrived>
void Ring::exchange(std::span<const std::byte> out, std::size_t in_bytes, std::span<std::byte> landing,
                    Arrived arrived) {
  std::size_t received = 0, landed = 0;
  while (!out.empty() || received < in_bytes) {
    const std::size_t sent = out.empty() ? 0 : send_some(out.first(std::min(out.size(), most_sent)));
    out = out.subspan(sent);
    const std::size_t room = std::min(landing.size() - landed, in_bytes - received);
    const std::size_t count = room == 0 ? 0 : receive_some(landing.subspan(landed, room));
    received += count;
    landed += count;
    if (count > 0 && (landed == landing.size() || received == in_bytes)) {
      arrived(received - landed, landed);
      landed = 0;
    }
    if (sent == 0 && count == 0) wait_until_ready(!out.empty(), received < in_bytes);
  }
}

std::size_t Ring::send_some(std::span<const std::byte> out) const {
  const ssize_t count = send(ends_.to_next.number(), out.data(), out.size(), MSG_NOSIGNAL);
  if (count < 0 && !would_block()) neighbour_gone();
  return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

std::size_t Ring::receive_some(std::span<std::byte> in) const {
  const ssize_t count = recv(ends_.from_previous.number(), in.data(), in.size(), 0);
  if (count == 0 || (count < 0 && !would_block())) neighbour_gone();
  return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

void Ring::wait_until_ready(bool sends, bool receives) const {
  // A negative descriptor is one that poll leaves out.
  std::array<pollfd, 2> ends{pollfd{sends ? ends_.to_next.number() : -1, POLLOUT, 0},
                             pollfd{receives ? ends_.from_previous.number() : -1, POLLIN, 0}};
  if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) refused("waiting for the ring is refused");
}

template void Ring::all_reduce(std::span<float> values);
template void Ring::all_reduce(std::span<double> values);

}  // namespace clusterwright
