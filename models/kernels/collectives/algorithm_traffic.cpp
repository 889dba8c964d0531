// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/algorithm_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/exchange_traffic.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

TrafficBuilder::TrafficBuilder(CollectiveOp op, Algorithm algorithm, const Communicator& group,
                               const TrafficContext& context)
    : op_(op), algorithm_(algorithm), group_(group), context_(context), domains_(by_domain(group, context.cluster)) {}

std::size_t TrafficBuilder::channels() const {
  std::size_t fewest = group_.size();
  for (const DomainShare& domain : domains_) fewest = std::min(fewest, domain.members.size());
  return fewest;
}

double TrafficBuilder::counted() const {
  if (op_ != CollectiveOp::all_to_all) return ring_wire(op_, 1 * byte, static_cast<int>(group_.size())).in(byte);
  const auto members = static_cast<double>(group_.size() / domains_.size());
  return (ranks() - members) / ranks();
}

TrafficBuilder::Ports TrafficBuilder::ports(AcceleratorId accelerator) const {
  const AcceleratorPlace place = place_of(accelerator, context_.cluster);
  const NodeLinks& links = context_.cluster.group_of_node(place.node).links;
  const int first = links.nic_of(place.position);
  // With more NICs than accelerators, an accelerator has those up to the first of the next one.
  const PcieShape& node = links.wiring().pcie;
  const int next = place.position + 1 < node.accelerators ? links.nic_of(place.position + 1) : node.nics;
  return {place.node, first, std::max(1, next - first)};
}

VertexId TrafficBuilder::endpoint(const Ports& ports, int lane) const {
  const int nic = ports.first + lane % ports.count;
  if (nic >= context_.graph.rails()) throw std::invalid_argument("a NIC that the network does not have");
  return context_.graph.working_endpoint(ports.node, nic);
}

bool TrafficBuilder::same_domain(AcceleratorId a, AcceleratorId b) const {
  return place_of(a, context_.cluster).domain == place_of(b, context_.cluster).domain;
}

bool TrafficBuilder::separate_rails() const {
  const FabricSpec& fabric = context_.cluster.spec.fabric;
  return fabric.kind == FabricKind::fat_tree && fabric.rails == RailLayout::planes;
}

void TrafficBuilder::add_flow(std::vector<Demand>& demands, AcceleratorId from, AcceleratorId to, double bytes) const {
  if (same_domain(from, to)) return;
  const Ports in = ports(to);
  Ports out = ports(from);
  if (separate_rails()) out.first = in.first, out.count = in.count;
  const int lanes = std::max(out.count, in.count);
  for (int lane = 0; lane < lanes; ++lane) demands.push_back({endpoint(out, lane), endpoint(in, lane), bytes / lanes});
}

void TrafficBuilder::add_edge(TrafficStage& stage, std::size_t from, std::size_t to, double bytes) const {
  const std::vector<AcceleratorId>& out = domains_[from].members;
  const std::vector<AcceleratorId>& in = domains_[to].members;
  const std::size_t shared = std::min(out.size(), in.size());
  for (std::size_t c = 0; c < shared; ++c) add_flow(stage.demands, out[c], in[c], bytes / static_cast<double>(shared));
}

void TrafficBuilder::refuse(const std::string& why) const {
  throw ConfigError(Diagnostic{
      "E0332", fmt::format("{} cannot run here: {}", name_of(algorithm_), why), {}, {}, "choose another algorithm"});
}

void gather(std::vector<Demand>& demands) {
  std::stable_sort(demands.begin(), demands.end(),
                   [](const Demand& a, const Demand& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  std::size_t kept = 0;
  for (const Demand& demand : demands) {
    if (kept > 0 && demands[kept - 1].from == demand.from && demands[kept - 1].to == demand.to)
      demands[kept - 1].bytes += demand.bytes;
    else
      demands[kept++] = demand;
  }
  demands.resize(kept);
}

namespace {

/// @param node  1 or more
int parent_of(int node, int nodes) {
  const int low = node & -node;
  const int above = node - low;
  const int beside = above | (2 * low);
  return beside < nodes ? beside : above;
}

}  // namespace

DoubleTree double_binary_tree(int nodes) {
  const bool mirrored = nodes % 2 == 0;
  const auto moved = [&](int node) { return mirrored ? nodes - 1 - node : (node + 1) % nodes; };
  DoubleTree trees;
  for (int node = 1; node < nodes; ++node) {
    const int parent = parent_of(node, nodes);
    trees.first.emplace_back(parent, node);
    trees.second.emplace_back(moved(parent), moved(node));
  }
  return trees;
}

std::vector<TrafficStage> ring_traffic(const TrafficBuilder& builder) {
  if (builder.op() == CollectiveOp::all_to_all) builder.refuse("a ring does not perform an all-to-all");
  const std::size_t domains = builder.domains().size();
  const std::size_t edges = builder.op() == CollectiveOp::broadcast ? domains - 1 : domains;
  TrafficStage stage;
  for (std::size_t d = 0; d < edges; ++d) builder.add_edge(stage, d, (d + 1) % domains, 1);
  return {stage};
}

std::vector<TrafficStage> send_traffic(const TrafficBuilder& builder) {
  if (builder.algorithm() != Algorithm::direct) builder.refuse("a message goes directly to its receiver");
  const Communicator& group = builder.group();
  TrafficStage stage;
  for (std::size_t r = 0; r < group.size(); ++r)
    builder.add_flow(stage.demands, group[r], group[(r + 1) % group.size()], 1);
  return {stage};
}

std::vector<TrafficStage> tree_traffic(const TrafficBuilder& builder) {
  if (builder.op() != CollectiveOp::all_reduce) builder.refuse("trees perform only all-reduce");
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
    builder.refuse("switches perform only reductions and broadcasts, and a chain only all-reduce");
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

std::vector<TrafficStage> pat_traffic(const TrafficBuilder& builder) {
  const bool scatters = builder.op() == CollectiveOp::reduce_scatter;
  if (builder.op() != CollectiveOp::all_gather && !scatters)
    builder.refuse("it performs only all-gather and reduce-scatter");
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
      builder.add_flow(stage.demands, scatters ? far : near, scatters ? near : far, bytes);
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
    builder.refuse("it performs only all-reduce, all-gather and reduce-scatter");
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

namespace {

/// Domains of a group on a grid of nodes.
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

  /// Rings along an axis: two round a closed ring; one along a line, which it comes back by the other direction.
  int ways(std::size_t axis) const {
    if (length(axis) < 2) return 0;
    return length(axis) == static_cast<std::size_t>(sides_[axis]) && sides_[axis] > 2 ? 2 : 1;
  }

  /// Domain `steps` further along an axis, around its end.
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
  if (builder.context().torus_sides.empty()) builder.refuse("the fabric is not a torus with closed rings");
  if (cluster.domain != cluster.node_accelerators)
    builder.refuse("several nodes of the torus form one scale-up domain");
  if (builder.op() == CollectiveOp::broadcast)
    builder.refuse("it performs only all-reduce, all-gather and reduce-scatter");
}

}  // namespace

std::vector<TrafficStage> torus_traffic(const TrafficBuilder& builder) {
  check_torus(builder);
  if (builder.op() == CollectiveOp::all_to_all) return direct_traffic(builder);
  const NodeBlock block(builder);
  if (!block.full()) builder.refuse("the nodes of the group do not form a block of the torus");
  double ways = 0;
  for (std::size_t axis = 0; axis < block.axes(); ++axis) ways += block.ways(axis);
  TrafficStage stage;
  for (const auto& [at, domain] : block.domains())
    for (std::size_t axis = 0; axis < block.axes(); ++axis) {
      if (block.ways(axis) > 0) builder.add_edge(stage, domain, block.neighbour(at, axis, 1), 1 / ways);
      if (block.ways(axis) > 1)
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
