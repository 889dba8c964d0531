// SPDX-License-Identifier: Apache-2.0
#include "topology/network/network_diameter.hpp"

#include <algorithm>
#include <bit>

#include "topology/graph/switch_arcs.hpp"

namespace clusterwright {

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
