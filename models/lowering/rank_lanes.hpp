// SPDX-License-Identifier: Apache-2.0
/// Lanes of one rank class: queues whose ops run in order.
#pragma once

#include <array>

#include "models/lowering/message_route.hpp"
#include "models/lowering/planned_step.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// A lane that the step does not use does not exist.
struct RankLanes {
  LaneId compute, tensor, context, experts, data, host_in, host_out, issue, input;
  std::array<LaneId, message_route_count> out, in;  ///< pipeline messages, by MessageRoute

  LaneId out_of(MessageRoute route) const { return out[static_cast<std::size_t>(route)]; }
  LaneId in_of(MessageRoute route) const { return in[static_cast<std::size_t>(route)]; }
};

RankLanes add_rank_lanes(StepGraphBuilder& builder, const PlannedStep& step, RankClassId rank_class);

}  // namespace clusterwright
