// SPDX-License-Identifier: Apache-2.0
/// Options of one question beside each other: step, watts and money of each, and how sure their order is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

struct ComparedOption {
  std::string name;                           ///< "node=DGX B200, taper=2"
  std::optional<Scenario> scenario;           ///< as it was predicted; absent where it cannot be read
  std::optional<StepPrediction> step;         ///< absent where the job cannot run
  std::shared_ptr<const SizedCluster> sized;  ///< null where its site cannot be planned, or the job does not fit
  std::string reason;                         ///< why there is no step, or no site
  bool runs() const { return step && step->fits; }
  /// What its site breaks, as `size` judges it; a site that is not planned breaks nothing.
  std::vector<SiteVerdict> failed_verdicts() const;
  /// Whether the job runs and its site breaks nothing: only such an option may be called the best one.
  bool can_be_built() const { return runs() && failed_verdicts().empty(); }
};

/// Step of a scenario, and its site with the prices of the scenario.
/// @param replan  degrees, micro-batch and recomputation are searched, whatever the scenario states
/// @throws ConfigError where the step cannot be predicted; a site that cannot be planned is a `reason`
ComparedOption compared_option(std::string name, const Scenario& scenario, bool replan);

/// An option over another one. Intervals are of 90 %; errors that both share cancel.
struct OptionRatio {
  Interval<double> speed;  ///< tokens per second of the whole job
  double probability_faster = 0.5;
  std::optional<Interval<double>> price;      ///< of a token; absent unless both have one, and all their parts a price
  std::optional<double> probability_cheaper;  ///< by the same
};

/// Errors of speeds are those of the steps. A price has those of its step and of its prices; power counts as known.
/// @pre both run
OptionRatio ratio_of(const ComparedOption& option, const ComparedOption& over);

/// Accelerator-seconds of a step per million tokens, which compares options of any size and batch.
double accelerator_seconds_per_million_tokens(const StepPrediction& step);

}  // namespace clusterwright
