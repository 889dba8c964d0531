#include "models/placement.hpp"

#include <algorithm>

namespace clusterwright {

Placement::Placement(const Plan& plan, RankOrder order, int per_node) : plan_(plan), per_node_(per_node) {
  const int inner = plan.tensor * plan.context;
  const bool data_inside = order == RankOrder::tensor_context_data_pipeline;
  data_stride_ = data_inside ? inner : inner * plan.pipeline;
  pipeline_stride_ = data_inside ? inner * plan.data : inner;
}

int Placement::rank(const RankCoordinates& at) const {
  return at.tensor + at.data * data_stride_ + at.pipeline * pipeline_stride_;
}

GroupShape Placement::tensor_group() const {
  const int nodes = std::max(1, plan_.tensor / per_node_);
  return {nodes, plan_.tensor / nodes};
}

GroupShape Placement::data_group() const {
  int nodes = 1;
  for (int d = 1; d < plan_.data; ++d)
    if (node({0, d, 0}) != node({0, d - 1, 0})) ++nodes;
  // Replicas that do not fill their nodes evenly leave a ring through fewer NICs: the floor is what it can use.
  return {nodes, plan_.data / nodes, plan_.data % nodes};
}

}  // namespace clusterwright
