/// Weighted max-min fair sharing of link capacity among transfers, in whole bytes per second.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/typed_id.hpp"

namespace clusterwright {

/// What one transfer takes from one instance of a resource per byte of progress.
struct CapacityDemand {
  std::uint32_t resource = 0;     ///< index of the resource
  std::uint32_t count = 1;        ///< concrete transfers that cross one instance
  std::uint32_t coefficient = 0;  ///< in 1/coefficient_one bytes per byte
};

/// Rates of the active transfers.
///
/// A transfer runs at min(bound, weight * level), where `level` is the largest common level at which no resource that
/// it crosses is overdrawn. Levels are floor(residual / summed weights), all resources at the lowest level freeze
/// together, and a resource that holds all its transfers at their bounds restrains nobody. So the answer depends only
/// on sums of counts: folded and unfolded descriptions of one machine give the same integers.
class CapacitySharing {
 public:
  virtual ~CapacitySharing() = default;

  using TransferKey = std::uint32_t;

  /// @param demands  must outlive the transfer
  /// @param bound    > 0, bytes per second of one transfer when alone
  virtual TransferKey add(std::span<const CapacityDemand> demands, std::uint64_t bound, std::uint32_t weight) = 0;
  virtual void remove(TransferKey transfer) = 0;
  virtual void set_bound(TransferKey transfer, std::uint64_t bound) = 0;

  /// Brings rates up to date.
  /// @return keys of the transfers whose rate changed since the last call (new ones included), in key order
  virtual const std::vector<TransferKey>& settle() = 0;

  /// Bytes per second. A transfer on a resource without residual capacity gets at least 1, so that time moves on.
  virtual std::uint64_t rate(TransferKey transfer) const = 0;
};

/// Plain progressive filling of everything that can be restrained; the yardstick for faster solvers.
std::unique_ptr<CapacitySharing> make_progressive_filling(std::vector<std::uint64_t> capacities);

}  // namespace clusterwright
