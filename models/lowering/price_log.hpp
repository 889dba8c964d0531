// SPDX-License-Identifier: Apache-2.0
/// Prices that the programs of a step ask for, so that they can be asked for again at other times and rates, and the
/// streams of its chains.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "models/lowering/chain_traffic.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class KindPrices;
class StepMachine;
struct PlannedStep;

/// What prices are made from.
struct PriceSheet {
  StepGraphBuilder& builder;
  const PlannedStep& step;
  const KindPrices& prices;
  StepMachine& machine;
};

/// Adds a work or a chain to the builder of the sheet.
using PriceCall = std::function<void(PriceSheet&)>;

class PriceLog {
 public:
  void add(PriceCall call) { calls_.push_back(std::move(call)); }
  void add(ChainTraffic traffic) { traffic_.push_back(std::move(traffic)); }
  /// Adds the same works and chains once more, in the same order.
  void repeat(PriceSheet& sheet) const {
    for (const PriceCall& call : calls_) call(sheet);
  }

  /// Traffic of chains that have a stream, ascending by chain.
  const std::vector<ChainTraffic>& traffic() const { return traffic_; }

 private:
  std::vector<PriceCall> calls_;
  std::vector<ChainTraffic> traffic_;
};

}  // namespace clusterwright
