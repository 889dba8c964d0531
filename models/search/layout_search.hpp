// SPDX-License-Identifier: Apache-2.0
/// Search for the best layout of a job: bounds in closed form for all layouts, replays for those that can win.
///
/// Replays go on until no layout without a replay has a bound below the best result: then nothing in the space is
/// better. They take in turn the lowest bound, which proves, and the layout that promises most, which finds: its bound
/// times what steps of its kind were above theirs. A layout's first bound ignores power limits; the one with them is
/// computed only for those that come to the front. Example: bounds 9, 10, 12, 15 s. The replay of the first takes 11 s,
/// that of the second 10.5 s. The third cannot be below 12 s, so 10.5 s is the least of all four, proven with two
/// replays.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/search/layout_sweep.hpp"
#include "models/search/nearby_layouts.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

struct SearchRequest {
  SweepRequest sweep;
  int most_replays = 100;     ///< after which the search ends, proven or not
  int least_replays = 1;      ///< replays of the lowest bounds that are made even if the best layout is proven before
  std::vector<Layout> known;  ///< layouts that are replayed first, if the limits and the memory allow them
  bool refine = false;        ///< searches on around the best layout of a space that was thinned out
  bool any_centre = false;    ///< and does so even if no layout of that space can be short enough
  /// Layouts of a second space, which is searched for what beats the best of the first: one large space would be
  /// thinned out more than two.
  std::optional<LayoutLimits> beyond = {};
  /// Limits of the layouts around the best; absent: those of the space.
  std::optional<LayoutLimits> around = {};
  std::vector<SearchedField> each_value = {};  ///< also replays the most promising layout with each value of these
  double longest = std::numeric_limits<double>::infinity();  ///< of the objective: what is above is not replayed
  bool best_alone = false;                          ///< only the best of the layouts found needs more than times
  std::function<bool(const StepSummary&)> accepts;  ///< limits on the replayed step; empty: all pass
  std::function<bool()> stop;                       ///< asked now and then; once it says yes the search ends
};

/// Replayed layout.
struct FoundLayout {
  Candidate candidate;  ///< its bound under power limits
  Plan plan;
  StepSummary step;
  double value = 0;      ///< of the objective: seconds, or joules of one step
  bool accepted = true;  ///< by the limits on replayed steps
};

struct SearchResult {
  double space = 0;                     ///< layouts of the whole space
  LeftOut left_out = LeftOut::nothing;  ///< what was left out of it
  bool wider = false;                   ///< layouts beyond the space are allowed, not all of which were looked at
  SweepCounts counts;
  std::int64_t nearby = 0;  ///< layouts that were evaluated around the best ones, beside those of the counts
  FieldValues values;
  std::vector<FoundLayout> found;  ///< accepted and fitting ones, the best first
  int replayed = 0;
  int refused = 0;        ///< replayed, but beyond a limit
  int short_of_host = 0;  ///< candidates whose offloaded tensors do not fit beyond the accelerator
  int too_long = 0;       ///< candidates whose step takes longer than can be simulated
  double least_open = std::numeric_limits<double>::infinity();  ///< lowest bound without a replay
  bool interrupted = false;

  /// Whether no layout that is allowed can be better than the best found.
  bool proven() const {
    return !found.empty() && counts.complete && left_out == LeftOut::nothing && !wider &&
           least_open >= found.front().value;
  }
};

class ReplayQueue;

class LayoutSearch {
 public:
  /// @param scenario  whose cluster has the wanted size; power limits of stages fix their number
  LayoutSearch(const Scenario& scenario, LayoutLimits limits, SearchRequest request);
  ~LayoutSearch();

  /// @throws ConfigError if other fields of the job contradict every layout that was tried
  SearchResult run();
  /// Scenario under a layout, with every field of it decided.
  Scenario scenario_of(const Candidate& candidate) const;
  const StackAbility& ability() const { return sweep_.ability(); }

 private:
  void replay_known(SearchResult& result);
  void replay_queue(SearchResult& result);
  void replay_values(SearchResult& result);
  bool needs_centre(const SearchResult& result) const;
  bool goes_on(const SearchResult& result) const;
  void refine(SearchResult& result);
  bool find_better(const LayoutLimits& limits, SearchRequest request, SearchResult& result);
  bool find_better_near_best(VariedDegrees varied, SearchResult& result);
  void search_beyond(SearchResult& result);
  bool replay_lowest(ReplayQueue& queue, SearchResult& result);
  void replay_most_promising(ReplayQueue& queue, SearchResult& result);
  Picoseconds of_interest(const SearchResult& result) const;
  /// @return value of the objective, if the layout runs
  std::optional<double> replay(const Candidate& candidate, SearchResult& result);
  void count_refusal(const ConfigError& error, SearchResult& result);
  SearchResult search();
  double sharpened(const Candidate& candidate);
  bool is_stopped(SearchResult& result) const;

  LayoutSpace space_;
  SearchRequest request_;
  LayoutSweep sweep_;
  std::optional<ConfigError> illegal_;  ///< of the first layout that another field of the job contradicts
};

/// Limits that keep whatever a job states of its layout; a field that it leaves open stays open. Only the job's own
/// schedule and memory levels are considered: those a job always states.
LayoutLimits limits_of(const Scenario& scenario);

/// Whether a job's layout can be searched: it states neither layers nor power limits of single stages.
bool is_searchable(const Job& job);

}  // namespace clusterwright
