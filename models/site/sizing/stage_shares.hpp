// SPDX-License-Identifier: Apache-2.0
/// Shares of a power budget by the need of pipeline stages.
///
/// A stage that is busy for longer than another one gets the higher limit, until all are busy equally long. How much
/// longer a lower limit makes a stage is learnt from one division of the budget to the next: times follow about the
/// square root of a limit at usual clocks, and far more than the limit near the lowest ones.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Time of a step in which ranks of each stage do not wait, mean over the ranks of the stage.
std::vector<Seconds> busy_by_stage(const Scenario& scenario, const Plan& plan);

class StageShares {
 public:
  /// @param busy  of each stage with one limit for all
  explicit StageShares(std::vector<Seconds> busy);

  /// Whether no stage is busy for more than 0.5 % longer than another one.
  bool even() const;
  /// Next shares to try: the limit of each stage over the highest one.
  const std::vector<double>& next();
  /// Shares the other way round: the stage that is busy longest gets the lowest limit. Near the lowest clocks a faster
  /// kernel needs less energy, as it draws for a shorter time what its clock does not change. @param ratio  of limits
  std::vector<double> reversed(double ratio) const;
  /// @param busy  of each stage with those
  void learn(std::vector<Seconds> busy);

 private:
  std::vector<double> shares_, before_;
  std::vector<Seconds> busy_;
  double strength_;  // power of the ratio of times by which limits change
};

}  // namespace clusterwright
