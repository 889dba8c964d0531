// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/cluster.hpp"
#include "topology/fabrics/fabric.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"
#include "topology/cluster/cluster_check.hpp"
#include "topology/cluster/cluster_network.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/switch_choice.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
Cluster::Cluster() = default;
Cluster::Cluster(const Cluster&) = default;
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(const Cluster&) = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;
Cluster::~Cluster() = default;

namespace {

ClusterSpec fill_in(ClusterSpec spec, const Catalog& catalog) {
  spec.node = fill_in(spec.node, catalog);
  for (MixedNodesSpec& also : spec.also) also.node = fill_in(also.node, catalog);
  return spec;
}

/// Dimensions a fabric without tiers where several domains need one, once the sizes are sound.
void grow_fabric(Cluster& cluster, const std::optional<NetworkSize>& size, int domain) {
  FabricSpec& fabric = cluster.spec.fabric;
  const int in_node = node_accelerators(cluster.spec.node);
  if (cluster.stock && size && size->nodes * in_node > domain)
    fabric = grown_tree(fabric, *cluster.stock, *size, domain / in_node);
}

/// Chooses switches, and a protocol where none is stated, for a fabric without tiers; and dimensions it.
void open_fabric(Cluster& cluster, const Catalog& catalog, const JsonValue& source, const ClusterChecker& checker) {
  FabricSpec& fabric = cluster.spec.fabric;
  const std::string stated_switch = fabric.switch_part;
  if (!is_open_tree(fabric)) return;
  if (!source.at_pointer("/fabric/transport"))
    fabric.transport = usual_transport(cluster.spec.node, catalog, fabric.transport);
  const std::optional<NetworkSize> size = checker.network_size(nic_reach(cluster.spec.node, catalog, {}).cabled());
  if (!size) return;
  const int domain = checker.shape().domain;
  cluster.stock = tree_stock(cluster.spec, catalog, *size, domain / node_accelerators(cluster.spec.node));
  grow_fabric(cluster, size, domain);
  if (!fabric.tiers.empty())
    cluster.remarks.push_back(grown_tree_remark(fabric, *cluster.stock, !stated_switch.empty()));
}

/// Kind of the last group: that of an earlier one with the same description, or a new one.
int kind_of_last(const Cluster& cluster) {
  const std::vector<NodeGroupSpec> specs = node_groups(cluster.spec);
  const std::size_t last = cluster.groups.size() - 1;
  const auto text = [&](std::size_t group) { return write_json(encode_record(*specs[group].node)); };
  int kinds = 0;
  for (std::size_t g = 0; g < last; ++g) {
    if (text(g) == text(last)) return cluster.groups[g].kind;
    kinds = std::max(kinds, cluster.groups[g].kind + 1);
  }
  return kinds;
}

/// Blocks of the checked cluster; a mixed one has no idle accelerators.
void place_job(Cluster& cluster, const ClusterChecker& checker) {
  NodeGroup& main = cluster.groups.front();
  cluster.blocks = cluster.mixed() ? full_domains(cluster.spec.accelerators, main.domain) : *checker.blocks();
  if (cluster.mixed()) return;
  main.domain = cluster.domain = cluster.blocks.domain;
  main.nodes = cluster.blocks.installed / main.node_accelerators;
}

void describe_nodes(Cluster& cluster, const Catalog& catalog) {
  NodeId next(0);
  const BytesPerSecond port = cluster.ports.endpoint_rate(cluster.spec.fabric.kind);
  for (const NodeGroupSpec& group : node_groups(cluster.spec)) {
    cluster.groups.push_back(make_node_group(*group.node, catalog, next, group.accelerators, port));
    cluster.groups.back().kind = kind_of_last(cluster);
    next = next + cluster.groups.back().nodes;
  }
  const NodeGroup& main = cluster.groups.front();
  cluster.accelerator = main.accelerator;
  cluster.node_accelerators = main.node_accelerators;
  cluster.nics = main.nics;
  cluster.domain = main.domain;
  cluster.switch_reduction = main.switch_reduction;
  cluster.scale_up_bandwidth = main.scale_up_bandwidth;
  cluster.nic_bandwidth = main.nic_bandwidth;
  cluster.links = main.links;
}

void join_nodes(Cluster& cluster) {
  const FabricSpec& fabric = cluster.spec.fabric;
  cluster.fabric = make_fabric_tiers(fabric, cluster.network_size(), cluster.ports);
  cluster.routed = std::make_shared<ClusterNetwork>(fabric, cluster.network_size(), cluster.ports);
}

/// Puts the job's domains on those of the machine.
void scatter_job(Cluster& cluster) {
  const auto& spec = cluster.request.placement;
  if (!spec || cluster.mixed()) return;
  const auto& tiers = cluster.fabric.tiers();
  const int nodes = std::max(1, cluster.blocks.domain / cluster.node_accelerators);
  const int machine = spec->machine_nodes > 0 ? spec->machine_nodes / nodes : cluster.domains();
  const int per_group = tiers.empty() ? machine : std::max(1, tiers.front().accelerators / cluster.blocks.domain);
  auto places = place_domains(*spec, cluster.domains(), machine, per_group);
  if (std::ranges::is_sorted(places) && places.back() + 1 == cluster.domains()) return;
  cluster.blocks.places = std::make_shared<const std::vector<int>>(std::move(places));
}

}  // namespace

const NodeGroup& Cluster::group_of_node(NodeId node) const {
  for (const NodeGroup& group : groups)
    if (group.has(node)) return group;
  if (node < NodeId(mixed() ? network_size().nodes : machine_nodes())) return groups.front();
  throw std::invalid_argument("a node that the cluster does not have");
}

int Cluster::kinds() const {
  int most = 0;
  for (const NodeGroup& group : groups) most = std::max(most, group.kind);
  return most + 1;
}

std::size_t Cluster::group_of_kind(int kind) const {
  const auto found = std::ranges::find(groups, kind, &NodeGroup::kind);
  if (found == groups.end()) throw std::invalid_argument("a kind of nodes that the cluster does not have");
  return static_cast<std::size_t>(found - groups.begin());
}

const NodeSpec& Cluster::node_of_kind(int kind) const {
  const std::size_t group = group_of_kind(kind);
  return group == 0 ? spec.node : spec.also[group - 1].node;
}

int Cluster::kind_of(AcceleratorId member) const {
  if (!mixed()) return 0;
  return group_of_node(NodeId(member.value / static_cast<std::size_t>(node_accelerators))).kind;
}

const AcceleratorPart& Cluster::part_of(AcceleratorId member) const {
  return mixed() ? group_of_node(NodeId(member.value / static_cast<std::size_t>(node_accelerators))).accelerator
                 : accelerator;
}

/// Example: 64 of 72 in nodes of 4 with 4 NICs: 16 whole nodes, one NIC each. 4 of 8 on 8 NICs: one NIC each, on 2
/// NICs: the four share the nearest one.
BytesPerSecond Cluster::network_per_accelerator() const {
  const int used = blocks.used, beyond = used % node_accelerators;
  if (beyond == 0) return nic_bandwidth * nics / node_accelerators;
  const int nearest = (beyond * nics + node_accelerators - 1) / node_accelerators;
  const int all = used / node_accelerators * nics + nearest;
  return nic_bandwidth * all / used;
}

int Cluster::machine_nodes() const {
  const int machine = request.placement ? request.placement->machine_nodes : 0;
  return mixed() ? nodes() : std::max(machine, nodes());
}

NetworkSize Cluster::cabled_size() const {
  return {nodes() + file_servers(), node_accelerators, nics, groups.front().nic_reach.cabled()};
}

const RoutedNetwork& Cluster::network() const {
  return routed->routed();
}

bool Cluster::has_network() const {
  return nics > 0 && nodes() > 1 && spec.fabric.transport != Transport::none && !fabric.tiers().empty();
}

namespace {

/// Rate of rings of the links of a domain, at the scale-up rate that the cluster states.
BytesPerSecond at_stated_rate(const Cluster& cluster, NodeLinks::LinkClass inner, BytesPerSecond ring) {
  if (inner == NodeLinks::LinkClass::pcie) return ring;
  if (inner == NodeLinks::LinkClass::switched) return cluster.scale_up_bandwidth;
  return ring * (cluster.scale_up_bandwidth / cluster.links.wiring().scale_up_rate);
}

}  // namespace

BytesPerSecond Cluster::inner_bandwidth(int members) const {
  return at_stated_rate(*this, links.inner(members), links.ring_bandwidth(members));
}

BytesPerSecond Cluster::inner_bandwidth(const DomainPlaces& places) const {
  return at_stated_rate(*this, links.inner(places), links.ring_bandwidth(places));
}

namespace {

/// @param catalog  the cluster's own parts included
Cluster build_from(const ClusterSpec& spec, const Catalog& catalog, const JsonValue& source, const std::string& pointer,
                   const BlockRequest& request) {
  Cluster cluster;
  cluster.spec = fill_in(spec, catalog);
  cluster.request = request;
  ClusterChecker checker(spec, cluster.spec, catalog, &source, pointer, request);
  checker.check_own_parts();
  checker.check_parts();
  checker.check_wiring();
  checker.check_sizes();
  open_fabric(cluster, catalog, source, checker);
  cluster.spec.fabric.hop_latency = hop_latency(cluster.spec.fabric, catalog);
  checker.check_nesting();
  checker.check_network();
  cluster.ports = fabric_ports(cluster.spec.fabric, catalog);
  checker.check_rules(cluster.ports);
  const BytesPerSecond port = cluster.ports.endpoint_rate(cluster.spec.fabric.kind);
  checker.check_fabric_numbers(cluster.ports, nic_reach(cluster.spec.node, catalog, port).rate());
  checker.finish();
  cluster.remarks.insert(cluster.remarks.end(), checker.remarks().begin(), checker.remarks().end());
  describe_nodes(cluster, catalog);
  place_job(cluster, checker);
  join_nodes(cluster);
  scatter_job(cluster);
  return cluster;
}

}  // namespace

Cluster build_cluster(const ClusterSpec& spec, const Catalog& catalog, const JsonValue& source,
                      const std::string& pointer, const BlockRequest& request) {
  if (!spec.parts) return build_from(spec, catalog, source, pointer, request);
  return build_from(spec, with_own_parts(catalog, spec), source, pointer, request);
}

Cluster resized(const Cluster& cluster, int accelerators) {
  return resized(cluster, accelerators, cluster.request);
}

Cluster resized(const Cluster& cluster, int accelerators, const BlockRequest& request) {
  Cluster other = cluster;
  other.spec.accelerators = accelerators;
  other.request = request;
  Catalog known;
  for (const NodeGroup& group : cluster.groups) known.accelerators.push_back(group.accelerator);
  ClusterChecker checker(other.spec, other.spec, known, nullptr, "", request);
  if (cluster.stock) other.spec.fabric.tiers.clear();
  checker.check_sizes();
  if (cluster.stock) {
    grow_fabric(other, checker.network_size(cluster.cabled_size().nic_rate), checker.shape().domain);
    other.ports = grown_ports(other.spec.fabric, *cluster.stock);
  }
  checker.check_network();
  checker.check_fabric_numbers(other.ports, cluster.nic_bandwidth);
  checker.finish();
  const int more = cluster.mixed() ? (accelerators - cluster.spec.accelerators) / cluster.node_accelerators : 0;
  other.groups.front().nodes += more;
  for (std::size_t g = 1; g < other.groups.size(); ++g) other.groups[g].first_node = other.groups[g].first_node + more;
  place_job(other, checker);
  join_nodes(other);
  scatter_job(other);
  return other;
}

Cluster rehashed(const Cluster& cluster, int routing_seed) {
  Cluster other = cluster;
  other.spec.fabric.routing_seed = routing_seed;
  other.routed = std::make_shared<ClusterNetwork>(cluster.routed, routing_seed);
  return other;
}

}  // namespace clusterwright
