// SPDX-License-Identifier: Apache-2.0
/// Prices that the programs of a step ask for, so that they can be asked for again at other times and rates.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class KernelTimes;
class StepMachine;
struct PlannedStep;

/// What prices are made from.
struct PriceSheet {
  StepGraphBuilder& builder;
  const PlannedStep& step;
  const KernelTimes& kernels;
  StepMachine& machine;
};

/// Adds a work or a chain to the builder of the sheet.
using PriceCall = std::function<void(PriceSheet&)>;

class PriceLog {
 public:
  void add(PriceCall call) { calls_.push_back(std::move(call)); }
  /// Adds the same works and chains once more, in the same order.
  void repeat(PriceSheet& sheet) const {
    for (const PriceCall& call : calls_) call(sheet);
  }

 private:
  std::vector<PriceCall> calls_;
};

}  // namespace clusterwright
