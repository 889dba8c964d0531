// SPDX-License-Identifier: Apache-2.0
/// Plan of a job with open fields ("auto"): the layout with the shortest step among all that keep what the job states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/search/choose_plan.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// Who decides fields that a job leaves open: a search for the shortest step; or what users of the stack choose, for
/// steps that others ran and did not describe in full.
enum class OpenFields { best, usual };

/// Chosen plan with its step, if the search has replayed it.
struct DecidedPlan {
  ChosenPlan chosen;
  std::optional<StepSummary> step;
  bool searched = false;  ///< nothing of the plan had to be guessed
  /// Time that no step can beat, where that is longer than the search was to look at: nothing is chosen then.
  std::optional<Seconds> too_slow = {};
};

/// Bounds of the work of a search.
struct SearchEffort {
  std::int64_t layouts = 100'000;  ///< a larger space is thinned out
  int replays = 20;
  bool look_around = true;  ///< goes on around the best layout, unless the search has seen all that is allowed
  /// Also replays the best bound of each number of stages, and looks around the best layout of a space that was thinned
  /// out even where none of that is short enough.
  bool thorough = false;
  bool context_space = true;  ///< searches layouts with context groups as a space of their own; else around the best
  std::optional<Seconds> longest = {};  ///< step beyond which the job is not worth a replay
};

/// Plan of the job. Where the context group is open, layouts without one are searched first, then those with one that
/// may beat them. Where the sharding is open, it is the usual one of the stack, unless that fits only with tensor
/// groups beyond a scale-up domain; then that of weights without stages is tried too. Where nothing is open, nothing
/// fits, layers of single stages are stated, or nodes are of several kinds, choose_plan() decides.
/// @throws ConfigError as resolve_plan
DecidedPlan decide_plan(const Scenario& scenario, OpenFields open, const SearchEffort& effort = {});

/// Job with every degree, the micro-batch and recomputation open; sharding, order, schedule and offload stay.
Job with_open_layout(Job job);

/// The same of a scenario, but for the fields that a setting of its user gave: they stay as they are.
Job with_unset_layout_open(const Scenario& scenario);

/// Whether such a setting gave a field of the job. @param path  "parallel/tensor"
bool is_set_in_job(const Scenario& scenario, const std::string& path);

}  // namespace clusterwright
