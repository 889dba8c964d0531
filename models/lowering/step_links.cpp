// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_links.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/lowering/graph_loads.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/step_machine.hpp"

namespace clusterwright {

namespace {

/// Share of a contended link: queue pairs on all NICs of a domain that carry one unit of progress, over those of a
/// message. A ring over g members of a domain is 1/g of its progress on each of g NICs, so it counts g times: then it
/// and a message get equally many bytes of a NIC that they share. Inside a domain queue pairs count for nothing.
/// @param nics  members in a domain, each with NICs of its own
std::uint32_t weight(const CollectiveTiming& timing, int nics) {
  if (!timing.crosses_domains) return 1;
  const double pairs = timing.queue_pairs * nics / timing.network_share;
  return static_cast<std::uint32_t>(std::max(1L, std::lround(pairs / usual_queue_pairs)));
}

}  // namespace

StepLinks::StepLinks(StepGraphBuilder& builder, const GroupTimings& timings, const RankPorts& ports,
                     const Placement& placement, const RankClasses& classes, const ClassGroups& groups, PriceLog* log)
    : builder_(builder),
      timings_(timings),
      ports_(ports),
      placement_(placement),
      classes_(classes),
      groups_(groups),
      log_(log) {}

void StepLinks::keep(PriceCall call) {
  if (log_) log_->add(std::move(call));
}

ChainId StepLinks::chain(const CollectiveTiming& timing, Uses uses, int nics) {
  StepGraphBuilder::Leg leg;
  leg.timing.delay = to_picoseconds(timing.latency);
  leg.timing.bytes = static_cast<std::uint64_t>(std::llround(timing.wire.in(byte)));
  leg.timing.rate_bound = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(timing.rate.in(byte_per_second)));
  leg.timing.weight = weight(timing, nics);
  leg.uses = std::move(uses);
  return builder_.add_chain({leg});
}

ChainId StepLinks::noted(ChainId chain, Stream stream, std::vector<RankClassId> classes, const CollectiveTiming& timing,
                         int members) {
  if (!log_) return chain;
  std::ranges::sort(classes);
  const auto [first, last] = std::ranges::unique(classes);
  classes.erase(first, last);
  const double share = timing.crosses_domains ? timing.network_share / (members * payload_share(timing.protocol)) : 0;
  log_->add({chain, stream, std::move(classes), share});
  return chain;
}

/// Latency of the switches between two ranks; zero inside a domain.
Seconds StepLinks::hop(const RankCoordinates& from, const RankCoordinates& to) const {
  if (placement_.domain(from) == placement_.domain(to)) return {};
  return timings_.cluster().fabric.latency(placement_.accelerator(from), placement_.accelerator(to));
}

/// Between the domains of the first group of a kind.
const StepLatency& StepLinks::latency(ReplicaGroup kind) {
  std::optional<StepLatency>& known = latencies_[static_cast<std::size_t>(kind)];
  if (known) return *known;
  std::vector<RankCoordinates> firsts;  // of each domain
  for (const RankCoordinates& at : placement_.members(kind, {}))
    if (firsts.empty() || placement_.domain(firsts.back()) != placement_.domain(at)) firsts.push_back(at);
  known = step_latency(firsts.size(), [&](std::size_t a, std::size_t b) { return hop(firsts[a], firsts[b]); });
  return *known;
}

/// Streams are laid as rings and exchanges. Other algorithms load other links: these hold them to what all groups of
/// the kind get at once.
void StepLinks::limit_by_fabric(ReplicaGroup kind, CollectiveOp op, CollectiveTiming& timing) const {
  const bool as_laid = timing.algorithm == Algorithm::ring || op == CollectiveOp::all_to_all;
  if (!timing.crosses_domains || as_laid || !uses_graph(timings_.cluster())) return;
  const double seconds = seconds_at_once(kind, op, timing.algorithm, placement_, timings_.cluster());
  if (seconds > 0)
    timing.rate =
        std::min(timing.rate, timings_.fabric_share() * payload_share(timing.protocol) / seconds * byte_per_second);
}

GroupShape StepLinks::shape(ReplicaGroup kind) {
  std::optional<GroupShape>& known = shapes_[static_cast<std::size_t>(kind)];
  if (!known) known = placement_.replica_group(kind);
  return *known;
}

const std::vector<RankClassId>& StepLinks::members(ReplicaGroup kind, RankClassId c) {
  const auto [entry, fresh] = members_.try_emplace({kind, groups_.replica_group(kind, c)});
  if (fresh) entry->second = groups_.members(kind, c);
  return entry->second;
}

CollectiveTiming StepLinks::pair_timing(CollectiveOp op, Bytes payload, const RankCoordinates& a,
                                        const RankCoordinates& b) const {
  return timings_.collective(op, payload, placement_.pair(a, b), hop(a, b),
                             {classes_.class_of(a), classes_.class_of(b)});
}

std::vector<RankClassId> StepLinks::tensor_members(RankClassId c) const {
  if (classes_.in_step(c)) return {c};
  std::vector<RankClassId> members;
  RankCoordinates at = classes_.representative(c);
  for (at.tensor = 0; at.tensor < placement_.plan().tensor; at.tensor += classes_.tensor_ranks_together())
    for (const RankClassId member : classes_.classes_of_slice(classes_.slice_of(at))) members.push_back(member);
  return members;
}

ChainId StepLinks::tensor(CollectiveOp op, Bytes payload, RankClassId c) {
  keep([=](PriceSheet& sheet) { sheet.machine.links().tensor(op, payload, c); });
  const GroupShape group = placement_.tensor_group();
  const StepLatency switches = timings_.cluster().fabric.least_latency();
  std::vector<RankClassId> members = tensor_members(c);
  const CollectiveTiming timing = timings_.collective(op, payload, group, switches, members);
  Uses uses;
  for (const RankClassId member : members) ports_.use(uses, member, timing, group.ranks_per_domain);
  if (classes_.in_step(c)) return chain(timing, std::move(uses), group.ranks_per_domain);
  if (timing.crosses_domains) ports_.use_uplinks(uses, Stream::tensor_ring, groups_.tensor_group(c), timing);
  return noted(chain(timing, std::move(uses), group.ranks_per_domain), Stream::tensor_ring, std::move(members), timing);
}

ChainId StepLinks::replicas(ReplicaGroup kind, CollectiveOp op, Bytes payload, RankClassId c) {
  const RankClassId name = groups_.replica_group(kind, c);
  const auto key = std::make_tuple(static_cast<int>(kind), static_cast<int>(op), payload.in(byte), name);
  if (const auto found = replica_chains_.find(key); found != replica_chains_.end()) return found->second;
  keep([=](PriceSheet& sheet) { sheet.machine.links().replicas(kind, op, payload, c); });
  const GroupShape group = shape(kind);
  CollectiveTiming timing = timings_.collective(op, payload, group, latency(kind), members(kind, c));
  limit_by_fabric(kind, op, timing);
  Uses uses;
  for (const RankClassId member : members(kind, c)) ports_.use(uses, member, timing, group.ranks_per_domain);
  if (timing.crosses_domains && kind != ReplicaGroup::expert_tensor)
    ports_.use_uplinks(uses, stream_of(kind), name, timing);
  const Stream stream = kind == ReplicaGroup::expert_tensor ? Stream::expert_parts : stream_of(kind);
  return replica_chains_[key] =
             noted(chain(timing, std::move(uses), group.ranks_per_domain), stream, members(kind, c), timing);
}

ChainId StepLinks::experts(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, RankClassId c) {
  keep([=](PriceSheet& sheet) { sheet.machine.links().experts(sheet.step.experts, transfer, copy, c); });
  const ReplicaGroup kind = ReplicaGroup::experts;
  const GroupShape group = shape(kind);
  const CollectiveTiming timing =
      timings_.expert_exchange(work, transfer, copy, group, latency(kind), members(kind, c));
  Uses uses;
  for (const RankClassId member : members(kind, c)) {
    ports_.use(uses, member, timing, group.ranks_per_domain);
    if (timing.crosses_domains && member == classes_.slice_of(member))
      ports_.use_uplinks(uses, Stream::experts, member, timing, group.ranks_per_domain);
  }
  return noted(chain(timing, std::move(uses), group.ranks_per_domain), Stream::experts, members(kind, c), timing,
               group.ranks_per_domain);
}

ChainId StepLinks::context_step(Bytes payload, RankClassId c) {
  keep([=](PriceSheet& sheet) { sheet.machine.links().context_step(payload, c); });
  const ReplicaGroup kind = ReplicaGroup::context;
  const GroupShape group = shape(kind);
  CollectiveTiming timing;
  if (group.domains > 1) {
    // Neighbours exchange messages: the one pair at the edge of a domain sets the pace of all others.
    timing = timings_.collective(CollectiveOp::send, payload, {2, 1}, latency(kind).farthest, members(kind, c));
    timing.scale_up_share = 1;
  } else {
    const double steps = group.ranks() - 1;
    timing = timings_.collective(CollectiveOp::all_gather, group.ranks() * payload, group, {}, members(kind, c));
    timing.latency = timing.latency / steps;
    timing.wire = timing.wire / steps;
  }
  Uses uses;
  for (const RankClassId member : members(kind, c)) ports_.use(uses, member, timing, group.ranks_per_domain);
  if (timing.crosses_domains) ports_.use_uplinks(uses, Stream::context_ring, groups_.replica_group(kind, c), timing);
  return noted(chain(timing, std::move(uses), group.ranks_per_domain), Stream::context_ring, members(kind, c), timing);
}

ChainId StepLinks::nothing() {
  StepGraphBuilder::Leg leg;
  leg.timing.rate_bound = 1;
  return builder_.add_chain({leg});
}

ChainId StepLinks::transfer(Bytes payload, BytesPerSecond rate, const RankPorts::Uses& uses) {
  CollectiveTiming timing;
  timing.wire = payload;
  timing.rate = rate;
  return chain(timing, uses);
}

ChainId StepLinks::message(Stream stream, Bytes payload, RankClassId c) {
  keep([=](PriceSheet& sheet) { sheet.machine.links().message(stream, payload, c); });
  const RankClassId to = groups_.receiver(stream, c);
  const RankCoordinates from = classes_.representative(c);
  RankCoordinates target = from;
  target.pipeline = classes_.representative(to).pipeline;
  const CollectiveTiming timing = pair_timing(CollectiveOp::send, payload, from, target);
  const bool near = placement_.domain(from) == placement_.domain(target);
  Uses uses;
  std::vector<RankClassId> senders = classes_.classes_of_slice(c);
  for (const RankClassId sender : senders) ports_.use_sender(uses, sender, near);
  for (const RankClassId receiver : classes_.classes_of_slice(to)) ports_.use_receiver(uses, receiver, near);
  if (!near) ports_.use_uplinks(uses, stream, classes_.slice_of(c), timing);
  return noted(chain(timing, std::move(uses)), stream, std::move(senders), timing);
}

std::vector<int> StepLinks::domains_in_step() const {
  const Plan& plan = placement_.plan();
  std::vector<int> domains;
  if (plan.local_steps == 1) {
    domains.resize(
        static_cast<std::size_t>(std::max(1, timings_.cluster().spec.accelerators / placement_.domain_size())));
    std::iota(domains.begin(), domains.end(), 0);
    return domains;
  }
  for (int p = 0; p < plan.pipeline; ++p)
    for (int d = 0; d < plan.shard_group; ++d)
      for (int t = 0; t < plan.tensor; ++t) domains.push_back(placement_.domain({t, d, p}));
  std::ranges::sort(domains);
  domains.erase(std::ranges::unique(domains).begin(), domains.end());
  return domains;
}

ChainId StepLinks::everywhere() {
  constexpr Bytes few = 8 * byte;
  const Cluster& cluster = timings_.cluster();
  const Plan& plan = placement_.plan();
  const std::vector<int> domains = domains_in_step();
  const auto count = static_cast<int>(domains.size());
  const int ranks = plan.local_steps == 1
                        ? cluster.spec.accelerators
                        : plan.stage_ranks() / plan.gradient_ranks() * plan.shard_group * plan.pipeline;
  const GroupShape all{count, std::min(placement_.domain_size(), ranks / count)};
  const auto first = [&](std::size_t i) { return cluster.blocks.accelerator(domains[i] * placement_.domain_size()); };
  const StepLatency switches = step_latency(
      domains.size(), [&](std::size_t a, std::size_t b) { return cluster.fabric.latency(first(a), first(b)); });
  const std::vector<RankClassId> every(classes_.ids().begin(), classes_.ids().end());
  CollectiveTiming timing;
  timing.latency = timings_.collective(CollectiveOp::all_reduce, few, all, switches, every).time();
  timing.rate = byte_per_second;
  return chain(timing, {});
}

ChainId StepLinks::between_stages(CollectiveOp op, Bytes payload, RankClassId c, int stage) {
  keep([=](PriceSheet& sheet) { sheet.machine.links().between_stages(op, payload, c, stage); });
  const RankCoordinates here = classes_.representative(c);
  RankCoordinates there = here;
  there.pipeline = stage;
  const bool near = placement_.domain(here) == placement_.domain(there);
  const CollectiveTiming timing = pair_timing(op, payload, here, there);
  Uses uses;
  std::vector<RankClassId> members;
  for (const RankCoordinates& at : {here, there})
    for (const RankClassId member : classes_.classes_of_slice(classes_.slice_of(at)))
      ports_.use(uses, members.emplace_back(member), timing, near ? 2 : 1);
  return noted(chain(timing, std::move(uses)), Stream::stage_pairs, std::move(members), timing);
}

}  // namespace clusterwright
