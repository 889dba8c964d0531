// SPDX-License-Identifier: Apache-2.0
/// Messages between two processes, by a connection over 127.0.0.1 or a pipe.
#pragma once

#include <utility>
#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// File descriptor that closes itself; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

/// Both ends of a TCP connection over 127.0.0.1 that sends small messages at once; programs that are started do not
/// inherit it.
/// @throws ProbeFailure if a socket or a port is refused
std::pair<Descriptor, Descriptor> connect_over_loopback();

/// Messages to a forked process by TCP over 127.0.0.1 and by a pipe. Time and bytes are of one message, one way.
std::vector<PlannedCase> plan_transfer(const HostProbeSizes& sizes);

}  // namespace clusterwright
