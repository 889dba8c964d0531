#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

std::vector<TrafficStage> tree_traffic(const TrafficBuilder& builder) {
  if (builder.op() != CollectiveOp::all_reduce) builder.refuse("trees only all-reduce");
  const double half = 0.5 / builder.counted();
  const DoubleTree trees = double_binary_tree(static_cast<int>(builder.domains().size()));
  TrafficStage stage;
  for (const auto* tree : {&trees.first, &trees.second})
    for (const auto& [parent, child] : *tree) {
      const auto up = static_cast<std::size_t>(parent), down = static_cast<std::size_t>(child);
      builder.add_edge(stage, down, up, half);
      builder.add_edge(stage, up, down, half);
    }
  return {stage};
}

std::vector<TrafficStage> switch_reduction_traffic(const TrafficBuilder& builder) {
  const CollectiveOp op = builder.op();
  const bool sums = op == CollectiveOp::all_reduce;
  const bool halves = op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
  if (!sums && !(halves && builder.algorithm() != Algorithm::collnet_chain))
    builder.refuse("switches reduce or spread, and a chain only all-reduces");
  TrafficStage stage;
  const std::size_t channels = builder.channels();
  for (std::size_t c = 0; c < channels; ++c) {
    const TrafficBuilder::Ports first = builder.ports(builder.domains().front().members[c]);
    for (int lane = 0; lane < first.count; ++lane) {
      TrafficStage::Reduction reduction;
      for (const DomainShare& domain : builder.domains())
        reduction.members.push_back(builder.endpoint(builder.ports(domain.members[c]), lane));
      reduction.bytes = 1 / (static_cast<double>(channels) * first.count * builder.counted());
      stage.reductions.push_back(std::move(reduction));
    }
  }
  return {stage};
}

}  // namespace clusterwright
