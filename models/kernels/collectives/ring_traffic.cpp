#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

std::vector<TrafficStage> ring_traffic(const TrafficBuilder& builder) {
  if (builder.op() == CollectiveOp::all_to_all) builder.refuse("a ring does not exchange all with all");
  const std::size_t domains = builder.domains().size();
  const std::size_t edges = builder.op() == CollectiveOp::broadcast ? domains - 1 : domains;
  TrafficStage stage;
  for (std::size_t d = 0; d < edges; ++d) builder.add_edge(stage, d, (d + 1) % domains, 1);
  return {stage};
}

std::vector<TrafficStage> send_traffic(const TrafficBuilder& builder) {
  if (builder.algorithm() != Algorithm::direct) builder.refuse("a message goes straight to its receiver");
  const Communicator& group = builder.group();
  TrafficStage stage;
  for (std::size_t r = 0; r < group.size(); ++r) builder.add_flow(stage, group[r], group[(r + 1) % group.size()], 1);
  return {stage};
}

}  // namespace clusterwright
