#include "models/checkpoint_stall.hpp"

#include <algorithm>
#include <map>

#include "models/device_costs.hpp"
#include "models/kernel_traffic.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/placement.hpp"

namespace clusterwright {

namespace {

/// Bytes that leave one rank, one host and the whole job, at most.
struct Written {
  Bytes rank, host, all;
};

Written written_by(const MemoryCase& c, const Placement& placement, int host_accelerators) {
  const Plan& plan = placement.plan();
  std::map<int, Bytes> hosts;
  Written written;
  for (int p = 0; p < plan.pipeline; ++p)
    for (int d = 0; d < plan.gradient_ranks(); ++d) {
      const Bytes rank = checkpoint_of_rank(c, p, d);
      if (rank <= Bytes{}) continue;
      written.rank = std::max(written.rank, rank);
      for (int t = 0; t < plan.tensor; ++t) {
        Bytes& host = hosts[placement.rank({t, d, p}) / host_accelerators];
        host += rank;
        written.host = std::max(written.host, host);
        written.all += rank;
      }
    }
  return written;
}

struct Narrowest {
  Seconds time;
  std::string what;

  void through(Bytes bytes, const std::optional<BytesPerSecond>& rate, const char* name) {
    if (rate && bytes / *rate > time) *this = {bytes / *rate, name};
  }
};

}  // namespace

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

CheckpointUse checkpoint_use(const Scenario& s, const Plan& plan, Seconds step) {
  const CheckpointSpec& spec = *s.job.input->checkpoint;
  const HostSpec& host = s.cluster.spec.node.host;
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const MemoryCase memory = memory_case(s.transformer, s.job, s.stack, plan, layout);
  const Placement placement(plan, s.stack.rank_order, s.cluster.domain);
  const Written written = written_by(memory, placement, s.cluster.node_accelerators);

  Narrowest copy;
  copy.through(written.rank, host_link_bandwidth(s.cluster.accelerator, s.parameters), "host link");
  copy.through(written.host, host.memory_bandwidth, "host memory");
  Narrowest write = copy;
  const StorageSpec storage = filled_in(s.job.input->storage, s.cluster.spec.storage);
  const bool local = spec.to == Store::local;
  write.through(written.host, local ? host.nvme_write : storage.host_write, "host storage");
  if (!local) write.through(written.all, storage.write, "file system");

  CheckpointUse use{spec.every_steps, written.all, write.time, write.time, write.what};
  if (spec.mode == CheckpointMode::asynchronous)
    use.stall = copy.time + std::max(Seconds{}, write.time - spec.every_steps * step);
  return use;
}

}  // namespace clusterwright
