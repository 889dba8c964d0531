/// Where the ranks of a plan sit.
#pragma once

#include "models/collectives/collective_cost.hpp"
#include "models/prediction.hpp"
#include "models/stack.hpp"

namespace clusterwright {

/// A rank by its place in each parallel dimension.
struct RankCoordinates {
  int tensor = 0;
  int data = 0;
  int pipeline = 0;
};

/// Ranks are numbered by the stack's order of dimensions and fill node after node.
class Placement {
 public:
  /// @pre tensor divides the node or is a multiple of it
  Placement(const Plan& plan, RankOrder order, int per_node);

  int rank(const RankCoordinates& at) const;
  int node(const RankCoordinates& at) const { return rank(at) / per_node_; }
  const Plan& plan() const { return plan_; }
  int per_node() const { return per_node_; }

  /// Shape of the tensor group, and of the data-parallel group of (tensor 0, stage 0).
  GroupShape tensor_group() const;
  GroupShape data_group() const;

 private:
  Plan plan_;
  int per_node_;
  int data_stride_;
  int pipeline_stride_;
};

}  // namespace clusterwright
