// SPDX-License-Identifier: Apache-2.0
/// Processes in a ring, each joined to the next by a TCP connection over 127.0.0.1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibration/host/transfer_probe.hpp"

namespace clusterwright {

struct RingEnds {
  Descriptor to_next, from_previous;  ///< non-blocking; none in a ring of one
};

/// Ends of each process of a ring, distributed by forking.
/// @throws ProbeFailure if a socket is refused
std::vector<RingEnds> connect_ring(int size);

/// Place of one process in the ring. Every process must make the same calls with the same lengths.
///
/// Each call waits for the others without limit, and throws ProbeFailure when a neighbour is gone.
class Ring {
 public:
  Ring(int rank, int size, RingEnds ends);

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Sums over all processes, equal to the last bit in each; in place. For float and double.
  ///
  /// Reduce-scatter, then all-gather: 2 (p - 1) hops with a p-th of the values each. A process sends and receives at
  /// the same time, so no length can block the ring. A ring of one does nothing.
  template <class Scalar>
  void all_reduce(std::span<Scalar> values);

  /// Returns when all processes have called it.
  void barrier();

 private:
  /// Sends `out` while it receives `in_bytes`, which arrive in `landing` and are passed on whenever that is full:
  /// arrived(offset, count) in bytes.
  template <class Arrived>
  void exchange(std::span<const std::byte> out, std::size_t in_bytes, std::span<std::byte> landing, Arrived arrived);
  std::size_t send_some(std::span<const std::byte> out) const;
  std::size_t receive_some(std::span<std::byte> in) const;
  void wait_until_ready(bool sends, bool receives) const;

  int rank_, size_;
  RingEnds ends_;
  std::vector<std::byte> landing_;
  std::vector<float> tokens_;
};

extern template void Ring::all_reduce(std::span<float> values);
extern template void Ring::all_reduce(std::span<double> values);

}  // namespace clusterwright
