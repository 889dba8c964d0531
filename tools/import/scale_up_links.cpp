// SPDX-License-Identifier: Apache-2.0
#include "tools/import/scale_up_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace clusterwright {

namespace {

/// Bus ids of a GPU and of those of the node that it has links to.
std::set<std::string> neighbourhood(const TopologyGpu& gpu, const std::set<std::string>& in_node) {
  std::set<std::string> out = {gpu.pcie.bus_id};
  for (const auto& [peer, count] : gpu.peers)
    if (in_node.contains(peer)) out.insert(peer);
  return out;
}

int links_to_peers(const TopologyGpu& gpu, const std::set<std::string>& in_node) {
  int sum = 0;
  for (const auto& [peer, count] : gpu.peers) sum += in_node.contains(peer) ? count : 0;
  return sum;
}

/// Equal neighbourhoods of all members are what makes a group a full mesh.
void check_mesh(const NodeTopology& topology, const std::set<std::string>& in_node) {
  std::map<std::string, std::set<std::string>> around;
  for (const TopologyGpu& gpu : topology.gpus) around[gpu.pcie.bus_id] = neighbourhood(gpu, in_node);
  const std::size_t size = around.begin()->second.size();
  for (const TopologyGpu& gpu : topology.gpus) {
    const std::set<std::string>& group = around[gpu.pcie.bus_id];
    const bool full =
        std::all_of(group.begin(), group.end(), [&](const std::string& id) { return around[id] == group; });
    if (full && group.size() == size) continue;
    throw ConfigError({"E0340",
                       "the links between GPUs are neither switched nor a full mesh of groups of one size",
                       {gpu.place},
                       "",
                       "take the <nvlink> elements out to describe PCI Express alone"});
  }
}

}  // namespace

ScaleUpLinks scale_up_links(const NodeTopology& topology) {
  const std::vector<TopologyGpu>& gpus = topology.gpus;
  std::set<std::string> in_node;
  for (const TopologyGpu& gpu : gpus) in_node.insert(gpu.pcie.bus_id);
  ScaleUpLinks out;
  out.group = static_cast<int>(gpus.size());
  const auto to_switches = [](const TopologyGpu& gpu) { return gpu.switch_links > 0; };
  const auto is_seen = [](const TopologyGpu& gpu) { return gpu.compute_capability.has_value(); };
  const bool switched = std::all_of(gpus.begin(), gpus.end(), to_switches);
  const auto links = [&](const TopologyGpu& gpu) { return switched ? gpu.switch_links : links_to_peers(gpu, in_node); };
  const auto fewer = [&](const TopologyGpu& a, const TopologyGpu& b) { return links(a) < links(b); };
  const auto [fewest, most] = std::minmax_element(gpus.begin(), gpus.end(), fewer);
  out.links = links(*fewest);
  out.uneven = out.links != links(*most);
  if (switched) {
    out.wiring = ScaleUpWiring::switched;
  } else if (links(*most) > 0 || std::any_of(gpus.begin(), gpus.end(), to_switches)) {
    check_mesh(topology, in_node);
    out.wiring = ScaleUpWiring::mesh;
    out.group = static_cast<int>(neighbourhood(gpus.front(), in_node).size());
  } else if (std::any_of(gpus.begin(), gpus.end(), is_seen)) {
    out.wiring = ScaleUpWiring::none;
  }
  return out;
}

}  // namespace clusterwright
