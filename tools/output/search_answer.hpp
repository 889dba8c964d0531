// SPDX-License-Identifier: Apache-2.0
/// Answer of `search`, before it is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"
#include "models/search/layout_search.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// One of the best plans, as `run` predicts it.
struct SearchPlan {
  StepPrediction step;
  Layout layout;
  std::vector<std::string> settings;             ///< that turn the scenario into it, as --set takes them
  double behind = 0;                             ///< value of the objective over the best one, minus 1
  double paired_sigma = 0;                       ///< standard deviation of ln(step time / that of the best plan)
  std::optional<double> usd_per_million_tokens;  ///< rent alone; absent unless cost is the objective
};

/// Accelerators that a step is rented on: those in use, and the idle ones of their nodes and scale-up domains.
inline int rented_accelerators(const StepPrediction& step) {
  return step.accelerators + step.idle_accelerators;
}

struct SearchAnswer {
  ResultContext context;
  SearchObjective objective = SearchObjective::time;
  int gpus = 0;
  std::string stack;  ///< name
  SearchResult result;
  std::vector<SearchPlan> plans;         ///< the best first
  std::optional<StepPrediction> own;     ///< what the scenario itself states, on as many accelerators
  std::string no_own;                    ///< why that cannot run
  std::string beyond_field;              ///< what the stack lacks for `result.counts.best_beyond`
  std::vector<std::string> pins;         ///< fields that --set or --keep holds
  std::vector<std::string> constraints;  ///< as typed
  double cpu_s = 0;                      ///< processor time of the program so far
  std::optional<double> usd_per_hour;    ///< rent of one accelerator
};

}  // namespace clusterwright
