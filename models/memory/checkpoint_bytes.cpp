// SPDX-License-Identifier: Apache-2.0
#include "models/memory/checkpoint_bytes.hpp"

#include "models/kernels/kernel_traffic.hpp"
#include "models/memory/parameter_memory.hpp"

namespace clusterwright {

namespace {

/// @param owners  ranks that share one copy, @param place  of this rank among all that hold the parameters
double written_bytes(const PlannedJob& planned, double parameters, double owners, double place) {
  const Sharding sharding = planned.plan.sharding;
  const bool first = place < 1, first_copy = place < owners;
  double bytes = 0;
  if (sharding == Sharding::none ? first : first_copy)
    bytes += parameters * adam_states() / (sharding == Sharding::none ? 1 : owners);
  if (shards_master_weights(planned)) return bytes;
  if (shards_weights(sharding) ? first_copy : first)
    bytes += parameters * bytes_16bit / (shards_weights(sharding) ? owners : 1);
  return bytes;
}

}  // namespace

Bytes checkpoint_of_rank(const PlannedJob& planned, int stage, int data) {
  const RankParameters trained = trained_parameters(planned, stage);
  const int expert_place = data * planned.plan.tensor / (planned.plan.expert * planned.plan.expert_tensor);
  return (written_bytes(planned, trained.common, shard_ranks(planned), data) +
          written_bytes(planned, trained.routed, expert_shard_ranks(planned), expert_place)) *
         byte;
}

}  // namespace clusterwright
