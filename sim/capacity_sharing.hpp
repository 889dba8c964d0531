// SPDX-License-Identifier: Apache-2.0
/// Weighted max-min fair sharing of link capacity among transfers, in whole bytes per second.
///
/// Transfer f has a rate x(f), a bound b(f) and a weight w(f), and draws a(f, r) x(f) from resource r of capacity c(r).
/// Rates are feasible if
///   sum over f of a(f, r) x(f) <= c(r)   for every resource r
///   x(f) <= b(f)                         for every transfer f
/// Of the feasible rates, the max-min fair ones are those where no x(f) / w(f) can grow without an equal or smaller one
/// shrinking. They are unique. The bottleneck condition tells them: every transfer runs at its bound, or crosses a
/// saturated resource on which no other transfer has a larger x / w.
///
/// Progressive filling finds them. All transfers start at level 0 and grow together, x(f) = w(f) * level, until one
/// reaches its bound or a resource is saturated. These transfers are frozen, and the others go on. Example with weights
/// 1 and a = 1; link A has 100 byte/s and link B 60; transfer 1 crosses A, 2 crosses A and B, 3 crosses B:
///   level 30: B is saturated (60 / 2; A would be at 100 / 2 = 50); 2 and 3 are frozen at 30
///   level 70: A is saturated ((100 - 30) / 1);                     1 is frozen at 70          rates 70, 30, 30
/// If 3 is bound to 10, it is frozen first. B then has 50 for transfer 2 alone, and A is the bottleneck of 1 and 2:
///   level 50: A and B are saturated;                               1 and 2 are frozen at 50   rates 50, 50, 10
///
/// Levels are rounded down to whole numbers, and all resources at the lowest level freeze together. So the rates depend
/// only on sums of counts: folded and unfolded descriptions of one machine give the same integers. A resource that can
/// carry all its transfers at their bounds restrains none of them and is left out.
///
/// @source Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2, Max-Min Flow Control
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/wide_integer.hpp"

namespace clusterwright {

/// What one transfer takes from one instance of a resource per byte of progress.
struct CapacityDemand {
  std::uint32_t resource = 0;     ///< index of the resource
  std::uint32_t count = 1;        ///< concrete transfers that cross one instance
  std::uint32_t coefficient = 0;  ///< in 1/coefficient_one bytes per byte
};

/// Rates of the active transfers. Amounts on resources are in 1/coefficient_one byte/s, so no product is ever rounded.
class CapacitySharing {
 public:
  using TransferKey = std::uint32_t;

  CapacitySharing() = default;
  /// @param capacities  bytes per second of one instance of each resource
  explicit CapacitySharing(const std::vector<std::uint64_t>& capacities);

  /// @param demands  must outlive the transfer
  /// @param bound    > 0, bytes per second of one transfer when alone
  TransferKey add(std::span<const CapacityDemand> demands, std::uint64_t bound, std::uint32_t weight);
  void remove(TransferKey transfer);
  void set_bound(TransferKey transfer, std::uint64_t bound);

  /// Brings rates up to date.
  /// @return keys of the transfers whose rate changed since the last call (new ones included), in key order
  const std::vector<TransferKey>& settle();

  /// Bytes per second. A transfer on a resource without residual capacity gets at least 1, so that time moves on.
  std::uint64_t rate(TransferKey transfer) const { return transfers_[transfer].rate; }

 private:
  struct Resource {
    UInt128 capacity = 0;
    UInt128 demand = 0;    // of all transfers, were each at its bound
    UInt128 residual = 0;  // while filling: what frozen transfers left over
    UInt128 weight = 0;    // while filling: summed over unfrozen transfers
    bool filling = false;

    bool overdrawn() const { return demand > capacity; }
    UInt128 level() const { return residual / weight; }
  };

  struct Transfer {
    std::span<const CapacityDemand> demands;
    std::uint64_t bound = 0;
    std::uint64_t rate = 0;
    std::uint32_t weight = 1;
    bool live = false;
    bool changed = false;
  };

  static std::uint64_t per_rate(const CapacityDemand& demand) {
    return std::uint64_t{demand.count} * demand.coefficient;
  }

  void load(const Transfer& transfer);
  void unload(const Transfer& transfer);
  void set_rate(TransferKey key, std::uint64_t rate);

  bool restrains(const CapacityDemand& demand) const {
    return resources_[demand.resource].overdrawn() && per_rate(demand) > 0;
  }
  bool restrained(const Transfer& transfer) const;
  void fill();
  void enter(TransferKey key);
  UInt128 lowest_level() const;
  bool is_held_at(const Transfer& transfer, UInt128 level) const;
  void freeze(TransferKey key, std::uint64_t rate);
  template <class Selected>
  bool freeze_where(Selected selected, UInt128 level);

  std::vector<Resource> resources_;
  std::vector<Transfer> transfers_;
  std::vector<TransferKey> free_;
  std::vector<TransferKey> changed_;  // candidates until settle()
  std::vector<TransferKey> reported_;
  std::vector<TransferKey> unfrozen_;
  std::vector<TransferKey> frozen_now_;
  std::vector<std::uint32_t> filling_;  // overdrawn resources
  bool contended_ = false;              // a resource that is or was overdrawn was touched since settle()
};

}  // namespace clusterwright
