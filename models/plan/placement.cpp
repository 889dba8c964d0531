// SPDX-License-Identifier: Apache-2.0
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"

#include <algorithm>

namespace clusterwright {

Placement::Placement(const Plan& plan, int domain_size)
    : Placement(plan, full_domains(plan.accelerators(), domain_size)) {}

Placement::Placement(const Plan& plan, const DomainBlocks& blocks) : plan_(plan), blocks_(blocks) {
  const int inner = plan.tensor * plan.context;
  const bool data_inside = plan.rank_order == RankOrder::tensor_context_data_pipeline;
  replica_stride_ = data_inside ? inner : inner * plan.pipeline;
  pipeline_stride_ = data_inside ? inner * plan.data : inner;
}

int Placement::rank(const RankCoordinates& at) const {
  return at.tensor + at.data % plan_.context * plan_.tensor + at.data / plan_.context * replica_stride_ +
         at.pipeline * pipeline_stride_;
}

GroupShape Placement::tensor_group() const {
  const int domains = std::max(1, plan_.tensor / blocks_.used);
  return {domains, plan_.tensor / domains};
}

Placement::Sequence Placement::sequence(ReplicaGroup kind, const RankCoordinates& of) const {
  const int along_data = plan_.tensor, all = plan_.gradient_ranks();
  const int split = plan_.expert_tensor, block = split * plan_.expert;
  const int own = of.tensor + of.data * along_data;
  const auto from = [&](int data, int stride, int count) {
    return Sequence{of.tensor + data * along_data, stride * along_data, count};
  };
  switch (kind) {
    case ReplicaGroup::all:
      return from(0, 1, all);
    case ReplicaGroup::context:
      return from(of.data - of.data % plan_.context, 1, plan_.context);
    case ReplicaGroup::shard:
      return from(of.data - of.data % plan_.shard_group, 1, plan_.shard_group);
    case ReplicaGroup::mirrors:
      return from(of.data % plan_.shard_group, plan_.shard_group, all / plan_.shard_group);
    case ReplicaGroup::experts:
      return {own - own % block + own % split, split, plan_.expert};
    case ReplicaGroup::expert_tensor:
      return {own - own % split, 1, split};
    case ReplicaGroup::expert_replicas:
      return {own % block, block, plan_.expert_replicas()};
  }
  return {own, 1, 1};
}

RankCoordinates Placement::of_stage(int index, int pipeline) const {
  return {index % plan_.tensor, index / plan_.tensor, pipeline};
}

RankCoordinates Placement::first_member(ReplicaGroup kind, const RankCoordinates& of) const {
  return of_stage(sequence(kind, of).first, of.pipeline);
}

std::vector<RankCoordinates> Placement::members(ReplicaGroup kind, const RankCoordinates& of) const {
  const Sequence group = sequence(kind, of);
  std::vector<RankCoordinates> out;
  out.reserve(static_cast<std::size_t>(group.count));
  for (int i = 0; i < group.count; ++i) out.push_back(of_stage(group.first + i * group.stride, of.pipeline));
  return out;
}

GroupShape Placement::replica_group(ReplicaGroup kind) const {
  const std::vector<RankCoordinates> group = members(kind, {});
  int domains = 1;
  for (std::size_t i = 1; i < group.size(); ++i)
    if (domain(group[i]) != domain(group[i - 1])) ++domains;
  const auto ranks = static_cast<int>(group.size());
  // Replicas that do not fill their domains evenly leave a ring through fewer NICs: the floor is what it can use.
  return {domains, ranks / domains, ranks % domains, places(group)};
}

/// Places of a group in its first domain, and of its like, shifted as often as they fit beside each other; nothing
/// where its members are the first ones.
DomainPlaces Placement::places(const std::vector<RankCoordinates>& group) const {
  std::vector<int> own;  // ranks within the domain
  for (const RankCoordinates& at : group)
    if (domain(at) == domain(group.front())) own.push_back(rank(at) % blocks_.used);
  if (own.empty() || own.back() - own.front() + 1 == static_cast<int>(own.size())) return {};
  DomainPlaces out;
  std::vector<char> taken(static_cast<std::size_t>(blocks_.used), false);
  for (int shift = -own.front(); shift + own.back() < blocks_.used; ++shift) {
    const auto is_taken = [&](int at) { return taken[static_cast<std::size_t>(at + shift)] != 0; };
    if (std::ranges::any_of(own, is_taken)) continue;
    std::vector<int>& beside = out.emplace_back();
    for (const int at : own) {
      taken[static_cast<std::size_t>(at + shift)] = true;
      beside.push_back(place(at + shift));
    }
  }
  return out;
}

GroupShape Placement::pair(const RankCoordinates& a, const RankCoordinates& b) const {
  if (domain(a) != domain(b)) return {2, 1};
  const int first = domain(a) * blocks_.used, from = rank(a), step = rank(b) - from;
  const auto stage = [&](int rank) { return rank / pipeline_stride_ % plan_.pipeline; };
  GroupShape out{1, 2, 0, {{place(from), place(from + step)}}};
  for (int other = first; other < first + blocks_.used; ++other) {
    const bool inside = other + step >= first && other + step < first + blocks_.used;
    if (inside && other != from && stage(other) == stage(from))
      out.places.push_back({place(other), place(other + step)});
  }
  return out;
}

int Placement::members_in_domain(ReplicaGroup kind) const {
  const std::vector<RankCoordinates> group = members(kind, {});
  return static_cast<int>(
      std::count_if(group.begin(), group.end(), [&](const auto& at) { return domain(at) == domain(group.front()); }));
}

}  // namespace clusterwright
