// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/uniform_cluster.hpp"

#include <fmt/format.h>

namespace clusterwright {

Cluster uniform_cluster(const Cluster& cluster, int kind) {
  Cluster out = cluster;
  if (!cluster.mixed()) return out;
  NodeGroup nodes = cluster.groups[cluster.group_of_kind(kind)];
  if (kind > 0) {
    out.accelerator = nodes.accelerator;
    out.node_accelerators = nodes.node_accelerators;
    out.nics = nodes.nics;
    out.domain = nodes.domain;
    out.switch_reduction = nodes.switch_reduction;
    out.scale_up_bandwidth = nodes.scale_up_bandwidth;
    out.nic_bandwidth = nodes.nic_bandwidth;
    out.links = nodes.links;
  }
  out.spec.node = cluster.node_of_kind(kind);
  out.spec.also.clear();
  nodes.first_node = NodeId(0);
  nodes.nodes = cluster.nodes();
  nodes.kind = 0;
  out.groups = {nodes};
  return out;
}

int accelerators_of_kind(const Cluster& cluster, int kind) {
  int sum = 0;
  for (const NodeGroup& group : cluster.groups)
    if (group.kind == kind) sum += group.accelerators();
  return sum;
}

std::string kind_name(const Cluster& cluster, int kind) {
  const std::string& id = cluster.groups[cluster.group_of_kind(kind)].accelerator.id;
  for (int other = 0; other < cluster.kinds(); ++other)
    if (other != kind && cluster.groups[cluster.group_of_kind(other)].accelerator.id == id) {
      const std::string& part = cluster.node_of_kind(kind).part;
      return part.empty() ? fmt::format("{} (kind {})", id, kind + 1) : fmt::format("{} in {}", id, part);
    }
  return id;
}

}  // namespace clusterwright
