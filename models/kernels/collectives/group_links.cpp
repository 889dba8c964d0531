// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/group_links.hpp"

#include <algorithm>
#include <set>

#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"

namespace clusterwright {

namespace {

/// Library and protocols of the links inside a domain.
void add_library(GroupLinks& links, const AcceleratorPart& part) {
  links.generation = nccl_generation(part);
  links.nccl = runs_nccl(part);
  links.by_protocol = links.nccl && links.nvlink && part.vendor != "AMD";  // one curve fits RCCL better
}

/// Largest number of members on one domain with a number of accelerators.
int members_in(int domain, const GroupShape& group) {
  return std::min(group.ranks_per_domain + (group.surplus > 0 ? 1 : 0), domain);
}

GroupLinks links_on(const NodeGroup& kind, const GroupShape& group) {
  const int members = members_in(kind.domain, group);
  GroupLinks links;
  links.scale_up = kind.links.ring_bandwidth(members);
  links.network_per_rank = kind.nic_bandwidth * kind.nics / kind.node_accelerators;
  links.switch_reduction = kind.switch_reduction;
  links.exchange = kind.links.exchange_bandwidth(members);
  links.inner_steps = kind.links.inner_steps(members);
  links.nvlink = kind.links.inner(members) != NodeLinks::LinkClass::pcie;
  add_library(links, kind.accelerator);
  return links;
}

/// Sockets between domains, and what the host has for them.
void add_sockets(GroupLinks& links, const Cluster& cluster) {
  const HostSpec& host = cluster.spec.node.host;
  links.transport = cluster.spec.fabric.transport;
  links.tcp = links.transport == Transport::ethernet;
  if (host.memory_bandwidth) links.host_memory = *host.memory_bandwidth / cluster.node_accelerators;
  if (host.cores) links.host_cores = static_cast<double>(*host.cores) / cluster.node_accelerators;
}

/// Smaller of two rates or counts that are zero where they are not known.
template <class Number>
Number smaller_known(Number a, Number b) {
  if (a <= Number{} || b <= Number{}) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

GroupLinks slower_links(GroupLinks a, const GroupLinks& b) {
  a.scale_up = std::min(a.scale_up, b.scale_up);
  a.network_per_rank = std::min(a.network_per_rank, b.network_per_rank);
  a.switch_reduction = a.switch_reduction && b.switch_reduction;
  a.exchange = std::min(a.exchange, b.exchange);
  a.generation = std::min(a.generation, b.generation);
  a.inner_steps = std::max(a.inner_steps, b.inner_steps);
  a.nvlink = a.nvlink && b.nvlink;
  a.nccl = a.nccl && b.nccl;
  a.by_protocol = a.by_protocol && b.by_protocol;
  a.amd_host = a.amd_host || b.amd_host;
  a.host_memory = smaller_known(a.host_memory, b.host_memory);
  a.host_cores = smaller_known(a.host_cores, b.host_cores);
  return a;
}

StepLatency step_latency(std::size_t domains, const std::function<Seconds(std::size_t, std::size_t)>& between) {
  StepLatency out;
  if (domains < 2) return out;
  for (std::size_t d = 0; d < domains; ++d) {
    const Seconds edge = between(d, (d + 1) % domains);
    out.farthest = std::max(out.farthest, edge);
    out.ring += edge / static_cast<double>(domains);
  }
  double levels = 0;
  for (std::size_t distance = 1; distance < domains; distance *= 2, ++levels) out.tree += between(0, distance);
  out.tree = out.tree / levels;
  return out;
}

GroupLinks group_links(const Cluster& cluster, const GroupShape& group, const StepLatency& switches) {
  const int members = members_in(cluster.domain, group);
  const bool first = group.places.empty() || cluster.links.alike_everywhere();
  GroupLinks links;
  links.scale_up = first ? cluster.inner_bandwidth(members) : cluster.inner_bandwidth(group.places);
  links.network_per_rank = cluster.network_per_accelerator();
  links.switch_latency = switches;
  links.switch_reduction = cluster.switch_reduction;
  links.exchange = first ? cluster.links.exchange_bandwidth(members) : cluster.links.exchange_bandwidth(group.places);
  links.inner_steps = cluster.links.inner_steps(members);
  links.nvlink =
      (first ? cluster.links.inner(members) : cluster.links.inner(group.places)) != NodeLinks::LinkClass::pcie;
  add_library(links, cluster.accelerator);
  add_sockets(links, cluster);
  return links;
}

GroupLinks group_links(const Cluster& cluster, const std::vector<AcceleratorId>& accelerators, const GroupShape& group,
                       const StepLatency& switches) {
  if (!cluster.mixed()) return group_links(cluster, group, switches);
  std::set<const NodeGroup*> kinds;
  for (const AcceleratorId accelerator : accelerators)
    kinds.insert(&cluster.group_of_node(place_of(accelerator, cluster).node));
  GroupLinks links = links_on(**kinds.begin(), group);
  add_sockets(links, cluster);
  for (const NodeGroup* kind : kinds) links = slower_links(links, links_on(*kind, group));
  links.switch_latency = switches;
  return links;
}

}  // namespace clusterwright
