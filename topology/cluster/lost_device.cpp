// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/lost_device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "sim/diagnostic.hpp"

namespace clusterwright {

std::optional<LostDevice> parse_lost_device(const std::string& text) {
  std::string_view rest = text;
  LostDevice device;
  if (rest.starts_with("node:"))
    device.node = true;
  else if (!rest.starts_with("gpu:"))
    return {};
  rest.remove_prefix(rest.find(':') + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), device.number);
  if (error != std::errc() || end != rest.data() + rest.size() || device.number < 0) return {};
  return device;
}

NodeId node_of(const LostDevice& device, const Cluster& cluster) {
  return NodeId(static_cast<std::size_t>(device.node ? device.number : device.number / cluster.node_accelerators));
}

int lost_ranks(const LostDevice& device, const Cluster& cluster) {
  const int count = device.node ? cluster.node_accelerators : 1;
  int ranks = 0;
  if (device.number < cluster.machine_nodes() * cluster.node_accelerators / count)
    for (int i = 0; i < count; ++i)
      if (cluster.blocks.rank(device.number * count + i)) ++ranks;
  if (ranks > 0) return ranks;
  const std::string name = device.node ? fmt::format("node:{}", device.number) : fmt::format("gpu:{}", device.number);
  throw ConfigError(
      {Diagnostic{"E0321",
                  fmt::format("the job does not use {} {}", device.node ? "node" : "accelerator", device.number),
                  {option_place("--fail", name)},
                  "",
                  fmt::format("it runs on {} of the {} accelerators of a machine of {} nodes, both numbered from 0",
                              cluster.spec.accelerators, cluster.machine_nodes() * cluster.node_accelerators,
                              cluster.machine_nodes())}});
}

}  // namespace clusterwright
