// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/kernels/collectives/expert_exchange_time.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "models/kernels/collectives/torus_fabric.hpp"

namespace clusterwright {

namespace {

/// NIC capacity stands a hair above what one ring reaches, so that rounded coefficients never make it contend alone.
constexpr double rounding_slack = 1.0005;

}  // namespace

StepLinks::StepLinks(StepGraphBuilder& builder, const Cluster& cluster, const ParameterSet& parameters,
                     const Placement& placement, const RankClasses& classes, double communication_factor,
                     BytesPerSecond host_bandwidth)
    : builder_(builder),
      cluster_(cluster),
      parameters_(parameters),
      placement_(placement),
      classes_(classes),
      communication_factor_(communication_factor),
      host_bandwidth_(host_bandwidth) {
  const double share = transport_share(group_links(cluster, {}, {}), parameters.network);
  // No factor makes links faster than their data sheets.
  network_factor_ = std::max(communication_factor, share);
  const BytesPerSecond network = cluster.network_per_accelerator() * (share / network_factor_) * rounding_slack;
  const bool scales_up = cluster.scale_up_bandwidth > BytesPerSecond{};
  inner_ = scales_up ? cluster.scale_up_bandwidth : cluster.links.ring_bandwidth(1);
  for (const RankClassId c : classes.ids()) ports_.push_back(add_ports(c, network));
  for (const UplinkBundle& bundle : classes.bundles()) {
    const FabricTiers::Tier& tier = cluster.fabric.tiers()[static_cast<std::size_t>(bundle.tier)];
    uplinks_.push_back(builder.add_resource(fmt::format("{} {} {}", tier.name, bundle.group, bundle.up ? "up" : "down"),
                                            tier.uplink_capacity));
  }
}

StepLinks::Ports StepLinks::add_ports(RankClassId rank_class, BytesPerSecond network) {
  const auto port = [&](const char* kind, BytesPerSecond rate) {
    return builder_.add_resource(fmt::format("{} of class {}", kind, rank_class.value), rate);
  };
  Ports ports;
  if (inner_ > BytesPerSecond{}) {
    ports.scale_up_out = port("scale-up out", inner_);
    ports.scale_up_in = port("scale-up in", inner_);
  }
  if (network > BytesPerSecond{}) {
    ports.network_out = port("network out", network);
    ports.network_in = port("network in", network);
  }
  ports.host_out = port("to host", host_bandwidth_);
  ports.host_in = port("from host", host_bandwidth_);
  return ports;
}

CollectiveTiming StepLinks::collective_timing(CollectiveOp op, Bytes payload, const GroupShape& group,
                                              Seconds switches) const {
  const GroupLinks links = group_links(cluster_, group, switches);
  const auto torus = torus_fabric_time(op, payload, group, cluster_, links, parameters_.network);
  return with_factors(torus ? *torus
                            : collective_time(op, payload, group, links, parameters_.collectives, parameters_.network));
}

CollectiveTiming StepLinks::with_factors(CollectiveTiming timing) const {
  timing.latency = timing.latency * communication_factor_;
  const bool inside = !timing.crosses_nodes && inner_ > BytesPerSecond{};
  timing.rate = timing.rate / (inside ? std::max(communication_factor_, timing.rate / inner_) : network_factor_);
  return timing;
}

ChainId StepLinks::chain(const CollectiveTiming& timing, Uses uses) {
  StepGraphBuilder::Leg leg;
  leg.timing.delay = to_picoseconds(timing.latency);
  leg.timing.bytes = static_cast<std::uint64_t>(std::llround(timing.wire.in(byte)));
  leg.timing.rate_bound = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(timing.rate.in(byte_per_second)));
  leg.uses = std::move(uses);
  return builder_.add_chain({leg});
}

/// A ring over several nodes rotates over the NICs of its members on a node: each carries its share.
void StepLinks::use_ports(Uses& uses, RankClassId c, const CollectiveTiming& timing, int members_per_node) const {
  const Ports& ports = ports_[c];
  if (timing.crosses_nodes) {
    uses.push_back({ports.network_out, 1, timing.network_share / members_per_node});
    uses.push_back({ports.network_in, 1, timing.network_share / members_per_node});
  }
  if (!timing.crosses_nodes || members_per_node > 1) {
    uses.push_back({ports.scale_up_out, 1, timing.scale_up_share});
    uses.push_back({ports.scale_up_in, 1, timing.scale_up_share});
  }
}

void StepLinks::use_uplinks(Uses& uses, Stream stream, RankClassId c, const CollectiveTiming& timing) const {
  for (const RankClasses::Crossing& crossing : classes_.crossings(stream, c))
    uses.push_back({uplinks_[static_cast<std::size_t>(crossing.resource)], static_cast<std::uint32_t>(crossing.count),
                    crossing.passes * timing.network_share});
}

RankClassId StepLinks::tensor_group(RankClassId c) const {
  RankCoordinates at = classes_.representative(c);
  at.tensor = 0;
  return classes_.class_of(at);
}

RankClassId StepLinks::replica_group(ReplicaGroup kind, RankClassId c) const {
  return classes_.class_of(placement_.first_member(kind, classes_.representative(c)));
}

RankClassId StepLinks::receiver(Stream stream, RankClassId c) const {
  RankCoordinates at = classes_.representative(c);
  const int stages = placement_.plan().pipeline;
  at.pipeline = (at.pipeline + (stream == Stream::forward ? 1 : stages - 1)) % stages;
  return classes_.class_of(at);
}

std::vector<RankClassId> StepLinks::classes_of_group(ReplicaGroup kind, RankClassId c) const {
  std::set<RankClassId> members;
  for (const RankCoordinates& at : placement_.members(kind, classes_.representative(c)))
    members.insert(classes_.class_of(at));
  return {members.begin(), members.end()};
}

ChainId StepLinks::tensor(CollectiveOp op, Bytes payload, RankClassId c) {
  const GroupShape group = placement_.tensor_group();
  const Seconds switches = cluster_.fabric.least_latency();
  const CollectiveTiming timing = collective_timing(op, payload, group, switches);
  Uses uses;
  RankCoordinates at = classes_.representative(c);
  for (at.tensor = 0; at.tensor < placement_.plan().tensor; at.tensor += classes_.tensor_ranks_together())
    use_ports(uses, classes_.class_of(at), timing, group.ranks_per_node);
  return chain(timing, std::move(uses));
}

/// A ring advances in step with its longest hop.
Seconds StepLinks::worst_ring_hop(ReplicaGroup kind) const {
  Seconds worst;
  const std::vector<RankCoordinates> ring = placement_.members(kind, {});
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const RankCoordinates &a = ring[i], &b = ring[(i + 1) % ring.size()];
    if (placement_.node(a) != placement_.node(b))
      worst = std::max(worst,
                       cluster_.fabric.latency(AcceleratorId(placement_.rank(a)), AcceleratorId(placement_.rank(b))));
  }
  return worst;
}

ChainId StepLinks::replicas(ReplicaGroup kind, CollectiveOp op, Bytes payload, RankClassId c) {
  const RankClassId group_name = replica_group(kind, c);
  const auto key = std::make_tuple(static_cast<int>(kind), static_cast<int>(op), payload.in(byte), group_name);
  if (const auto found = replica_chains_.find(key); found != replica_chains_.end()) return found->second;
  const GroupShape group = placement_.replica_group(kind);
  const CollectiveTiming timing = collective_timing(op, payload, group, worst_ring_hop(kind));
  Uses uses;
  for (const RankClassId member : classes_of_group(kind, c)) use_ports(uses, member, timing, group.ranks_per_node);
  // Context and shard groups are neighbours; what they put on tapered uplinks is left out (docs/limits.md).
  if (timing.crosses_nodes && kind == ReplicaGroup::all) use_uplinks(uses, Stream::data_ring, group_name, timing);
  if (timing.crosses_nodes && kind == ReplicaGroup::mirrors) use_uplinks(uses, Stream::mirror_ring, group_name, timing);
  if (timing.crosses_nodes && kind == ReplicaGroup::expert_replicas)
    use_uplinks(uses, Stream::expert_ring, group_name, timing);
  return replica_chains_[key] = chain(timing, std::move(uses));
}

/// An all-to-all of the library sends every copy; kernels for experts send one to each node and rank.
CollectiveTiming StepLinks::exchange_timing(const ExpertWork& work, ExpertTransfer transfer, Bytes copy) const {
  const GroupShape group = placement_.replica_group(ReplicaGroup::experts);
  const Seconds switches = worst_ring_hop(ReplicaGroup::experts);
  const ExpertLoad& busy = group.nodes > 1 ? work.traffic.network : work.traffic.scale_up;
  const double imbalance = busy.mean > Bytes{} ? busy.busiest / busy.mean : 1;
  const Bytes payload = work.copies * copy;
  if (transfer == ExpertTransfer::all_to_all)
    return collective_timing(CollectiveOp::all_to_all, payload * imbalance, group, switches);
  const Bytes drawn = work.drawn * byte;  // the traffic is of copies of one byte
  const ExpertShares shares{work.traffic.network.mean / drawn, work.traffic.scale_up.mean / drawn, imbalance};
  CollectiveTiming timing =
      expert_exchange_time(payload, group, group_links(cluster_, group, switches),
                           parameters_.collectives.at("expert_exchange"), parameters_.network, shares);
  timing.network_share = group.ranks_per_node;  // each member sends its own
  return with_factors(timing);
}

ChainId StepLinks::experts(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, RankClassId c) {
  const ReplicaGroup kind = ReplicaGroup::experts;
  const CollectiveTiming timing = exchange_timing(work, transfer, copy);
  const int per_node = placement_.replica_group(kind).ranks_per_node;
  Uses uses;
  for (const RankClassId member : classes_of_group(kind, c)) {
    use_ports(uses, member, timing, per_node);
    if (!timing.crosses_nodes) continue;
    for (const RankClasses::Crossing& crossing : classes_.crossings(Stream::experts, member))
      uses.push_back({uplinks_[static_cast<std::size_t>(crossing.resource)], static_cast<std::uint32_t>(crossing.count),
                      crossing.passes * timing.network_share / per_node});
  }
  return chain(timing, std::move(uses));
}

ChainId StepLinks::context_step(Bytes payload, RankClassId c) {
  const ReplicaGroup kind = ReplicaGroup::context;
  const GroupShape group = placement_.replica_group(kind);
  CollectiveTiming timing;
  if (group.nodes > 1) {
    // Neighbours exchange messages: the one pair at the edge of a node sets the pace of all others.
    timing = collective_timing(CollectiveOp::send, payload, {2, 1}, worst_ring_hop(kind));
    timing.scale_up_share = 1;
  } else {
    const double steps = group.ranks() - 1;
    timing = collective_timing(CollectiveOp::all_gather, group.ranks() * payload, group, {});
    timing.latency = timing.latency / steps;
    timing.wire = timing.wire / steps;
  }
  Uses uses;
  for (const RankClassId member : classes_of_group(kind, c)) use_ports(uses, member, timing, group.ranks_per_node);
  return chain(timing, std::move(uses));
}

ChainId StepLinks::host_issue(Picoseconds time) {
  StepGraphBuilder::Leg leg;
  leg.timing.delay = time;
  leg.timing.rate_bound = 1;
  return builder_.add_chain({leg});
}

ChainId StepLinks::transfer(Bytes payload, BytesPerSecond rate, const Uses& uses) {
  CollectiveTiming timing;
  timing.wire = payload;
  timing.rate = rate;
  return chain(timing, uses);
}

StepGraphBuilder::LegUse StepLinks::host_port(bool to_host, RankClassId c) const {
  return {to_host ? ports_[c].host_out : ports_[c].host_in, 1, 1.0};
}

StepLinks::PoolPath StepLinks::pool_path(PoolLink over, bool out, RankClassId c) const {
  const Ports& ports = ports_[c];
  if (over == PoolLink::scale_up) return {{{out ? ports.scale_up_out : ports.scale_up_in, 1, 1.0}}, inner_};
  if (over == PoolLink::network)
    return {{{out ? ports.network_out : ports.network_in, 1, 1.0}}, cluster_.network_per_accelerator()};
  return {};
}

ChainId StepLinks::message(Stream stream, Bytes payload, RankClassId c) {
  const RankClassId to = receiver(stream, c);
  const RankCoordinates from = classes_.representative(c);
  RankCoordinates target = from;
  target.pipeline = classes_.representative(to).pipeline;
  const bool near = placement_.node(from) == placement_.node(target);
  const GroupShape pair = near ? GroupShape{1, 2} : GroupShape{2, 1};
  const Seconds switches =
      near ? Seconds{}
           : cluster_.fabric.latency(AcceleratorId(placement_.rank(from)), AcceleratorId(placement_.rank(target)));
  const CollectiveTiming timing = collective_timing(CollectiveOp::send, payload, pair, switches);
  Uses uses;
  uses.push_back({near ? ports_[c].scale_up_out : ports_[c].network_out, 1, 1.0});
  uses.push_back({near ? ports_[to].scale_up_in : ports_[to].network_in, 1, 1.0});
  if (!near) use_uplinks(uses, stream, c, timing);
  return chain(timing, std::move(uses));
}

ChainId StepLinks::everywhere() {
  constexpr Bytes few = 8 * byte;
  const int per_node = std::min(placement_.per_node(), cluster_.spec.accelerators);
  const GroupShape all{cluster_.spec.accelerators / per_node, per_node};
  const Seconds switches =
      all.nodes > 1 ? cluster_.fabric.latency(AcceleratorId(0), AcceleratorId(cluster_.spec.accelerators - 1))
                    : Seconds{};
  CollectiveTiming timing;
  timing.latency = collective_timing(CollectiveOp::all_reduce, few, all, switches).time();
  timing.rate = byte_per_second;
  return chain(timing, {});
}

ChainId StepLinks::between_stages(CollectiveOp op, Bytes payload, RankClassId c, int stage) {
  const RankCoordinates here = classes_.representative(c);
  RankCoordinates there = here;
  there.pipeline = stage;
  const bool near = placement_.node(here) == placement_.node(there);
  const Seconds switches =
      near ? Seconds{}
           : cluster_.fabric.latency(AcceleratorId(placement_.rank(here)), AcceleratorId(placement_.rank(there)));
  const CollectiveTiming timing = collective_timing(op, payload, near ? GroupShape{1, 2} : GroupShape{2, 1}, switches);
  Uses uses;
  for (const RankCoordinates& at : {here, there}) use_ports(uses, classes_.class_of(at), timing, near ? 2 : 1);
  return chain(timing, std::move(uses));
}

}  // namespace clusterwright
