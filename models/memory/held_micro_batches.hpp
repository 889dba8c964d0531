// SPDX-License-Identifier: Apache-2.0
/// Micro-batches whose tensors a pipeline stage holds, at the instants of its schedule that can be the fullest.
#pragma once

#include <vector>

#include "models/plan/plan.hpp"

namespace clusterwright {

/// Micro-batches that a stage holds tensors of, by chunk.
struct HeldMicroBatches {
  int sum = 0;              ///< of both lists
  std::vector<int> stored;  ///< between forward and backward pass
  std::vector<int> kept;    ///< between the parts of the backward pass, until their weight gradients
  bool operator==(const HeldMicroBatches&) const = default;
};

/// Instants of a schedule at which no other one holds as many on every chunk and more on some: whatever the bytes of a
/// chunk, the fullest instant is one of them. Example: a stage of 1F1B, k places before the last, has one, with
/// min(micro-batches, k + 1) stored.
std::vector<HeldMicroBatches> fullest_instants(const Plan& plan, int stage);

/// Adds an instant to such a list, unless one of them holds as many on every chunk; drops those that hold no more.
void add_instant(const HeldMicroBatches& now, std::vector<HeldMicroBatches>& fullest);

}  // namespace clusterwright
