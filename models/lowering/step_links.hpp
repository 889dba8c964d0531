// SPDX-License-Identifier: Apache-2.0
/// Chains of communication between the rank classes of a step graph.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "models/lowering/class_groups.hpp"
#include "models/lowering/group_timings.hpp"
#include "models/lowering/price_log.hpp"
#include "models/lowering/rank_ports.hpp"
#include "models/plan/placement.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class StepLinks {
 public:
  StepLinks(StepGraphBuilder& builder, const GroupTimings& timings, const RankPorts& ports, const Placement& placement,
            const RankClasses& classes, const ClassGroups& groups, PriceLog* log);

  /// A collective of the tensor group that holds class `c`.
  ChainId tensor(CollectiveOp op, Bytes payload, RankClassId c);
  /// A collective over the group of `kind` that holds class `c`.
  ChainId replicas(ReplicaGroup kind, CollectiveOp op, Bytes payload, RankClassId c);
  /// One of the steps in which keys and values go round the context group. @param payload  bytes of one rank
  ChainId context_step(Bytes payload, RankClassId c);
  /// Tokens of class `c` on their way to experts, or back. @param work  of a layer, @param copy  bytes of one copy of a
  /// token
  ChainId experts(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, RankClassId c);
  /// A pipeline message from class `c` along `stream`. @param payload  bytes that this rank sends
  ChainId message(Stream stream, Bytes payload, RankClassId c);
  /// A collective of a rank of class `c` with the rank of `stage` that differs from it in nothing else.
  ChainId between_stages(CollectiveOp op, Bytes payload, RankClassId c, int stage);
  /// A few bytes reduced over every rank of the job, or of a group that trains apart.
  ChainId everywhere();
  /// A meeting in which nothing travels.
  ChainId nothing();
  /// One transfer without latency. @param rate  where nothing that it uses is short
  ChainId transfer(Bytes payload, BytesPerSecond rate, const RankPorts::Uses& uses);

 private:
  using Uses = RankPorts::Uses;

  /// @param nics  members of the group in a domain, over whose NICs it goes
  ChainId chain(const CollectiveTiming& timing, Uses uses, int nics = 1);
  /// The same chain, noted for pictures of the traffic. @param members  ranks that share the traffic of `timing`
  ChainId noted(ChainId chain, Stream stream, std::vector<RankClassId> classes, const CollectiveTiming& timing,
                int members = 1);
  void keep(PriceCall call);
  const StepLatency& latency(ReplicaGroup kind);
  void limit_by_fabric(ReplicaGroup kind, CollectiveOp op, CollectiveTiming& timing) const;
  GroupShape shape(ReplicaGroup kind);
  /// Domains of the ranks that do every step together.
  std::vector<int> domains_in_step() const;
  const std::vector<RankClassId>& members(ReplicaGroup kind, RankClassId c);
  Seconds hop(const RankCoordinates& from, const RankCoordinates& to) const;
  /// Classes of the tensor group that holds class `c`.
  std::vector<RankClassId> tensor_members(RankClassId c) const;
  CollectiveTiming pair_timing(CollectiveOp op, Bytes payload, const RankCoordinates& a,
                               const RankCoordinates& b) const;

  StepGraphBuilder& builder_;
  const GroupTimings& timings_;
  const RankPorts& ports_;
  const Placement& placement_;
  const RankClasses& classes_;
  const ClassGroups& groups_;
  PriceLog* log_;
  std::array<std::optional<GroupShape>, replica_group_count> shapes_;                 // by ReplicaGroup
  std::map<std::pair<ReplicaGroup, RankClassId>, std::vector<RankClassId>> members_;  // by the name of the group
  std::array<std::optional<StepLatency>, replica_group_count> latencies_;             // by ReplicaGroup
  std::map<std::tuple<int, int, double, RankClassId>, ChainId> replica_chains_;       // by kind, op, bytes and group
};

}  // namespace clusterwright
