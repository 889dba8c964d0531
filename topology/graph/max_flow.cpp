// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/max_flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "topology/graph/switch_arcs.hpp"

namespace clusterwright {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeProperties>;

/// Capacity for push-relabel, which needs integers; a byte per second is fine enough.
std::int64_t whole_bytes_per_second(BytesPerSecond rate) {
  return std::llround(rate.in(byte_per_second));
}

/// One direction of a link. Its residual arc has no capacity of its own: the library takes arcs with capacity for
/// forward ones when it returns excess flow, so the two directions of a link need two pairs.
void add_arc(FlowGraph& graph, std::size_t from, std::size_t to, BytesPerSecond capacity) {
  const auto arc = boost::add_edge(from, to, graph).first;
  const auto residual = boost::add_edge(to, from, graph).first;
  boost::put(boost::edge_capacity, graph, arc, whole_bytes_per_second(capacity));
  boost::put(boost::edge_capacity, graph, residual, 0);
  boost::put(boost::edge_reverse, graph, arc, residual);
  boost::put(boost::edge_reverse, graph, residual, arc);
}

/// Rates that the endpoints of one switch can send and receive.
struct AtSwitch {
  BytesPerSecond sent;
  BytesPerSecond received;
};

std::vector<AtSwitch> at_switches(const NetworkGraph& graph, const std::vector<bool>& sends) {
  std::vector<AtSwitch> ends(graph.switches());
  for (const VertexId endpoint : graph.endpoint_ids())
    for (const LinkId link : graph.leaving(endpoint)) {
      AtSwitch& at = ends[graph.switch_number(graph.to(link))];
      (sends[graph.node_of(endpoint).value] ? at.sent : at.received) += graph.capacity(link);
    }
  return ends;
}

}  // namespace

/// Endpoints pass nothing on, so their switches stand for them: the source feeds each switch what its senders have.
BytesPerSecond max_flow(const NetworkGraph& graph, const std::vector<bool>& sends) {
  if (sends.size() != static_cast<std::size_t>(graph.nodes()))
    throw std::invalid_argument("one entry per node is needed");
  const SwitchArcs arcs(graph);
  const std::size_t source = arcs.switches();
  const std::size_t sink = source + 1;
  FlowGraph flow(sink + 1);
  for (std::uint32_t v = 0; v < arcs.switches(); ++v)
    for (const SwitchArcs::Arc& arc : arcs.leaving(v)) add_arc(flow, v, arc.to, arc.capacity);
  const std::vector<AtSwitch> ends = at_switches(graph, sends);
  for (std::size_t v = 0; v < ends.size(); ++v) {
    if (ends[v].sent > BytesPerSecond{}) add_arc(flow, source, v, ends[v].sent);
    if (ends[v].received > BytesPerSecond{}) add_arc(flow, v, sink, ends[v].received);
  }
  return static_cast<double>(boost::push_relabel_max_flow(flow, source, sink)) * byte_per_second;
}

}  // namespace clusterwright
