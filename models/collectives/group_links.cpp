#include "models/collectives/group_links.hpp"

#include <algorithm>
#include <set>

#include "models/collectives/communicator.hpp"
#include "models/collectives/nccl_generation.hpp"

namespace clusterwright {

GroupLinks group_links(const Cluster& cluster, const GroupShape& group, Seconds switches) {
  const int members = std::min(group.ranks_per_node + (group.surplus > 0 ? 1 : 0), cluster.domain);
  GroupLinks links;
  links.scale_up = cluster.inner_bandwidth(members);
  links.network_per_rank = cluster.network_per_accelerator();
  links.switch_latency = switches;
  links.switch_reduction = cluster.switch_reduction;
  links.exchange = cluster.links.exchange_bandwidth(members);
  links.generation = nccl_generation(cluster.accelerator);
  links.nvlink = cluster.links.inner(members) != NodeLinks::LinkClass::pcie;
  return links;
}

GroupLinks group_links(const Cluster& cluster, const std::vector<int>& accelerators, const GroupShape& group,
                       Seconds switches) {
  GroupLinks links = group_links(cluster, group, switches);
  if (!cluster.mixed()) return links;
  std::set<int> first_nodes;
  for (const int accelerator : accelerators) {
    const NodeGroup& kind = cluster.group_of_node(place_of(accelerator, cluster).node);
    if (!first_nodes.insert(kind.first_node).second) continue;
    const int members = std::min(group.ranks_per_node, kind.domain);
    links.scale_up = std::min(links.scale_up, kind.links.ring_bandwidth(members));
    links.exchange = std::min(links.exchange, kind.links.exchange_bandwidth(members));
    links.network_per_rank = std::min(links.network_per_rank, kind.nic_bandwidth * kind.nics / kind.node_accelerators);
    links.switch_reduction = links.switch_reduction && kind.switch_reduction;
    links.generation = std::min(links.generation, nccl_generation(kind.accelerator));
    links.nvlink = links.nvlink && kind.links.inner(members) != NodeLinks::LinkClass::pcie;
  }
  return links;
}

}  // namespace clusterwright
