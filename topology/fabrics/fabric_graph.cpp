#include "topology/fabrics/fabric_graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace clusterwright {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeProperties>;

/// Push-relabel wants integers; a byte per second is fine enough.
std::int64_t whole_bytes_per_second(BytesPerSecond rate) {
  return std::llround(rate.in(byte_per_second));
}

/// One direction of a link. Its residual arc has no capacity of its own: the library takes arcs with capacity for
/// forward ones when it returns excess flow, so the two directions of a link need two pairs.
void add_arc(Graph& graph, std::size_t from, std::size_t to, std::int64_t capacity) {
  const auto arc = boost::add_edge(from, to, graph).first;
  const auto residual = boost::add_edge(to, from, graph).first;
  boost::put(boost::edge_capacity, graph, arc, capacity);
  boost::put(boost::edge_capacity, graph, residual, 0);
  boost::put(boost::edge_reverse, graph, arc, residual);
  boost::put(boost::edge_reverse, graph, residual, arc);
}

}  // namespace

FabricGraph::FabricGraph(const FabricTiers& fabric, const FabricGraphSpec& spec) {
  if (spec.accelerators_per_node < 1 || spec.accelerators < spec.accelerators_per_node || spec.rails < 1)
    throw std::invalid_argument("a fabric graph needs at least one node and one rail");
  if (spec.accelerators % spec.accelerators_per_node != 0)
    throw std::invalid_argument("the accelerators of a fabric graph must fill their nodes");
  nodes_ = spec.accelerators / spec.accelerators_per_node;
  for (int rail = 0; rail < spec.rails; ++rail) connect_rail(fabric, spec);
}

void FabricGraph::connect_rail(const FabricTiers& fabric, const FabricGraphSpec& spec) {
  // What is below the current tier: first the nodes, then the switches of one tier after the other.
  std::size_t below_begin = 0;
  std::size_t below_count = static_cast<std::size_t>(nodes_);
  std::size_t below_size = static_cast<std::size_t>(spec.accelerators_per_node);
  BytesPerSecond uplink = spec.nic_bandwidth;
  for (const FabricTiers::Tier& tier : fabric.tiers()) {
    const std::size_t begin = static_cast<std::size_t>(nodes_) + switches_;
    const std::size_t per_switch = static_cast<std::size_t>(tier.accelerators) / below_size;
    for (std::size_t i = 0; i < below_count; ++i) links_.push_back({below_begin + i, begin + i / per_switch, uplink});
    below_begin = begin;
    below_count = (below_count + per_switch - 1) / per_switch;
    below_size = static_cast<std::size_t>(tier.accelerators);
    switches_ += below_count;
    uplink = tier.uplink_capacity / spec.rails;
  }
}

BytesPerSecond FabricGraph::max_flow(const std::vector<bool>& sends) const {
  if (sends.size() != static_cast<std::size_t>(nodes_)) throw std::invalid_argument("one entry per node is needed");
  const std::size_t source = sends.size() + switches_;
  const std::size_t sink = source + 1;
  Graph graph(sink + 1);
  std::vector<std::int64_t> of_node(sends.size(), 0);
  for (const Link& link : links_) {
    const std::int64_t capacity = whole_bytes_per_second(link.capacity);
    add_arc(graph, link.lower, link.upper, capacity);
    add_arc(graph, link.upper, link.lower, capacity);
    if (link.lower < sends.size()) of_node[link.lower] += capacity;
  }
  for (std::size_t node = 0; node < sends.size(); ++node) {
    const bool sender = sends[node];
    add_arc(graph, sender ? source : node, sender ? node : sink, of_node[node]);
  }
  return static_cast<double>(boost::push_relabel_max_flow(graph, source, sink)) * byte_per_second;
}

BytesPerSecond FabricGraph::bisection() const {
  std::vector<bool> lower(static_cast<std::size_t>(nodes_), false);
  std::fill_n(lower.begin(), nodes_ / 2, true);
  return max_flow(lower);
}

}  // namespace clusterwright
