// SPDX-License-Identifier: Apache-2.0
#include "models/memory/checkpoint_use.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "models/kernels/collectives/file_traffic.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/kernels/streaming_time.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

/// @param owners  ranks that share one copy, @param place  of this rank among all that hold the parameters
double written_bytes(const PlannedJob& planned, double parameters, double owners, double place) {
  const Sharding sharding = planned.plan.sharding;
  const bool first = place < 1, first_copy = place < owners;
  double bytes = 0;
  if (sharding == Sharding::none ? first : first_copy)
    bytes += parameters * optimizer_state_size(planned, true) / (sharding == Sharding::none ? 1 : owners);
  if (shards_master_weights(planned) && master_copy_size(planned) > 0) return bytes;
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

namespace {

/// Bytes that leave one rank, one host and the whole job, at most.
struct Written {
  Bytes rank, host, all;
  Seconds network;  ///< of all of it, where file servers are on the network
};

Written written_by(const Scenario& s, const Plan& plan) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob c = planned_job(s.transformer, s.job, s.stack, plan, layout);
  const Placement placement(plan, s.cluster.blocks);
  std::map<int, Bytes> hosts;
  Written written;
  std::vector<Demand> writes;
  int file = 0;
  std::optional<FileTraffic> files;
  if (s.cluster.has_files_on_network())
    files.emplace(s.cluster, transport_share(group_links(s.cluster, {}, {}), s.parameters.network));
  for (int p = 0; p < plan.pipeline; ++p)
    for (int d = 0; d < plan.gradient_ranks(); ++d) {
      const Bytes rank = checkpoint_of_rank(c, p, d);
      if (rank <= Bytes{}) continue;
      written.rank = std::max(written.rank, rank);
      for (int t = 0; t < plan.tensor; ++t) {
        Bytes& host = hosts[placement.node({t, d, p}, s.cluster.node_accelerators)];
        host += rank;
        written.host = std::max(written.host, host);
        written.all += rank;
        if (files) files->add_write(writes, placement.accelerator({t, d, p}), file++, rank.in(byte));
      }
    }
  if (files) written.network = files->time(writes);
  return written;
}

struct Narrowest {
  Seconds time;
  std::string what;

  void through(Bytes bytes, const std::optional<BytesPerSecond>& rate, const char* name) {
    if (rate) at_least(bytes / *rate, name);
  }
  void at_least(Seconds other, const char* name) {
    if (other > time) *this = {other, name};
  }
};

/// Device to host, all hosts at once.
Narrowest copy_to_hosts(const Scenario& s, const Written& written) {
  Narrowest copy;
  copy.through(written.rank, host_link_bandwidth(s.cluster, s.parameters), "host link");
  copy.through(written.host, s.cluster.spec.node.host.memory_bandwidth, "host memory");
  return copy;
}

/// File system of the cluster, with fields that the job states instead.
StorageSpec storage_of(const Scenario& s) {
  return filled_in(s.job.input ? s.job.input->storage : StorageSpec{}, s.cluster.spec.storage);
}

}  // namespace

CheckpointSource checkpoint_source(const Scenario& s, const Plan& plan) {
  const Written written = written_by(s, plan);
  Narrowest hosts = copy_to_hosts(s, written);
  hosts.through(written.host, storage_of(s).host_write, "host storage");
  hosts.at_least(written.network, "network");
  return {written.all, hosts.time, hosts.what};
}

CheckpointUse checkpoint_use(const Scenario& s, const Plan& plan, Seconds step) {
  const CheckpointSpec& spec = *s.job.input->checkpoint;
  const Written written = written_by(s, plan);
  const Narrowest copy = copy_to_hosts(s, written);
  Narrowest write = copy;
  const StorageSpec storage = storage_of(s);
  const bool local = spec.to == Store::local;
  write.through(written.host, local ? s.cluster.spec.node.host.nvme_write : storage.host_write, "host storage");
  if (!local) write.through(written.all, storage.write, "file system");
  if (!local) write.at_least(written.network, "network");

  CheckpointUse use{spec.every_steps, written.all, write.time, write.time, write.what, {}};
  if (spec.mode == CheckpointMode::asynchronous) {
    use.stall = copy.time + std::max(Seconds{}, write.time - spec.every_steps * step);
    if (!local) use.contended = written.network;
  }
  return use;
}

}  // namespace clusterwright
