// SPDX-License-Identifier: Apache-2.0
/// Weighted max-min fair sharing of link capacity among transfers, in whole units of rate.
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
/// Three ways lead to these integers. Where no resource is overdrawn, transfers run at their bounds. A few transfers
/// are filled anew at each change (sim/progressive_filling.hpp). Once many of them contend, the levels are kept and
/// repaired around each change (sim/water_levels.hpp), until no transfer is left.
///
/// @source Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2, Max-Min Flow Control
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/progressive_filling.hpp"
#include "sim/shared_transfer.hpp"
#include "sim/water_levels.hpp"

namespace clusterwright {

/// Rates of the active transfers. The unit of rates is that of capacities and bounds: bytes per second in a step.
class CapacitySharing {
 public:
  using TransferKey = std::uint32_t;

  CapacitySharing() = default;
  /// @param capacities  of one instance of each resource
  explicit CapacitySharing(const std::vector<std::uint64_t>& capacities) { reset(capacities); }

  /// Back to no transfers, with other capacities; memory is kept.
  void reset(const std::vector<std::uint64_t>& capacities);

  /// @param demands  must outlive the transfer
  /// @param bound    > 0, rate of one transfer when alone
  /// @param weight   > 0
  /// @param count    > 0, number of equal transfers that this one stands for
  TransferKey add(std::span<const CapacityDemand> demands, std::uint64_t bound, std::uint32_t weight,
                  std::uint32_t count = 1);
  void remove(TransferKey transfer);
  void set_bound(TransferKey transfer, std::uint64_t bound);
  void set_count(TransferKey transfer, std::uint32_t count);

  /// Brings rates up to date.
  /// @return keys of the transfers whose rate changed since the last call (new ones included), in key order
  const std::vector<TransferKey>& settle();

  /// Rate of one of the equal transfers. A transfer on a resource without residual capacity gets at least 1, so that
  /// time moves on.
  std::uint64_t rate(TransferKey transfer) const { return transfers_[transfer].rate; }

 private:
  void load(const SharedTransfer& transfer);
  void unload(const SharedTransfer& transfer);
  template <class Change>
  void change(TransferKey key, Change change);
  void set_rate(TransferKey key, std::uint64_t rate);
  void solve();
  void keep_levels();

  std::vector<SharedResource> resources_;
  std::vector<SharedTransfer> transfers_;
  std::vector<TransferKey> free_;
  std::vector<TransferKey> changed_;  // candidates until settle()
  std::vector<TransferKey> reported_;
  bool contended_ = false;  // a resource that is or was overdrawn was touched since settle()
  bool levels_kept_ = false;
  bool levels_ready_ = false;  // for transfers of these resources
  ProgressiveFilling filling_;
  WaterLevels levels_;
};

}  // namespace clusterwright
