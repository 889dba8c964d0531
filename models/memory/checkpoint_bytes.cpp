#include "models/memory/checkpoint_bytes.hpp"

#include "models/kernels/kernel_traffic.hpp"
#include "models/memory/parameter_memory.hpp"

namespace clusterwright {

namespace {

/// @param owners  ranks that share one copy, @param place  of this rank among all that hold the parameters
double written_bytes(const MemoryCase& c, double parameters, double owners, double place) {
  const Sharding sharding = c.plan.sharding;
  const bool first = place < 1, first_copy = place < owners;
  double bytes = 0;
  if (sharding == Sharding::none ? first : first_copy)
    bytes += parameters * adam_states() / (sharding == Sharding::none ? 1 : owners);
  if (shards_master_weights(c)) return bytes;
  if (shards_weights(sharding) ? first_copy : first)
    bytes += parameters * bytes_16bit / (shards_weights(sharding) ? owners : 1);
  return bytes;
}

}  // namespace

Bytes checkpoint_of_rank(const MemoryCase& c, int stage, int data) {
  const RankParameters trained = trained_parameters(c, stage);
  const int expert_place = data * c.plan.tensor / (c.plan.expert * c.plan.expert_tensor);
  return (written_bytes(c, trained.common, shard_ranks(c), data) +
          written_bytes(c, trained.routed, expert_shard_ranks(c), expert_place)) *
         byte;
}

}  // namespace clusterwright
