// SPDX-License-Identifier: Apache-2.0
/// Search of all machines and sizes for the purchases that meet targets.
///
/// A larger machine of one kind takes more money and power and less time. So on each machine the sizes that meet the
/// targets are a range: from the least one in time to the largest one that money, power and racks allow. Both ends are
/// searched; between them a size is planned unless a plan already found is better in all even if that size ran as fast
/// for its accelerators as the smaller ones that were planned, and cost as little for them. A machine is left once the
/// same holds for all of its sizes.
///
/// Example: 16 machines, 15T tokens in 90 days. One plan at 1,792 H100 takes 88 days; 1,664 take at least 88 x 1,792 /
/// 1,664 = 94.8 days and are left out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/procurement/machine_line.hpp"
#include "models/procurement/purchase.hpp"

namespace clusterwright {

/// Where one of the machines is rented, the money of the run ranks all of them.
struct PurchaseRequest {
  PurchaseJob job;
  std::vector<MachineChoice> machines;
  std::vector<int> sizes;  ///< numbers of accelerators to choose from; empty: those of each machine
  PurchaseLimits limits;
  PurchaseObjective objective = PurchaseObjective::cost;
  bool keep_slow = false;  ///< without a target of the time, machines far slower than the others are planned too
  std::function<void(std::size_t done)> progress;  ///< machines finished, each three times; may be empty
  std::function<bool()> stop;                      ///< asked between plans; may be empty
};

/// Machine without a plan, with the reason.
struct RefusedMachine {
  MachineChoice machine;
  std::string reason;
};

/// Best purchase that meets all targets but one: what a search without that target finds to be least in it.
struct NearestMiss {
  PurchaseLimit dropped = PurchaseLimit::time;
  PurchasePlan plan;  ///< least in what was dropped
};

struct PurchaseAnswer {
  std::vector<PurchasePlan> frontier;        ///< meets all targets and is of interest; the cheapest first
  std::vector<PurchasePlan> by_accelerator;  ///< best plan of each accelerator that meets all targets, the best first
  std::vector<NearestMiss> misses;           ///< only where nothing meets all; each as if its target had not been set
  std::vector<std::string> beyond;           ///< accelerators that were planned, and meet all targets at no size
  std::vector<RefusedMachine> refused;
  std::size_t planned = 0;  ///< sizes that were planned
  bool interrupted = false;
};

/// @throws ConfigError where not one machine can be planned, for the reason of the first
PurchaseAnswer search_purchases(const PurchaseRequest& request);

}  // namespace clusterwright
