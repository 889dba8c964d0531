// SPDX-License-Identifier: Apache-2.0
/// Steps that are lowered once and replayed under one scenario after another.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "models/lowering/lowered_step.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/clock_search.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

/// One step, folded.
class RetimedStep {
 public:
  RetimedStep(const Scenario& scenario, const Plan& plan);
  /// Shares what was lowered; to be asked before it is replayed.
  RetimedStep(const RetimedStep&);
  RetimedStep& operator=(const RetimedStep&) = delete;  // the replayer holds on to the structure

  /// Takes the times of another scenario; lowers again if its step has another structure.
  void ask(const Scenario& scenario);
  /// Sets the clocks of the next replay, unless they are none or those of other rank classes.
  void set_clocks(const Clocks& clocks);
  const Clocks& clocks() const { return timing_.clock; }

  /// Replays at the present clocks and charges the time.
  void replay();
  /// Sets the clocks of the next replay. @return whether they have settled
  bool settled(ClockSearch& search, const IndexedVector<RankClassId, GovernedTime>& times) {
    return search.settled(timing_, times);
  }

  /// The last replay.
  StepView view() const { return {replayer_->structure(), timing_, result_, breakdown_}; }

 private:
  void lower(const Scenario& scenario);

  Plan plan_;
  std::shared_ptr<const LoweredStep> lowered_;
  std::optional<Replayer> replayer_;
  StepTiming timing_;
  ReplayResult result_;
  Breakdown breakdown_;
};

/// Steps of one plan with different numbers of micro-batches, under one scenario after another.
class StepLengths {
 public:
  explicit StepLengths(const Plan& plan) : plan_(plan) {}
  /// For another thread: shares what was lowered; to be asked first.
  StepLengths(const StepLengths&);

  /// Scenario of the steps from now on; must outlive what is asked of them.
  void ask(const Scenario& scenario);
  /// Step with fewer micro-batches of the same size than the plan has, or with as many.
  RetimedStep& at(int micro_batches);
  /// Frees all steps.
  void forget() { kept_.clear(); }

  const Plan& plan() const { return plan_; }

 private:
  struct Kept {
    std::unique_ptr<RetimedStep> step;
    int question = 0;  // for which the step has its times
  };

  Plan plan_;
  const Scenario* scenario_ = nullptr;
  int question_ = 0;
  std::map<int, Kept> kept_;  // by micro-batches
};

}  // namespace clusterwright
