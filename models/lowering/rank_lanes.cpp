// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_lanes.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace clusterwright {

RankLanes add_rank_lanes(StepGraphBuilder& builder, const PlannedStep& step, RankClassId rank_class) {
  const auto lane = [&](LaneKind kind, std::string name) {
    return builder.add_lane(rank_class, kind, std::move(name));
  };
  RankLanes lanes;
  lanes.compute = lane(LaneKind::compute, "compute");
  lanes.tensor = lane(LaneKind::communication, "tensor parallel");
  lanes.data = lane(LaneKind::communication, "data parallel");
  if (step.plan().context > 1) lanes.context = lane(LaneKind::communication, "context parallel");
  if (step.scenario.transformer.experts) {
    lanes.experts = lane(LaneKind::communication, "expert parallel");
    lanes.issue = lane(LaneKind::communication, "host");
  }
  if (step.scenario.job.offload.any()) {
    lanes.host_in = lane(LaneKind::communication, "from host");
    lanes.host_out = lane(LaneKind::communication, "to host");
  }
  if (step.scenario.job.input) lanes.input = lane(LaneKind::communication, "input");
  if (step.plan().pipeline == 1) return lanes;
  constexpr std::array<const char*, message_route_count> routes = {"forward", "backward", "forward up", "backward up"};
  for (std::size_t i = 0; i < (step.layout().is_mirrored() ? message_route_count : 2); ++i) {
    lanes.out[i] = lane(LaneKind::communication, fmt::format("send {}", routes[i]));
    lanes.in[i] = lane(LaneKind::communication, fmt::format("receive {}", routes[i]));
  }
  return lanes;
}

}  // namespace clusterwright
