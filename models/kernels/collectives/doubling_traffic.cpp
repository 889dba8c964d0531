#include <algorithm>
#include <bit>

#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

std::vector<TrafficStage> pat_traffic(const TrafficBuilder& builder) {
  const bool scatters = builder.op() == CollectiveOp::reduce_scatter;
  if (builder.op() != CollectiveOp::all_gather && !scatters) builder.refuse("it only gathers and scatters");
  const Communicator& group = builder.group();
  const std::size_t n = group.size();
  std::vector<TrafficStage> stages;
  // A chunk reaches the rank at offset o over the set bits of o, the lowest last: as many chunks as offsets below n
  // have `distance` for their lowest bit are sent so far.
  for (std::size_t distance = std::bit_floor(n - 1); distance > 0; distance /= 2) {
    const std::size_t chunks = (n - 1 + distance) / (2 * distance);
    TrafficStage stage;
    for (std::size_t r = 0; r < n; ++r) {
      const AcceleratorId near = group[r], far = group[(r + distance) % n];
      const double bytes = static_cast<double>(chunks) / static_cast<double>(n - 1);
      builder.add_flow(stage, scatters ? far : near, scatters ? near : far, bytes);
    }
    stages.push_back(std::move(stage));
  }
  if (scatters) std::reverse(stages.begin(), stages.end());
  return stages;
}

std::vector<TrafficStage> halving_doubling_traffic(const TrafficBuilder& builder) {
  const CollectiveOp op = builder.op();
  const std::size_t domains = builder.domains().size();
  if (op == CollectiveOp::all_to_all || op == CollectiveOp::broadcast)
    builder.refuse("it reduces, gathers and scatters");
  if (!std::has_single_bit(domains)) builder.refuse("the number of nodes must be a power of two");
  std::vector<TrafficStage> halving;
  double bytes = 1 / builder.counted();
  for (std::size_t distance = 1; distance < domains; distance *= 2) {
    bytes /= 2;
    TrafficStage stage;
    for (std::size_t d = 0; d < domains; ++d) builder.add_edge(stage, d, d ^ distance, bytes);
    halving.push_back(std::move(stage));
  }
  const std::vector<TrafficStage> doubling(halving.rbegin(), halving.rend());
  if (op == CollectiveOp::all_gather) return doubling;
  if (op == CollectiveOp::all_reduce) halving.insert(halving.end(), doubling.begin(), doubling.end());
  return halving;
}

}  // namespace clusterwright
