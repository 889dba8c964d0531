// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/site_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "models/site/plant/group_advice.hpp"
#include "models/site/plant/link_parts.hpp"
#include "sim/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/switch_choice.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/fabrics/fat_tree.hpp"
#include "topology/fabrics/grown_tree.hpp"

namespace clusterwright {

namespace {

/// Nodes below each switch. Vertices of lower tiers have lower numbers, so one pass sees each switch after all below
/// it.
std::vector<NodeSpan> spans_of(const NetworkGraph& graph, int nodes) {
  std::vector<NodeSpan> spans(graph.switches());
  std::vector<std::size_t> tier(graph.switches());
  for (std::size_t level = 0; level < graph.tiers().size(); ++level)
    for (const VertexId vertex : graph.tiers()[level].switches()) tier[graph.switch_number(vertex)] = level;
  const auto widen = [](NodeSpan& span, NodeSpan by) {
    if (by.empty()) return;
    if (span.empty()) span = by;
    span = {std::min(span.first, by.first), std::max(span.last, by.last)};
  };
  const auto number = [&](VertexId vertex) { return graph.switch_number(vertex); };
  for (const VertexId vertex : graph.vertex_ids()) {
    const bool endpoint = graph.is_endpoint(vertex);
    const int node = endpoint ? graph.node_of(vertex) - NodeId(0) : 0;
    const NodeSpan own = !endpoint ? spans[number(vertex)] : node < nodes ? NodeSpan{node, node} : NodeSpan{};
    for (const LinkId link : graph.leaving(vertex)) {
      const VertexId to = graph.to(link);
      if (to < vertex || graph.is_endpoint(to)) continue;
      if (endpoint || tier[number(to)] != tier[number(vertex)]) widen(spans[number(to)], own);
    }
  }
  return spans;
}

/// A switch without nodes stands with the nodes of its group: with the last group where that has none.
void join_groups(std::vector<NodeSpan>& spans, const std::vector<int>& groups, int nodes) {
  std::map<int, NodeSpan> of_group;
  for (std::size_t s = 0; s < groups.size(); ++s) {
    if (spans[s].empty()) continue;
    NodeSpan& all = of_group.try_emplace(groups[s], spans[s]).first->second;
    all = {std::min(all.first, spans[s].first), std::max(all.last, spans[s].last)};
  }
  for (std::size_t s = 0; s < groups.size(); ++s) {
    const auto found = of_group.find(groups[s]);
    if (spans[s].empty()) spans[s] = found != of_group.end() ? found->second : NodeSpan{nodes - 1, nodes - 1};
  }
}

const SwitchPart* part_of_tier(const FabricSpec& fabric, std::size_t tier, const Catalog& catalog) {
  if (fabric.kind != FabricKind::fat_tree) return catalog.find_switch(fabric.switch_part);
  return tier < fabric.tiers.size() ? catalog.find_switch(fabric.tiers[tier].switch_part) : nullptr;
}

long long switches_of(const FatTreeTier& tier, const NetworkSize& size) {
  return static_cast<long long>(tier.switches()) * tier.rails * ((size.nodes + tier.nodes - 1) / tier.nodes);
}

/// Cheapest tree: tries every switch in every tier that names none.
class SwitchChooser {
 public:
  SwitchChooser(const Cluster& cluster, const Catalog& catalog)
      : catalog_(catalog),
        size_(site_size(cluster.spec.fabric, cluster.cabled_size())),
        candidates_(switches_for(cluster.spec.fabric.transport, cluster.cabled_size().nic_rate, catalog)) {}

  std::optional<FabricSpec> choose(const FabricSpec& written) {
    FabricSpec fabric = written;
    fill(fabric, 0);
    return best_;
  }

 private:
  void fill(FabricSpec& fabric, std::size_t tier) {
    while (tier < fabric.tiers.size() && !fabric.tiers[tier].switch_part.empty()) ++tier;
    if (tier == fabric.tiers.size()) return weigh(fabric);
    for (const SwitchPart* part : candidates_) {
      fabric.tiers[tier].switch_part = part->id;
      fill(fabric, tier + 1);
    }
    fabric.tiers[tier].switch_part.clear();
  }

  void weigh(const FabricSpec& fabric) {
    const auto shape = joining_shape(fabric, size_, fabric_ports(fabric, catalog_));
    if (!shape) return;
    double price = 0;
    for (std::size_t t = 0; t < shape->size(); ++t) {
      const SwitchPart* part = catalog_.find_switch(fabric.tiers[t].switch_part);
      price += static_cast<double>(switches_of((*shape)[t], size_)) *
               (part ? usual_price_usd(part->price_usd).value_or(0) : 0);
    }
    if (!best_ || price < least_) best_ = fabric, least_ = price;
  }

  const Catalog& catalog_;
  NetworkSize size_;
  std::vector<const SwitchPart*> candidates_;
  std::optional<FabricSpec> best_;
  double least_ = 0;
};

FabricSpec with_switches(const Cluster& cluster, const Catalog& catalog, std::vector<std::string>& warnings) {
  const FabricSpec& written = cluster.spec.fabric;
  const auto open = [](const TierSpec& tier) { return tier.switch_part.empty(); };
  if (written.kind != FabricKind::fat_tree || std::none_of(written.tiers.begin(), written.tiers.end(), open))
    return written;
  const auto chosen = SwitchChooser(cluster, catalog).choose(written);
  if (!chosen) return written;
  for (std::size_t t = 0; t < written.tiers.size(); ++t)
    if (open(written.tiers[t]))
      warnings.push_back(fmt::format("tier \"{}\" of the fabric names no switch: {} is assumed", written.tiers[t].name,
                                     chosen->tiers[t].switch_part));
  return *chosen;
}

FabricSpec side_fabric(const SideNetworkSpec& spec, int tiers, int leaf_nodes, double taper) {
  static constexpr const char* names[] = {"leaf", "spine", "core"};
  FabricSpec fabric;
  fabric.rails = RailLayout::shared;
  for (int t = 0; t < tiers; ++t) {
    TierSpec tier;
    tier.name = names[t];
    tier.switch_part = spec.switch_part;
    tier.taper = t == 0 ? taper : 1;
    tier.accelerators = t == 0 && tiers > 1 ? leaf_nodes : 0;
    fabric.tiers.push_back(tier);
  }
  return fabric;
}

/// Numbers of nodes on one leaf to try: equal shares of a scalable unit, or whole units, so that cables stay short;
/// from the largest that the ports allow to half of that. Where none divides the unit, or there is only one unit, as
/// many nodes as there are ports for.
std::vector<int> leaf_sizes(const SideNetworkSpec& spec, const SwitchPart& part, int ends, int unit_nodes, int nodes) {
  const int down = std::max(ends, static_cast<int>(part.ports.value * spec.taper / (1 + spec.taper)));
  const int most = std::max(1, down / ends);
  std::vector<int> sizes;
  if (nodes > unit_nodes)
    for (int size = most; 2 * size >= most; --size)
      if (unit_nodes % size == 0 || size % unit_nodes == 0) sizes.push_back(size);
  if (sizes.empty()) sizes.push_back(most);
  return sizes;
}

struct SideShape {
  FabricSpec fabric;
  long long switches = 0;
};

/// Tries from as many cables up as the taper needs to twice as many: cables of one leaf spread evenly only over a
/// number of switches that divides them, so a few more cables may save switches.
void try_leaves(const SideNetworkSpec& spec, const NetworkSize& size, int tiers, int per_leaf, int ports,
                std::optional<SideShape>& best) {
  const int down = per_leaf * size.nics_per_node;
  const int least = std::max(1, static_cast<int>(std::ceil(down / spec.taper)));
  for (int up = least; up <= std::min(2 * least, std::max(least, ports - down)); ++up) {
    const FabricSpec fabric = side_fabric(spec, tiers, per_leaf, static_cast<double>(down) / up);
    const FabricPorts switch_ports{std::vector<int>(static_cast<std::size_t>(tiers), ports), 0};
    if (!fat_tree_errors(fabric, size, switch_ports).empty()) continue;
    const auto shape = fat_tree_shape(fabric, size, switch_ports);
    if (shape.back().nodes < size.nodes) continue;
    const long long switches = fat_tree_switches(shape, size.nodes);
    if (!best || switches < best->switches) best = {fabric, switches};
  }
}

std::vector<ServicePort> service_ports(const SideNetworkSpec& spec, const ServiceCounts& services) {
  std::vector<ServicePort> ports;
  for (int server = 0; server < services.servers; ++server)
    ports.insert(ports.end(), static_cast<std::size_t>(spec.ports_per_server), {ServiceKind::server, server});
  if (spec.storage)
    for (int appliance = 0; appliance < services.appliances; ++appliance)
      ports.insert(ports.end(), static_cast<std::size_t>(services.ports_per_appliance),
                   {ServiceKind::storage, appliance});
  return ports;
}

/// Least unit of whole machines that splits no group of nodes; all nodes where there is none.
template <class Splits>
int whole_machines(const UnitBounds& bounds, const Splits& splits) {
  const int machines = (std::max(1, bounds.least_nodes) + bounds.machine_nodes - 1) / bounds.machine_nodes;
  int end = machines * bounds.machine_nodes;
  while (end < bounds.nodes && splits(end)) end += bounds.machine_nodes;
  return std::max(1, std::min(bounds.nodes, end));
}

[[noreturn]] void too_large(const SideNetworkSpec& spec, int nodes) {
  throw ConfigError({"E0306",
                     fmt::format("three tiers of {} cannot join the {} nodes of the network \"{}\"", spec.switch_part,
                                 nodes, spec.name),
                     {},
                     "",
                     "choose a larger switch, or raise the taper"});
}

}  // namespace

std::vector<SiteNetwork> training_network(const Cluster& cluster, const Catalog& catalog,
                                          std::vector<std::string>& warnings) {
  if (!cluster.has_network()) return {};
  const FabricSpec fabric = with_switches(cluster, catalog, warnings);
  advise_on_groups(fabric, site_size(fabric, cluster.cabled_size()), catalog, warnings);
  if (cluster.file_servers() > 0)
    warnings.push_back(
        "file servers are on the training network: named switches and the cables between them are counted for these, "
        "the "
        "servers and their own cables are not; the storage rack and storage network of this plan are those of a file "
        "system with links of its own");
  Network network = build_network(fabric, cluster.cabled_size(), fabric_ports(fabric, catalog));
  SiteNetwork out{"training", NetworkRole::training, std::move(network.graph), {}, cluster.nodes(), {}, {}, {}};
  const bool routers_in_nodes = fabric.kind == FabricKind::torus;
  const std::size_t site_tiers = fabric.kind == FabricKind::fat_tree ? fabric.tiers.size() : out.graph.tiers().size();
  for (std::size_t t = 0; t < out.graph.tiers().size(); ++t)
    out.tier_parts.push_back(
        routers_in_nodes ? nullptr : part_of_tier(fabric, t % std::max<std::size_t>(1, site_tiers), catalog));
  for (std::size_t k = 0; k < out.graph.link_kinds().size(); ++k)
    out.bought.push_back(out.graph.link_kinds()[k].name != "site" && !(routers_in_nodes && k == 0));
  out.spans = spans_of(out.graph, out.nodes);
  join_groups(out.spans, network.groups, out.nodes);
  std::vector<SiteNetwork> list;
  list.push_back(std::move(out));
  return list;
}

int nodes_per_unit(const std::vector<SiteNetwork>& networks, const UnitBounds& bounds) {
  const int nodes = bounds.nodes;
  // inside[n]: some switch has both node n - 1 and node n directly below it
  std::vector<bool> inside(static_cast<std::size_t>(nodes) + 1, false);
  for (const SiteNetwork& network : networks) {
    const SwitchTier& lowest = network.graph.tiers().front();
    for (const VertexId vertex : lowest.switches()) {
      const NodeSpan span = network.spans[network.graph.switch_number(vertex)];
      for (int n = span.first + 1; n <= span.last; ++n) inside[static_cast<std::size_t>(n)] = true;
    }
  }
  const auto splits = [&](int unit) {
    for (int border = unit; border < nodes; border += unit)
      if (inside[static_cast<std::size_t>(border)]) return true;
    return false;
  };
  return whole_machines(bounds, splits);
}

int untapered_unit(const Cluster& cluster, const UnitBounds& bounds) {
  TreeStock plain = *cluster.stock;
  plain.taper = 1;
  const FabricSpec tree = grown_tree(cluster.spec.fabric, plain, cluster.cabled_size(),
                                     std::max(1, cluster.domain / cluster.node_accelerators));
  const int leaf = tree.tiers.size() > 1 ? tree.tiers.front().accelerators / cluster.node_accelerators : bounds.nodes;
  return whole_machines(bounds, [&](int unit) { return unit % std::max(1, leaf) != 0; });
}

SiteNetwork side_network(const SideNetworkSpec& spec, int nodes, int unit_nodes, const ServiceCounts& services,
                         const Catalog& catalog) {
  const SwitchPart& part = *catalog.find_switch(spec.switch_part);
  const int ends = std::max(1, spec.ports_per_node);
  std::vector<ServicePort> ports = service_ports(spec, services);
  const int stand_ins = (static_cast<int>(ports.size()) + ends - 1) / ends;
  const BytesPerSecond rate = part.port_rate ? part.port_rate->value : BytesPerSecond{};
  const NetworkSize size{nodes + stand_ins, 1, ends, rate};
  const std::vector<int> leaves = leaf_sizes(spec, part, ends, unit_nodes, nodes);
  for (int tiers = 1; tiers <= 3; ++tiers) {
    std::optional<SideShape> shape;
    for (const int per_leaf : leaves) try_leaves(spec, size, tiers, per_leaf, part.ports.value, shape);
    if (!shape) continue;
    Network network =
        build_network(shape->fabric, size, {std::vector<int>(static_cast<std::size_t>(tiers), part.ports.value), 0});
    const NetworkRole role = spec.storage ? NetworkRole::storage : NetworkRole::provisioning;
    SiteNetwork out{spec.name, role, std::move(network.graph), {}, nodes, std::move(ports), {}, {}};
    out.tier_parts.assign(out.graph.tiers().size(), &part);
    out.bought.assign(out.graph.link_kinds().size(), true);
    out.spans = spans_of(out.graph, nodes);
    return out;
  }
  too_large(spec, nodes);
}

}  // namespace clusterwright
