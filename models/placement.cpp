#include "models/placement.hpp"

#include <algorithm>

namespace clusterwright {

Placement::Placement(const Plan& plan, RankOrder order, int per_node) : plan_(plan), per_node_(per_node) {
  const int inner = plan.tensor * plan.context;
  const bool data_inside = order == RankOrder::tensor_context_data_pipeline;
  replica_stride_ = data_inside ? inner : inner * plan.pipeline;
  pipeline_stride_ = data_inside ? inner * plan.data : inner;
}

int Placement::rank(const RankCoordinates& at) const {
  return at.tensor + at.data % plan_.context * plan_.tensor + at.data / plan_.context * replica_stride_ +
         at.pipeline * pipeline_stride_;
}

GroupShape Placement::tensor_group() const {
  const int nodes = std::max(1, plan_.tensor / per_node_);
  return {nodes, plan_.tensor / nodes};
}

int Placement::first_member(ReplicaGroup kind, int data) const {
  switch (kind) {
    case ReplicaGroup::context:
      return data - data % plan_.context;
    case ReplicaGroup::shard:
      return data - data % plan_.shard_group;
    case ReplicaGroup::mirrors:
      return data % plan_.shard_group;
    case ReplicaGroup::all:
      break;
  }
  return 0;
}

std::vector<int> Placement::members(ReplicaGroup kind, int data) const {
  const int all = plan_.gradient_ranks();
  const int block = kind == ReplicaGroup::context ? plan_.context : plan_.shard_group;
  const bool apart = kind == ReplicaGroup::mirrors;
  const int count = kind == ReplicaGroup::all ? all : apart ? all / block : block;
  const int first = first_member(kind, data), stride = apart ? block : 1;
  std::vector<int> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(first + i * stride);
  return out;
}

GroupShape Placement::replica_group(ReplicaGroup kind) const {
  const std::vector<int> group = members(kind, 0);
  int nodes = 1;
  for (std::size_t i = 1; i < group.size(); ++i)
    if (node({0, group[i], 0}) != node({0, group[i - 1], 0})) ++nodes;
  const auto ranks = static_cast<int>(group.size());
  // Replicas that do not fill their nodes evenly leave a ring through fewer NICs: the floor is what it can use.
  return {nodes, ranks / nodes, ranks % nodes};
}

}  // namespace clusterwright
