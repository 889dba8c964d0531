// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/stream_groups.hpp"

namespace clusterwright {

namespace {

/// Groups of one stage, kind by kind.
class GroupLister {
 public:
  GroupLister(const Placement& placement, int stage, int together)
      : placement_(placement), plan_(placement.plan()), stage_(stage), together_(together) {}

  std::vector<StreamGroup> list() {
    for (int t = 0; t < plan_.tensor; t += together_) add_replicas(t);
    if (placement_.tensor_group().domains > 1)
      for (int d = 0; d < plan_.gradient_ranks(); ++d) add_tensor_group(d);
    const int block = plan_.expert * plan_.expert_tensor;
    for (int i = 0; block > 1 && i < plan_.stage_ranks(); ++i) {
      const RankCoordinates at{i % plan_.tensor, i / plan_.tensor, stage_};
      if (i % block < plan_.expert_tensor) add(ReplicaGroup::experts, at);
      if (i < block) add(ReplicaGroup::expert_replicas, at);
    }
    return std::move(groups_);
  }

 private:
  void add(ReplicaGroup kind, const RankCoordinates& first) {
    std::vector<RankCoordinates> members = placement_.members(kind, first);
    if (members.size() > 1) groups_.push_back({stream_of(kind), std::move(members)});
  }

  void add_replicas(int tensor) {
    const auto at = [&](int d) { return RankCoordinates{tensor, d, stage_}; };
    const int all = plan_.gradient_ranks();
    for (int d = 0; plan_.context > 1 && d < all; d += plan_.context) add(ReplicaGroup::context, at(d));
    if (plan_.shard_group == all || !plan_.in_groups()) return add(ReplicaGroup::all, at(0));
    for (int d = 0; d < plan_.shard_group; ++d) add(ReplicaGroup::mirrors, at(d));
    for (int d = 0; d < all; d += plan_.shard_group) add(ReplicaGroup::shard, at(d));
  }

  void add_tensor_group(int data) {
    StreamGroup group{Stream::tensor_ring, {}};
    for (int t = 0; t < plan_.tensor; ++t) group.members.push_back({t, data, stage_});
    groups_.push_back(std::move(group));
  }

  const Placement& placement_;
  const Plan& plan_;
  int stage_;
  int together_;
  std::vector<StreamGroup> groups_;
};

}  // namespace

Stream stream_of(ReplicaGroup kind) {
  switch (kind) {
    case ReplicaGroup::context:
      return Stream::context_ring;
    case ReplicaGroup::shard:
      return Stream::shard_ring;
    case ReplicaGroup::mirrors:
      return Stream::mirror_ring;
    case ReplicaGroup::experts:
    case ReplicaGroup::expert_tensor:
      return Stream::experts;
    case ReplicaGroup::expert_replicas:
      return Stream::expert_ring;
    case ReplicaGroup::all:
      break;
  }
  return Stream::data_ring;
}

std::vector<StreamGroup> stage_groups(const Placement& placement, int stage, int together) {
  return GroupLister(placement, stage, together).list();
}

std::vector<StreamGroup> port_groups(const Placement& placement, int stage) {
  const Plan& plan = placement.plan();
  const int mirror = plan.pipeline - 1 - stage;
  std::vector<StreamGroup> out;
  for (int i = 0; i < plan.stage_ranks(); ++i) {
    const RankCoordinates at{i % plan.tensor, i / plan.tensor, stage};
    if (plan.expert_tensor > 1 && i % plan.expert_tensor == 0)
      out.push_back({Stream::expert_parts, placement.members(ReplicaGroup::expert_tensor, at)});
    if (stage < mirror) out.push_back({Stream::stage_pairs, {at, {at.tensor, at.data, mirror}}});
  }
  return out;
}

std::vector<StageMessage> stage_messages(const Plan& plan, const RankCoordinates& from) {
  std::vector<StageMessage> out;
  if (plan.pipeline == 1) return out;
  const bool wraps = plan.virtual_pipeline > 1;
  const auto send = [&](Stream stream, int step) {
    const int to = from.pipeline + step;
    const bool inside = to >= 0 && to < plan.pipeline;
    if (inside || wraps) out.push_back({stream, {from.tensor, from.data, (to + plan.pipeline) % plan.pipeline}});
  };
  send(Stream::forward, 1);
  send(Stream::backward, -1);
  return out;
}

}  // namespace clusterwright
