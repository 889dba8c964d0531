// SPDX-License-Identifier: Apache-2.0
/// Steps of several jobs as one graph: they run side by side and meet on the resources that they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// One graph of several steps. Ids of a step follow those of the steps before, in their order.
struct JoinedSteps {
  StepGraph graph;
  /// By step: the rank class behind its own ones, whose only op waits for everything that the step does.
  std::vector<RankClassId> ends;
};

/// A step on its way into a joined graph.
struct JoiningStep {
  const StepStructure& structure;
  const StepTiming& timing;
};

/// By resource of a step: the resource of the joined graph that it is; "none" for its own.
using CommonResources = IndexedVector<ResourceId, ResourceId>;

/// Appends one step after the other. Resources of the first one keep their ids.
///
/// A step states the capacity of a resource for its own traffic, which its transport may use less well than that of
/// another step. A common one keeps the capacity of the first step; a byte of a later step takes as much of its time as
/// it does alone, so its amounts change by the ratio of both capacities.
class StepJoiner {
 public:
  /// @pre steps have the same charges and kind of governor
  /// @throws std::logic_error if amounts on a common resource cannot be held
  void add(const JoiningStep& step, const CommonResources& common);
  JoinedSteps take() && { return std::move(joined_); }

 private:
  void add_resources(const JoiningStep& step, const CommonResources& common);
  void add_ranks(const JoiningStep& step);
  void add_works(const JoiningStep& step);
  void add_chains(const JoiningStep& step);
  void add_uses(const JoiningStep& step);
  void add_passes(const JoiningStep& step);
  void add_ops(const JoiningStep& step);
  void add_successors(const StepStructure& step, OpId end);
  OpId add_end(const StepStructure& step);

  StepStructure& structure() { return joined_.graph.structure; }
  StepTiming& timing() { return joined_.graph.timing; }

  /// First ids of the step that is being added.
  struct First {
    std::size_t ranks, domains, lanes, ops, works, tables, passes, chains, legs, meetings;
  };
  JoinedSteps joined_;
  First first_{};
  CommonResources resources_;                 // all resources of the step that is being added, in the joined graph
  IndexedVector<ResourceId, double> scales_;  // their capacities in the joined graph over those of the step
};

}  // namespace clusterwright
