// SPDX-License-Identifier: Apache-2.0
/// What other links, clocks, kernels or fits would do to a step.
///
///   StepWhatIfs step(scenario, plan);
///   Scenario faster = scenario;
///   faster.cluster.nic_bandwidth *= 2;
///   const Picoseconds saved = step.base().end - step.under(faster).end;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "models/settling/retimed_step.hpp"
#include "models/settling/steady_state.hpp"

namespace clusterwright {

/// A step that is asked under one scenario after another. It is lowered once; an answer takes times and a replay.
///
/// Each answer follows from the base and the scenario alone: the search for the length of a step that repeats itself
/// begins where that of the base ended. The search for clocks begins at the highest, as that of a step lowered anew:
/// from lower ones governors may settle elsewhere.
/// Copies serve other threads: they share what was lowered.
class StepWhatIfs {
 public:
  /// @throws ConfigError E0502 if the step would take longer than can be simulated
  StepWhatIfs(const Scenario& scenario, const Plan& plan);

  const StepTime& base() const { return base_; }
  /// Summary under another scenario, which is lowered again if its step has another structure.
  /// @throws ConfigError as the constructor
  StepSummary under(const Scenario& scenario);
  /// Its times alone.
  StepTime time_under(const Scenario& scenario);

 private:
  std::unique_ptr<SettledStep> asked(const Scenario& scenario);
  std::function<Picoseconds(const Scenario&)> end_of();  ///< of its step under another scenario

  StepLengths steps_;
  std::vector<ShortenedStep> tries_;
  std::size_t attempt_ = 0;  // the one that the base is continued from
  StepTime base_;
  std::vector<StepWhatIfs> local_;  // steps without synchronisation, where groups train apart; at most one
};

// All times of this header contain the jitter of the step (replica_jitter.hpp), except those of read_whole_step().

inline constexpr Picoseconds any_end{std::numeric_limits<std::int64_t>::max()};

/// Summary of the step: from two short replays if it repeats itself, from the whole if it does not, or is hardly
/// longer.
/// @param of_interest  a step that ends no sooner, even at full clocks, gets times alone, which may be those at full
///                     clocks: only that it ends no sooner is sure
/// @throws ConfigError E0502 if the step would take longer than can be simulated
StepSummary summarise_step(const Scenario& scenario, const Plan& plan, Picoseconds of_interest = any_end);

/// Calls `read` with the whole step, replayed at the clocks that it settles at. Where groups train apart it is the step
/// that synchronises them.
/// @throws ConfigError as summarise_step
void read_whole_step(const Scenario& scenario, const Plan& plan, const std::function<void(const StepView&)>& read);

/// Times of the same summary.
StepTime time_step(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
