/// Where the ranks of a plan sit.
#pragma once

#include <vector>

#include "models/collectives/collective_cost.hpp"
#include "models/prediction.hpp"
#include "models/stack.hpp"

namespace clusterwright {

/// A rank by its place in each parallel dimension. `data` counts all ranks that hold the same weights: context ranks
/// innermost, then replicas of the batch.
struct RankCoordinates {
  int tensor = 0;
  int data = 0;
  int pipeline = 0;
};

/// Ranks along `data` that talk to each other: all; the context ranks of one replica; those that share one copy of the
/// weights; and those that hold the same part of different copies.
enum class ReplicaGroup : int { all, context, shard, mirrors };

/// Ranks are numbered by the stack's order of dimensions and fill node after node.
class Placement {
 public:
  /// @pre tensor divides the node or is a multiple of it
  Placement(const Plan& plan, RankOrder order, int per_node);

  int rank(const RankCoordinates& at) const;
  int node(const RankCoordinates& at) const { return rank(at) / per_node_; }
  const Plan& plan() const { return plan_; }
  int per_node() const { return per_node_; }

  /// Shape of the tensor group, and of the first group of its kind at (tensor 0, stage 0).
  GroupShape tensor_group() const;
  GroupShape replica_group(ReplicaGroup kind) const;
  /// First value of `data` in the group of `kind` that holds `data`: names the group.
  int first_member(ReplicaGroup kind, int data) const;
  /// Values of `data` in the group of `kind` that holds `data`.
  std::vector<int> members(ReplicaGroup kind, int data) const;

 private:
  Plan plan_;
  int per_node_;
  int replica_stride_;
  int pipeline_stride_;
};

}  // namespace clusterwright
