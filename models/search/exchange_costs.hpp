// SPDX-License-Identifier: Apache-2.0
/// Least times of what a stage does beside its passes: gathers of weights, reductions of gradients, the optimizer,
/// copies to host memory, messages.
///
/// Transfers have their links to themselves here, and the shortest way through the switches.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "models/lowering/stage_weights.hpp"
#include "models/lowering/step_prices.hpp"
#include "models/lowering/weight_exchanges.hpp"
#include "models/plan/placement.hpp"
#include "models/search/stage_table.hpp"

namespace clusterwright {

/// Least times of one rank of a stage, in seconds.
struct StageExchanges {
  double before = 0;       ///< gathers that end in front of the first pass
  double lane_before = 0;  ///< all gathers at the begin of the step, on the lane of the reductions
  double each = 0;         ///< on that lane, for each micro-batch
  double each_waits = 0;   ///< part of `each` that the device waits for in front of the next
  double behind = 0;       ///< reductions behind the last pass
  double lane_behind = 0;  ///< all reductions of the last micro-batch, on their lane
  double copies_each = 0;  ///< copies of weights from the host, for each micro-batch, on a lane of their own
  double update = 0;       ///< optimizer, with its copies
};

/// Times of one scenario, for any plan on it.
class ExchangeTimes {
 public:
  /// @param scenario, prices  must outlive it
  ExchangeTimes(const Scenario& scenario, const StepPrices& prices) : scenario_(scenario), prices_(prices) {}

  /// @param planned  whose plan decides groups and sharding; its micro-batch does not matter
  StageExchanges of_stage(const PlannedJob& planned, int stage);
  /// A pipeline message between neighbouring stages.
  double message(const PlannedJob& planned) const;
  /// Seconds that the copy of one byte of stored activations takes in one direction; 0 where it is not bounded.
  double activation_copy(const Plan& plan, const Offload& offload) const;

 private:
  /// Seconds for one byte from each rank of a stage to its host, and back: the longer of the two, on average. Ranks of
  /// one host share its memory.
  double host_copy(const Plan& plan) const;
  double time(const Plan& plan, const WeightExchange& exchange);
  double time(const Plan& plan, const std::vector<WeightExchange>& exchanges);
  const GroupShape& shape(const Plan& plan, ReplicaGroup kind);
  void add_gathers(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out);
  void add_reductions(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out);
  static void finish_reductions(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out);
  void add_streams(const PlannedJob& planned, int stage, const StageWeights& weights, StageExchanges& out);
  double update_time(const PlannedJob& planned, double trained, double owned) const;
  double host_link() const;
  Seconds switches(const GroupShape& group) const;

  const Scenario& scenario_;
  const StepPrices& prices_;
  using PlanKey = std::tuple<int, int, int, int, int, int, int, int>;
  std::map<std::pair<PlanKey, int>, GroupShape> shapes_;
  std::map<std::tuple<int, int, int, int, double>, double> times_;  // of collectives, by op, group and bytes
};

}  // namespace clusterwright
