// SPDX-License-Identifier: Apache-2.0
/// Sweep over a space of layouts: the exact memory of each, and a time that its step cannot beat.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "models/search/candidate_heap.hpp"
#include "models/search/field_values.hpp"
#include "models/search/layout_costs.hpp"
#include "models/search/layout_space.hpp"
#include "models/search/stack_ability.hpp"

namespace clusterwright {

/// What a search makes as small as it can, of one step.
enum class SearchObjective { time, cost, energy };

struct SweepRequest {
  /// Energy is bounded by that of kernels at the lowest clock and of everything idle. At a given number of accelerators
  /// cost follows time.
  SearchObjective objective = SearchObjective::time;
  /// Work of so many layouts is what a space is thinned out to, by an estimate. The sweep ends at twice that, complete
  /// or not.
  std::int64_t most_layouts = 20'000'000;
  bool memory_only = false;  ///< bounds stay 0; ends with the first layout that fits
  /// Layouts whose parameters and their state alone exceed the memory are passed over, and appear in no count.
  bool feasible_alone = false;
  std::optional<LayoutLimits> asked = {};  ///< fields that a user named, where the space is only a part of theirs
  std::size_t kept = 20'000;               ///< layouts with the lowest bounds that are kept
};

struct SweepCounts {
  std::int64_t evaluated = 0;  ///< layouts whose memory and least time were computed
  std::int64_t feasible = 0;   ///< those that fit and that the stack can run
  std::int64_t short_of_memory = 0;
  std::int64_t beyond_stack = 0;                                  ///< those that fit, but that the stack cannot run
  bool complete = true;                                           ///< every layout of the space was looked at
  double least_memory = std::numeric_limits<double>::infinity();  ///< bytes of the layout that needs least
  Candidate leanest;                                              ///< that layout
  Candidate best_beyond;                                          ///< lowest bound of those beyond the stack
};

class LayoutSweep {
 public:
  LayoutSweep(LayoutSpace& space, const SweepRequest& request);

  /// @param stop  asked now and then; once it says yes the sweep ends
  void run(const std::function<bool()>& stop = {});
  const SweepCounts& counts() const { return counts_; }
  const FieldValues& values() const { return values_; }
  const StackAbility& ability() const { return ability_; }
  CandidateHeap& candidates() { return candidates_; }
  LayoutCosts& costs(std::size_t cluster) { return *costs_[cluster]; }
  LayoutCosts& costs_of(const InnerGroups& groups);

 private:
  class Inner;

  bool is_worked_out() const;

  LayoutSpace& space_;
  SweepRequest request_;
  StackAbility ability_;
  SweepCounts counts_;
  FieldValues values_;
  CandidateHeap candidates_;
  std::vector<std::unique_ptr<LayoutCosts>> costs_;  // by cluster of the space
  double chunks_ = 0;                                ///< of all stages of what was visited, as in SpaceExtent
};

}  // namespace clusterwright
