// SPDX-License-Identifier: Apache-2.0
/// Routes of pipeline messages.
#pragma once

#include <cstddef>

#include "models/lowering/stream_groups.hpp"

namespace clusterwright {

/// Pipeline messages that keep their order among themselves: forward and backward pass of the micro-batches that flow
/// down the stages, and of those that flow up (DualPipe).
enum class MessageRoute : int { forward, backward, forward_up, backward_up };
inline constexpr std::size_t message_route_count = 4;

/// Direction in which the messages of a route travel along the stages.
constexpr Stream stream_of(MessageRoute route) {
  const bool down = route == MessageRoute::forward || route == MessageRoute::backward_up;
  return down ? Stream::forward : Stream::backward;
}

}  // namespace clusterwright
