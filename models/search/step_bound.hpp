// SPDX-License-Identifier: Apache-2.0
/// Time that a step cannot beat, in closed form.
///
/// Stage s of a pipeline cannot begin before the first micro-batch has come through the stages in front of it, nor end
/// before the gradients of the last one have gone back through them. In between it runs all its passes one after the
/// other, and under 1F1B no more than P - s micro-batches can be beyond it at a time. With chunk times F_j and B_j of
/// the stages and a message of time h,
///
///   T >= sum over j < s of (F_j + h)  +  max(m (F_s + B_s), ceil(m / (P - s)) R_s)  +  sum over j < s of (B_j + h)
///   R_s = sum over j >= s of (F_j + B_j) + 2 (P - 1 - s) h
///
/// and the largest of these over s is the bound. What must come in front of the first pass and behind the last one adds
/// to it: gathers of weights, reductions of gradients, the optimizer. Lanes of exchanges are bounds of their own.
///
/// A governor adds one more. The mean power of a stage may not exceed its limit, so T >= E(c) / (limit - idle) at the
/// clock c that it settles at, and waits do not lower E. The step is then at least as long as at the clock at which
/// both bounds meet.
///
/// The slowest of the replicas adds `slowest` times the computation of a rank, mean over the stages
/// (models/settling/replica_jitter.hpp), without the bubbles that grow with it.
///
/// Example: 4 equal stages, F = 10 ms, B = 20 ms, 8 micro-batches, h = 0: the last stage gives
/// 3 x 10 + 8 x 30 + 3 x 20 = 330 ms, which is (m + P - 1)(F + B).
/// Source: Narayanan et al. 2021, section 2.2, for the bubble of 1F1B and of interleaved schedules
#pragma once

#include <vector>

#include "models/search/exchange_costs.hpp"
#include "models/search/pass_costs.hpp"
#include "models/search/stage_table.hpp"

namespace clusterwright {

/// Limit that a governor holds.
struct PowerHeadroom {
  bool governed = false;
  double watts = 0;  ///< from idle to the limit, one rank
  VoltageCurve voltage;
};

PowerHeadroom power_headroom(const Scenario& scenario, const StepPrices& prices);

/// Work of a stage, in seconds.
struct StageWork {
  double fill = 0;       ///< first forward pass, which the next stage waits for
  double drain = 0;      ///< last pass that the stage in front waits for
  double middle = 0;     ///< from its first pass to its last that others wait for
  double slope = 0;      ///< change with 1/clock of the passes in it
  double slack = 0;      ///< part of `middle` that these passes do not fill
  double own = 0;        ///< passes behind that
  double lead = 0;       ///< part of a row that a wait in front of it hides, at most
  double computing = 0;  ///< kernels that are charged as computation
  double launch = 0;     ///< time of the host
  double rest = 0;       ///< passes behind the begin of its reductions, at most
  int stage_class = 0;
  double copied = 0;  ///< bytes of stored activations of one micro-batch
  ClockedEnergy energy;
};

class StepBound {
 public:
  /// @param message  seconds of a message between neighbouring stages
  /// @param slowest  share by which the slowest replica computes longer than the mean one
  StepBound(const PlannedJob& planned, const StageTable& stages, const PassCosts& costs, double message,
            double slowest = 0);

  /// Bound at the reference clock. @param exchanges  by class of stages
  /// @param copy  seconds to copy a byte of stored activations; 0: they stay on the device
  double seconds(const std::vector<StageExchanges>& exchanges, double copy = 0) const;
  /// Bound of the copies alone, without the passes beside them.
  double seconds_of_copies(const std::vector<StageExchanges>& exchanges, double copy) const;
  /// Bound at the clocks that the governor allows; never below seconds().
  double seconds(const std::vector<StageExchanges>& exchanges, double copy, const PowerHeadroom& power) const;

  /// Joules above idle that one rank of each stage takes at least, added up over the stages.
  double least_energy(const VoltageCurve& voltage) const;

 private:
  /// A bound that one stage sets.
  struct Reach {
    double seconds = 0;
    std::size_t stage = 0;
  };

  /// Copies of the activations of all micro-batches. Of two ends of the model each gets half of them.
  double copies_of(const StageWork& stage, double copy) const { return micro_batches_ * stage.copied * copy / copies_; }
  double arrival(std::size_t stage, const std::vector<StageExchanges>& exchanges, double before) const;
  double from_nearest_end(std::size_t stage) const;
  Reach reach(const std::vector<StageExchanges>& exchanges, double copy) const;
  double with_power(std::size_t stage, double seconds, const PowerHeadroom& power) const;

  double micro_batches_;
  int copies_;  // of the weights
  double message_;
  std::vector<StageWork> work_;
  double jitter_;  // seconds
};

}  // namespace clusterwright
