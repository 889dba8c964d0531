#include <algorithm>
#include <map>
#include <optional>

#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

namespace {

/// The domains of a group on a grid of nodes.
class NodeBlock {
 public:
  explicit NodeBlock(const TrafficBuilder& builder) : sides_(builder.context().torus_sides), used_(sides_.size()) {
    const auto& domains = builder.domains();
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const std::vector<int> at = coordinates(place_of(domains[d].members.front(), builder.context().cluster).node);
      domain_.emplace(at, d);
      for (std::size_t axis = 0; axis < at.size(); ++axis) used_[axis].push_back(at[axis]);
    }
    std::size_t volume = 1;
    for (std::vector<int>& used : used_) {
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      volume *= used.size();
    }
    full_ = volume == domains.size();
  }

  bool full() const { return full_; }
  std::size_t axes() const { return used_.size(); }
  std::size_t length(std::size_t axis) const { return used_[axis].size(); }
  const std::map<std::vector<int>, std::size_t>& domains() const { return domain_; }

  /// The domain `steps` further along an axis, around its end.
  std::size_t neighbour(std::vector<int> at, std::size_t axis, std::size_t steps) const {
    const std::vector<int>& used = used_[axis];
    const auto index = static_cast<std::size_t>(std::find(used.begin(), used.end(), at[axis]) - used.begin());
    at[axis] = used[(index + steps) % used.size()];
    return domain_.at(at);
  }

 private:
  std::vector<int> coordinates(NodeId node) const {
    std::vector<int> at;
    int rest = node - NodeId(0);
    for (const int side : sides_) at.push_back(rest % side), rest /= side;
    return at;
  }

  const std::vector<int>& sides_;
  std::vector<std::vector<int>> used_;  // coordinates along each axis
  std::map<std::vector<int>, std::size_t> domain_;
  bool full_ = false;
};

void check_torus(const TrafficBuilder& builder) {
  const Cluster& cluster = builder.context().cluster;
  if (builder.context().torus_sides.empty()) builder.refuse("the fabric is no torus with closed rings");
  if (cluster.domain != cluster.node_accelerators) builder.refuse("several nodes of the torus are one inner domain");
  if (builder.op() == CollectiveOp::broadcast) builder.refuse("it gathers, scatters and reduces");
}

}  // namespace

std::vector<TrafficStage> torus_traffic(const TrafficBuilder& builder) {
  check_torus(builder);
  if (builder.op() == CollectiveOp::all_to_all) return direct_traffic(builder);
  const NodeBlock block(builder);
  if (!block.full()) builder.refuse("the nodes of the group are no block of the torus");
  double ways = 0;
  for (std::size_t axis = 0; axis < block.axes(); ++axis) ways += block.length(axis) > 1 ? 2 : 0;
  TrafficStage stage;
  for (const auto& [at, domain] : block.domains())
    for (std::size_t axis = 0; axis < block.axes(); ++axis) {
      if (block.length(axis) < 2) continue;
      builder.add_edge(stage, domain, block.neighbour(at, axis, 1), 1 / ways);
      builder.add_edge(stage, domain, block.neighbour(at, axis, block.length(axis) - 1), 1 / ways);
    }
  return {stage};
}

int torus_hops(const Communicator& group, const TrafficContext& context) {
  if (context.torus_sides.empty()) return 0;
  const std::optional<TorusSpec>& torus = context.cluster.spec.fabric.torus;
  const bool closed = !torus || torus->wrap;
  const NodeBlock block(TrafficBuilder(CollectiveOp::all_gather, Algorithm::torus, group, context));
  int hops = 0;
  for (std::size_t axis = 0; axis < block.axes(); ++axis) {
    const int length = static_cast<int>(block.length(axis));
    hops += closed && length == context.torus_sides[axis] ? length / 2 : length - 1;
  }
  return hops;
}

}  // namespace clusterwright
