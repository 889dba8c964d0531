// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/network_facts.hpp"

#include <algorithm>
#include <bit>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

#include "topology/graph/max_flow.hpp"
#include "topology/graph/switch_arcs.hpp"

namespace clusterwright {

namespace {

/// Connected components over working links.
class Components {
 public:
  explicit Components(const NetworkGraph& graph)
      : rank_(graph.vertices(), 0), parent_(graph.vertices()), sets_(rank_.data(), parent_.data()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const LinkId link : graph.cable_ids())
      if (graph.works(link)) sets_.union_set(graph.from(link).value, graph.to(link).value);
  }

  bool joined(VertexId a, VertexId b) { return sets_.find_set(a.value) == sets_.find_set(b.value); }

 private:
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> parent_;  // vertex numbers
  boost::disjoint_sets<std::uint32_t*, std::uint32_t*> sets_;
};

std::optional<std::pair<VertexId, VertexId>> first_pair_apart(const NetworkGraph& graph, Components& components) {
  for (const NodeId node : graph.node_ids())
    for (int rail = 0; rail < graph.rails(); ++rail)
      if (const VertexId a = graph.endpoint(NodeId(0), rail), b = graph.endpoint(node, rail); !components.joined(a, b))
        return std::make_pair(a, b);
  return std::nullopt;
}

bool rails_meet(const NetworkGraph& graph, Components& components) {
  for (int rail = 1; rail < graph.rails(); ++rail)
    if (!components.joined(graph.endpoint(NodeId(0), 0), graph.endpoint(NodeId(0), rail))) return false;
  return true;
}

/// Halves of a torus along one axis, as the nodes that send.
std::vector<bool> lower_half(const std::vector<int>& sides, std::size_t axis, int nodes) {
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= sides[i];
  std::vector<bool> sends;
  for (int n = 0; n < nodes; ++n) sends.push_back(n / stride % sides[axis] < sides[axis] / 2);
  return sends;
}

}  // namespace

std::optional<std::pair<VertexId, VertexId>> first_pair_apart(const NetworkGraph& graph) {
  Components components(graph);
  return first_pair_apart(graph, components);
}

bool rails_meet(const NetworkGraph& graph) {
  Components components(graph);
  return rails_meet(graph, components);
}

BytesPerSecond network_bisection(const Network& network) {
  const NetworkGraph& graph = network.graph;
  std::vector<bool> lower(static_cast<std::size_t>(graph.nodes()), false);
  std::fill_n(lower.begin(), graph.nodes() / 2, true);
  BytesPerSecond least = max_flow(graph, lower);
  for (std::size_t axis = 0; axis < network.torus_sides.size(); ++axis)
    if (network.torus_sides[axis] % 2 == 0)
      least = std::min(least, max_flow(graph, lower_half(network.torus_sides, axis, graph.nodes())));
  return least;
}

NetworkFacts network_facts(const Network& network) {
  const NetworkGraph& graph = network.graph;
  NetworkFacts facts;
  for (const SwitchTier& tier : graph.tiers()) facts.switches.push_back({tier.name, tier.count});
  const std::vector<std::size_t> cables = graph.cables_by_kind();
  for (std::size_t kind = 0; kind < cables.size(); ++kind)
    facts.cables.push_back({graph.link_kinds()[kind].name, cables[kind]});
  facts.diameter = network_diameter(network);
  facts.bisection = network_bisection(network);
  Components components(graph);
  facts.rails_meet = rails_meet(graph, components);
  facts.apart = first_pair_apart(graph, components);
  return facts;
}

namespace {

/// Visits of arcs beyond which sources are sampled: about a second.
constexpr std::size_t most_arc_visits = 1'000'000'000;
constexpr std::size_t word_bits = 64;

/// Switches with working endpoint cables.
std::vector<std::uint32_t> attachment_switches(const NetworkGraph& graph) {
  std::vector<std::uint32_t> switches;
  for (const VertexId endpoint : graph.endpoint_ids())
    for (const LinkId link : graph.leaving(endpoint))
      if (graph.works(link)) switches.push_back(graph.switch_number(graph.to(link)));
  std::sort(switches.begin(), switches.end());
  switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
  return switches;
}

/// Cables from the sources to the attachment switch farthest from one of them; up to 64 sources at once, a bit each.
int farthest(const SwitchArcs& arcs, const std::vector<std::uint32_t>& attachments,
             const std::vector<std::uint32_t>& sources) {
  std::vector<std::uint64_t> reached(arcs.switches(), 0);
  for (std::size_t bit = 0; bit < sources.size(); ++bit) reached[sources[bit]] |= std::uint64_t{1} << bit;
  std::vector<std::uint64_t> next = reached;
  int last_new = 0;
  for (int distance = 1;; ++distance) {
    for (std::uint32_t v = 0; v < arcs.switches(); ++v)
      for (const SwitchArcs::Arc& arc : arcs.leaving(v)) next[v] |= reached[arc.to];  // both ways alike
    if (next == reached) return last_new;
    const auto gained = [&](std::uint32_t v) { return next[v] != reached[v]; };
    if (std::any_of(attachments.begin(), attachments.end(), gained)) last_new = distance;
    reached = next;
  }
}

/// In a torus or mesh without failures no router is farther from others than the corner is.
bool corner_is_enough(const Network& network) {
  if (network.torus_sides.empty()) return false;
  for (const LinkId link : network.graph.cable_ids())
    if (!network.graph.works(link)) return false;
  return true;
}

std::vector<std::uint32_t> spread_sample(const std::vector<std::uint32_t>& all, std::size_t count) {
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(all[i * all.size() / count]);
  return sample;
}

}  // namespace

Diameter network_diameter(const Network& network) {
  const NetworkGraph& graph = network.graph;
  const SwitchArcs arcs(graph);
  const std::vector<std::uint32_t> attachments = attachment_switches(graph);
  if (attachments.empty()) return {0, true};
  std::vector<std::uint32_t> sources = attachments;
  bool exact = true;
  if (corner_is_enough(network)) {
    sources = {attachments.front()};
  } else {
    // A first pass tells how many steps one batch takes.
    const std::vector<std::uint32_t> first = spread_sample(attachments, std::min(word_bits, attachments.size()));
    const auto steps = static_cast<std::size_t>(farthest(arcs, attachments, first)) + 2;
    const std::size_t batches = std::max<std::size_t>(1, most_arc_visits / (steps * (arcs.size() + 1)));
    exact = attachments.size() <= batches * word_bits;
    if (!exact) sources = spread_sample(attachments, batches * word_bits);
  }
  int most = 0;
  for (std::size_t begin = 0; begin < sources.size(); begin += word_bits) {
    const std::size_t end = std::min(begin + word_bits, sources.size());
    most = std::max(most, farthest(arcs, attachments,
                                   {sources.begin() + static_cast<std::ptrdiff_t>(begin),
                                    sources.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return {most + 1, exact};
}

}  // namespace clusterwright
