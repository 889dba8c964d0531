// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/other_algorithms.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/collectives/collective_time.hpp"
#include "topology/nodes/torus_block.hpp"

namespace clusterwright {

namespace {

CollectiveTiming between_domains(CollectiveOp op, Algorithm algorithm, Bytes payload, const GroupShape& group,
                                 const GroupLinks& links, const NetworkParameters& network) {
  CollectiveTiming timing;
  timing.algorithm = algorithm;
  timing.crosses_domains = true;
  timing.wire = ring_wire(op, payload, group.ranks());
  timing.rate =
      links.fabric_limit.value_or(group.ranks_per_domain * links.network_per_rank * transport_share(links, network));
  return timing;
}

}  // namespace

CollectiveTiming torus_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                            Seconds pass, const NetworkParameters& network) {
  CollectiveTiming timing = between_domains(op, Algorithm::torus, payload, group, links, network);
  timing.path = passes(op) * pass;
  timing.latency = network.message_latency.value + timing.path;
  return timing;
}

CollectiveTiming halving_doubling_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                       const CollectiveParameters& curve, const NetworkParameters& network) {
  CollectiveTiming timing = between_domains(op, Algorithm::halving_doubling, payload, group, links, network);
  const double stages = passes(op) * std::ceil(std::log2(static_cast<double>(group.domains)));
  timing.path = stages * links.switch_latency.tree;
  timing.latency = stages * network.message_latency.value + timing.path;
  if (group.ranks_per_domain < 2) return timing;
  timing.latency += curve_latency(curve, group.ranks_per_domain);
  timing.rate = std::min(timing.rate, curve_rate(curve, timing.wire, group.ranks(), links.scale_up));
  return timing;
}

namespace {

bool rings(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

/// Links of one chip that the operation keeps busy.
double busy_links(CollectiveOp op, const std::vector<int>& sides, int members) {
  if (rings(op)) return torus_ring_links(sides, members);
  if (op == CollectiveOp::send) return 1;
  return (members - 1) / torus_exchange_load(sides, members);
}

}  // namespace

std::optional<CollectiveTiming> torus_fabric_time(CollectiveOp op, Bytes payload, const GroupShape& group,
                                                  const Cluster& cluster, GroupLinks links,
                                                  const NetworkParameters& network) {
  const FabricSpec& fabric = cluster.spec.fabric;
  const bool torus = fabric.kind == FabricKind::torus && fabric.torus && fabric.torus->wrap;
  if (!torus || group.domains < 2 || cluster.node_accelerators > 1) return {};
  const std::vector<int>& sides = fabric.torus->sides;
  const int members = op == CollectiveOp::send ? 2 : group.domains;
  const BytesPerSecond link = fabric.link_rate.value_or(cluster.nic_bandwidth);
  links.fabric_limit = link * busy_links(op, sides, members) * transport_share(links, network);
  const int hops = op == CollectiveOp::send ? 1 : torus_hops(sides, members);
  CollectiveTiming timing = torus_time(op, payload, group, links, hops * fabric.hop_latency.value, network);
  if (op == CollectiveOp::all_to_all) timing.wire = payload * (static_cast<double>(members - 1) / members);
  return timing;
}

}  // namespace clusterwright
