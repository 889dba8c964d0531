// SPDX-License-Identifier: Apache-2.0
/// Every kind of rendezvous between the rank classes of a step.
#pragma once

#include <array>

#include "models/lowering/meetings.hpp"
#include "models/lowering/message_route.hpp"
#include "models/plan/placement.hpp"

namespace clusterwright {

struct StepMeetings {
  StepMeetings(StepGraphBuilder& builder, std::size_t classes, int stages);

  Meetings& of(ReplicaGroup kind) { return replicas[static_cast<std::size_t>(kind)]; }
  MessageMeetings& of(MessageRoute route) { return messages[static_cast<std::size_t>(route)]; }

  Meetings tensor;  ///< collectives of tensor groups
  Meetings tied;    ///< first and last stage, for the gradient of their shared table
  Meetings mirror;  ///< the two ranks that hold copies of the same part of the model (DualPipe)
  Meetings norm;    ///< all ranks, for the norm of the gradient
  Meetings reads;   ///< ranks that are fed together
  Meetings host;    ///< one rank by itself: copies to the memory beyond the device
  Meetings issue;   ///< one rank by itself: its host issues kernels
  std::array<Meetings, replica_group_count> replicas;
  std::array<MessageMeetings, message_route_count> messages;
};

}  // namespace clusterwright
