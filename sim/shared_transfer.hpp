// SPDX-License-Identifier: Apache-2.0
/// Transfers and the resources that they share, as capacity sharing and its solvers see them.
///
/// Amounts on resources are in 1/coefficient_one of the unit of capacities, so no product is ever rounded.
#pragma once

#include <cstdint>
#include <span>

#include "sim/wide_integer.hpp"

namespace clusterwright {

/// What one transfer takes from one instance of a resource per byte of progress.
struct CapacityDemand {
  std::uint32_t resource = 0;     ///< index of the resource
  std::uint32_t count = 1;        ///< concrete transfers that cross one instance
  std::uint32_t coefficient = 0;  ///< in 1/coefficient_one bytes per byte
};

struct SharedResource {
  UInt128 capacity = 0;
  UInt128 demand = 0;  ///< of all transfers, were each at its bound

  /// A resource that can carry all its transfers at their bounds restrains none of them.
  bool overdrawn() const { return demand > capacity; }
};

/// Equal transfers with the same demands, bound and weight: they always have the same rate.
struct SharedTransfer {
  std::span<const CapacityDemand> demands;
  std::uint64_t bound = 0;
  std::uint64_t rate = 0;    ///< of one of the equal transfers
  std::uint32_t weight = 1;  ///< > 0
  std::uint32_t count = 1;   ///< number of equal transfers
  bool live = false;
  bool changed = false;  ///< listed among the changed ones

  /// Draw of all equal transfers from one instance, per unit of rate. @pre it fits
  std::uint64_t per_rate(const CapacityDemand& demand) const {
    return std::uint64_t{demand.count} * demand.coefficient * count;
  }
};

}  // namespace clusterwright
