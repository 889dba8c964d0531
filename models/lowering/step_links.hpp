// SPDX-License-Identifier: Apache-2.0
/// Links of the folded machine as resources of a step graph, and the chains of communication that cross them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "models/job/stack_experts.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/placement.hpp"
#include "sim/step_graph_builder.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

class StepLinks {
 public:
  StepLinks(StepGraphBuilder& builder, const Cluster& cluster, const ParameterSet& parameters,
            const Placement& placement, const RankClasses& classes, double communication_factor,
            BytesPerSecond host_bandwidth);

  /// A collective of a tensor group that holds class `c`.
  ChainId tensor(CollectiveOp op, Bytes payload, RankClassId c);
  /// A collective over the group of `kind` that the ranks of class `c` belong to.
  ChainId replicas(ReplicaGroup kind, CollectiveOp op, Bytes payload, RankClassId c);
  /// One of the steps in which keys and values go round the context group. @param payload  of one rank
  ChainId context_step(Bytes payload, RankClassId c);
  /// Tokens of class `c` on their way to experts, or back. @param copy  bytes of one copy of a token
  ChainId experts(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, RankClassId c);
  /// A pipeline message from class `c` along `stream`. @param payload  bytes that this rank sends
  ChainId message(Stream stream, Bytes payload, RankClassId c);
  /// A few bytes reduced over every rank of the job.
  ChainId everywhere();
  /// Ranks meet, and nothing travels.
  ChainId nothing() { return host_issue({}); }
  /// The host is busy, and nothing else.
  ChainId host_issue(Picoseconds time);
  /// A collective of a rank of class `c` with the one of `stage` that differs from it in nothing else.
  ChainId between_stages(CollectiveOp op, Bytes payload, RankClassId c, int stage);
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// One transfer without latency, as fast as `rate` where nothing that it uses is short.
  ChainId transfer(Bytes payload, BytesPerSecond rate, const Uses& uses);
  /// Of a rank of class `c` to its host, or back.
  StepGraphBuilder::LegUse host_port(bool to_host, RankClassId c) const;
  /// Of a rank of class `c` to pooled memory, or back: the links that it shares with collectives, and their rate.
  struct PoolPath {
    Uses uses;
    BytesPerSecond rate;  ///< zero over links of its own
  };
  PoolPath pool_path(PoolLink over, bool out, RankClassId c) const;

  /// Lowest class of each group that `c` belongs to: names the group.
  RankClassId tensor_group(RankClassId c) const;
  RankClassId replica_group(ReplicaGroup kind, RankClassId c) const;
  /// Class at the other end of a message from `c`.
  RankClassId receiver(Stream stream, RankClassId c) const;

 private:
  ChainId chain(const CollectiveTiming& timing, Uses uses);
  CollectiveTiming with_factors(CollectiveTiming timing) const;
  CollectiveTiming exchange_timing(const ExpertWork& work, ExpertTransfer transfer, Bytes copy) const;
  CollectiveTiming collective_timing(CollectiveOp op, Bytes payload, const GroupShape& group, Seconds switches) const;
  void use_ports(Uses& uses, RankClassId c, const CollectiveTiming& timing, int members_per_node) const;
  void use_uplinks(Uses& uses, Stream stream, RankClassId c, const CollectiveTiming& timing) const;
  std::vector<RankClassId> classes_of_group(ReplicaGroup kind, RankClassId c) const;
  Seconds worst_ring_hop(ReplicaGroup kind) const;

  struct Ports {
    ResourceId scale_up_out, scale_up_in, network_out, network_in, host_out, host_in;
  };
  Ports add_ports(RankClassId rank_class, BytesPerSecond network);

  StepGraphBuilder& builder_;
  const Cluster& cluster_;
  const ParameterSet& parameters_;
  const Placement& placement_;
  const RankClasses& classes_;
  double communication_factor_;  // time of collectives over what microbenchmarks say
  double network_factor_ = 1;    // the same between nodes, where the data sheet may be the limit
  BytesPerSecond inner_;         // of scale-up links or PCI Express, one accelerator, one direction
  BytesPerSecond host_bandwidth_;
  IndexedVector<RankClassId, Ports> ports_;
  std::vector<ResourceId> uplinks_;  // by RankClasses resource number
  std::map<std::tuple<int, int, double, RankClassId>, ChainId> replica_chains_;
};

}  // namespace clusterwright
