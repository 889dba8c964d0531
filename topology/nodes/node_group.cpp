// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_group.hpp"

#include <algorithm>

#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

NodeGroup make_node_group(const NodeSpec& node, const Catalog& catalog, NodeId first_node, int accelerators,
                          BytesPerSecond port) {
  NodeGroup group;
  group.accelerator = *catalog.find_accelerator(node.accelerator);
  group.accelerator.power_limit = accelerator_limit(node, group.accelerator);
  group.first_node = first_node;
  group.node_accelerators = node_accelerators(node);
  group.nodes = accelerators / group.node_accelerators;
  group.nics = node_nics(node);
  group.nic_reach = nic_reach(node, catalog, port);
  group.nic_bandwidth = group.nic_reach.rate();
  group.host_power = node.host_power;
  const NodeWiring wiring = wire_node(node, group.accelerator, group.nic_bandwidth);
  group.scale_up_bandwidth = wiring.scale_up_rate;
  group.domain = std::max(group.node_accelerators, wiring.domain);
  const auto& reduction = group.accelerator.switch_reduction;
  group.switch_reduction =
      reduction && reduction->value && wiring.scale_up == ScaleUpWiring::switched && wiring.domain == group.domain;
  group.links = NodeLinks(wiring);
  return group;
}

}  // namespace clusterwright
