// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measured_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "calibration/measured/measured_cluster.hpp"
#include "models/kernels/collectives/collective_traffic.hpp"
#include "topology/cluster/cluster_network.hpp"

namespace clusterwright {

namespace {

int rounded_up(int count, int multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

constexpr int tokens_of_bulk_kernels = 256;  // of a rank, and more

/// Machine of whole domains that holds the ranks; one node has NICs if copies inside it take them.
ClusterSpec machine_of(const MeasuredHardware& hardware, int nodes, bool nics_inside,
                       const std::vector<AcceleratorPart>& parts) {
  MeasuredHardware whole = hardware;
  if (nics_inside && hardware.scale_out_kind == "none") whole.scale_out_kind = "infiniband";
  const bool alone = hardware.scale_out_kind == "none" && hardware.scale_up_kind != "pcie";
  if (alone) whole.accelerators_per_node = std::max(hardware.accelerators_per_node, hardware.scale_up_domain);
  const int least = std::max(hardware.accelerators, nodes * whole.accelerators_per_node);
  whole.accelerators = rounded_up(least, std::max(whole.accelerators_per_node, hardware.scale_up_domain));
  return measured_cluster(whole, parts);
}

}  // namespace

MeasuredGroup measured_group(const MeasuredHardware& hardware, const MeasuredCollective& collective,
                             const Catalog& catalog) {
  if (collective.ranks % collective.ranks_per_node != 0)
    throw std::invalid_argument("no model of unevenly filled nodes");
  const int nodes = collective.ranks / collective.ranks_per_node;
  const bool nics_inside = !collective.scale_up_used.value_or(true);
  const ClusterSpec spec = machine_of(hardware, nodes, nics_inside, catalog.accelerators);
  MeasuredGroup out{build_cluster(spec, catalog, JsonValue::object()), {}, {}};
  for (int node = 0; node < nodes; ++node)
    for (int rank = 0; rank < collective.ranks_per_node; ++rank)
      out.members.push_back(AcceleratorId(static_cast<std::size_t>(node * out.cluster.node_accelerators + rank)));
  // Inside one domain the word is of its own switch: sweeps that force rings say so. Across domains it is of the
  // switches between them.
  const bool alone = by_domain(out.members, out.cluster).size() == 1;
  if (alone && collective.in_network_reduction == false) out.cluster.switch_reduction = false;
  if ((nics_inside || out.cluster.has_network()) && !hardware.scale_out)
    out.assumed =
        fmt::format("network rate not published, took {:g} Gbit/s", out.cluster.nic_bandwidth.in(gigabit_per_second));
  return out;
}

ExpertExchange measured_exchange(const MeasuredCollective& collective, const GroupShape& group) {
  ExpertExchange out;
  out.ranks = group.ranks();
  out.ranks_in_domain = group.domains == 1 ? group.ranks() : group.ranks_per_domain;
  out.experts = 256;
  out.top_k = collective.top_k.value_or(8);
  const int domains = out.ranks / out.ranks_in_domain;
  if (const int limit = collective.domain_limit.value_or(0); limit < domains) out.domain_limit = limit;
  const bool bulk = collective.tokens_per_rank.value_or(tokens_of_bulk_kernels) >= tokens_of_bulk_kernels;
  out.transfer = bulk ? Algorithm::hierarchical : Algorithm::direct;
  out.network_only = !bulk && !collective.scale_up_used.value_or(true);
  return out;
}

MeasuredLinks measured_links(const MeasuredGroup& group, const MeasuredCollective& collective) {
  const Cluster& cluster = group.cluster;
  const int domains = static_cast<int>(by_domain(group.members, cluster).size());
  const int ranks = static_cast<int>(group.members.size());
  const GroupShape shape{domains, ranks / domains, ranks % domains};
  StepLatency switches;
  if (domains > 1) {
    const RoutedNetwork& network = cluster.network();
    switches = step_latency(group.members, {cluster, network.graph, network.torus_sides}, *network.routes);
  }
  GroupLinks links = group_links(cluster, group.members, shape, switches);
  links.sharp = collective.in_network_reduction.value_or(false);
  return {shape, links};
}

}  // namespace clusterwright
