// SPDX-License-Identifier: Apache-2.0
// Every link of every network becomes a cable of the catalog, as long as its route on the floor.
//
// Invariants
//   - Each link of a graph whose kind is bought, and each console, manager and uplink cable, enters the tally once
//     with a plug at both ends. The lengths of a total sum to its links.
//   - A plug is the cage of a device. Links that share a cage share its module, so modules are counted per device at
//     the end: n links on modules of two links each need (n + 1) / 2 modules.
//   - A cable is as long as its route (CableRouter), rounded up to a length on sale. The cheapest part that reaches
//     that far is bought (LinkCatalog).
//
// Example: a leaf of 32 twin cages has 32 node links and 32 links up. A node 3 racks away (0.6 m each), leaf at 1.9 m,
// node port at 1.1 m, tray at 2.6 m: 0.7 m up, 1.8 m along, 1.5 m down and 2.5 m of slack make 6.5 m, bought as 7 m.
// Copper of 400 Gbit/s reaches 3 m, or 5 m if active, so the link is a fibre with two transceivers: a twin-port module
// at the leaf, shared with the next link, and a single-port module at the node. The 32 links need 16 modules at the
// leaf and 32 at the nodes.
//
// Source: reference designs with published cable counts, tests/models/site_plan_oracles_test.cpp.
#include "models/site/plant/cable_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "models/site/plant/cable_tally.hpp"
#include "models/site/plant/devices.hpp"

namespace clusterwright {

namespace {

int ports_per_cage(const SwitchPart& part) {
  return part.cages ? std::max(1, part.ports.value / part.cages->value) : 1;
}

class CablePlanner {
 public:
  explicit CablePlanner(const CableRequest& request)
      : request_(request), tally_(request.catalog, request.services, request.router, request.keep_runs) {
    for (const SiteNetwork& network : request.networks) {
      cages_.push_back(std::vector<CageContents>(network.graph.switches()));
      used_ports_.push_back(ports_in_use(network.graph));
    }
    node_cages_.resize(request.layout.nodes.size());
  }

  CablePlan plan() {
    for (const NetworkId network : networks()) add_network(network);
    add_managers();
    add_consoles();
    add_uplinks();
    out_.cables = tally_.take_totals();
    warn_of_other_classes();
    out_.runs = tally_.take_runs();
    out_.pieces = tally_.take_pieces();
    std::vector<std::vector<CageContents>> all_cages = cages_.items();
    all_cages.push_back(std::move(node_cages_));
    out_.transceivers = tally_.transceivers(all_cages);
    for (const NetworkId network : networks()) add_switches(network);
    add_management_switches();
    return std::move(out_);
  }

 private:
  const RackLayout& layout() const { return request_.layout; }

  const SiteNetwork& network_of(NetworkId id) const { return request_.networks[id.value]; }

  std::vector<NetworkId> networks() const {
    std::vector<NetworkId> ids;
    for (std::size_t index = 0; index < request_.networks.size(); ++index) ids.emplace_back(index);
    return ids;
  }

  static std::vector<int> ports_in_use(const NetworkGraph& graph) {
    std::vector<int> ports(graph.switches());
    for (const VertexId vertex : graph.switch_ids())
      ports[graph.switch_number(vertex)] = static_cast<int>(graph.leaving(vertex).size());
    return ports;
  }

  // --- Links of a network -----------------------------------------------------------------------------------------

  void add_network(NetworkId id) {
    const SiteNetwork& network = network_of(id);
    const NetworkGraph& graph = network.graph;
    std::vector<LinkClass> classes;
    for (const LinkKind& kind : graph.link_kinds())
      classes.push_back(tally_.link_class(network.name, kind.name, kind.rate));
    for (const LinkId link : graph.cable_ids()) {
      if (!network.bought[graph.kind(link)]) continue;
      const auto [low, high] = std::minmax({graph.from(link), graph.to(link)});
      if (is_unknown(id, high) || is_unknown(id, low) || is_unused(network, low)) continue;
      tally_.add(classes[graph.kind(link)], plug(id, low), plug(id, high));
    }
    finish(classes);
    note_unnamed(network);
  }

  const SwitchPart* part_of(NetworkId id, VertexId vertex) const {
    const auto& tiers = network_of(id).graph.tiers();
    for (std::size_t tier = tiers.size(); tier-- > 0;)
      if (vertex >= tiers[tier].first) return network_of(id).tier_parts[tier];
    return nullptr;
  }

  /// Switches without a part cannot be placed; routers of a torus are inside the nodes and need none.
  bool is_unknown(NetworkId id, VertexId vertex) const {
    const SiteNetwork& network = network_of(id);
    return !network.graph.is_endpoint(vertex) && !part_of(id, vertex) && network.bought[0];
  }

  /// Ports of the graph beyond those of services complete its last stand-in for a node.
  static bool is_unused(const SiteNetwork& network, VertexId vertex) {
    return network.graph.is_endpoint(vertex) && network.graph.node_of(vertex) >= NodeId(network.nodes) &&
           service_port(network, vertex) >= network.services.size();
  }

  static std::size_t service_port(const SiteNetwork& network, VertexId vertex) {
    return vertex.value - static_cast<std::size_t>(network.nodes) * static_cast<std::size_t>(network.graph.rails());
  }

  Plug plug(NetworkId id, VertexId vertex) {
    const SiteNetwork& network = network_of(id);
    if (network.graph.is_endpoint(vertex)) return endpoint_plug(network, vertex);
    const std::size_t at = network.graph.switch_number(vertex);
    const SwitchPart* part = part_of(id, vertex);
    if (!part) return single_plug(layout().nodes.at(at));
    return {layout().switches[id.value][at], {false, ports_per_cage(*part)}, &cages_[id][at], switch_key(id, vertex)};
  }

  /// End at a node or server whose port has a cage of its own.
  static Plug single_plug(const Location& at) { return {at, {true, 1}, nullptr, rack_key(at.rack)}; }

  /// Ports of one node may share cages; then modules are counted by node.
  Plug endpoint_plug(const SiteNetwork& network, VertexId vertex) {
    const Location at = endpoint_location(network, vertex);
    const int ports = request_.node_ports_per_cage;
    if (ports == 1 || network.role != NetworkRole::training) return single_plug(at);
    return {at, {true, ports}, &node_cages_[network.graph.node_of(vertex).value], rack_key(at.rack)};
  }

  static std::uint64_t rack_key(RackId rack) { return (std::uint64_t{1} << 60) + rack.value; }
  static std::uint64_t switch_key(NetworkId id, VertexId vertex) {
    return (std::uint64_t{id.value} << 32) + vertex.value;
  }

  Location endpoint_location(const SiteNetwork& network, VertexId vertex) const {
    const NodeId node = network.graph.node_of(vertex);
    if (node < NodeId(network.nodes)) return layout().nodes[node.value];
    const ServicePort& service = network.services[service_port(network, vertex)];
    const auto& places = service.kind == ServiceKind::storage ? layout().appliances : layout().servers;
    return places[static_cast<std::size_t>(service.device)];
  }

  void finish(const std::vector<LinkClass>& classes) {
    for (const LinkClass& link : classes) tally_.judge(link, out_.verdicts);
  }

  void note_unnamed(const SiteNetwork& network) {
    for (std::size_t tier = 0; tier < network.tier_parts.size(); ++tier)
      if (!network.tier_parts[tier] && network.bought[0])
        out_.uncounted.push_back(fmt::format("switches of tier \"{}\" of the {} network, and their cables",
                                             network.graph.tiers()[tier].name, network.name));
  }

  /// Cables named for a class of links that the plan lacks change nothing: most likely the name is wrong.
  void warn_of_other_classes() {
    std::set<std::string> classes;
    for (const CableTotal& total : out_.cables) classes.insert(total.link);
    for (const auto& [link, part] : request_.services.cables)
      if (!classes.contains(link))
        out_.warnings.push_back(fmt::format(
            "facility.services.cables names \"{}\" for \"{}\", but the plan has only these classes of links: {}", part,
            link, fmt::join(classes, ", ")));
  }

  // --- Cables beside the graphs -------------------------------------------------------------------------------------

  /// Cables of fabric managers to leaves with a free port, from the last leaf on: one to each, then the next to each.
  void add_managers() {
    const int wanted = layout().managers.empty() || request_.networks.empty() ? 0 : request_.services.manager_cables;
    if (wanted == 0) return;
    const SiteNetwork& training = network_of(first_network);
    if (training.role != NetworkRole::training || !training.tier_parts[0]) return;
    std::vector<LinkClass> classes = {
        tally_.link_class(training.name, "manager-leaf", training.graph.link_kinds()[0].rate)};
    int done = 0;
    while (done < wanted) {
      const int before = done;
      add_manager_round(classes[0], wanted, done);
      if (done == before) break;
    }
    finish(classes);
    if (done < wanted)
      out_.warnings.push_back(
          fmt::format("only {} of {} cables of fabric managers have a free leaf port: leave out one node "
                      "of the last scalable unit, as reference designs do",
                      done, wanted));
  }

  void add_manager_round(LinkClass& link, int wanted, int& done) {
    const NetworkGraph& graph = network_of(first_network).graph;
    const SwitchTier& leaves = graph.tiers().front();
    for (std::uint32_t i = leaves.count; i-- > 0 && done < wanted;) {
      const VertexId leaf = leaves.first + i;
      const SwitchPart* part = part_of(first_network, leaf);
      int& used = used_ports_[first_network][graph.switch_number(leaf)];
      if (!part || used >= part->ports.value) continue;
      ++used;
      const Location manager = layout().managers[static_cast<std::size_t>(done) % layout().managers.size()];
      tally_.add(link, single_plug(manager), plug(first_network, leaf));
      ++done;
    }
  }

  void add_consoles() {
    if (!request_.management_switch || layout().consoles.empty()) return;
    const SwitchPart& part = *request_.management_switch;
    std::vector<LinkClass> classes = {
        tally_.link_class("management", "console", part.port_rate ? part.port_rate->value : BytesPerSecond{})};
    for (const ConsoleCable& console : layout().consoles)
      tally_.add(classes[0], single_plug(console.end),
                 {layout().management[console.management_switch], {true, 1}, nullptr, console.management_switch});
    finish(classes);
  }

  /// Cables from each management switch to the nearest switch of the first provisioning network with a free port.
  void add_uplinks() {
    for (const NetworkId id : networks())
      if (network_of(id).role == NetworkRole::provisioning) return uplinks_to(id);
  }

  void uplinks_to(NetworkId id) {
    const NetworkGraph& graph = network_of(id).graph;
    std::vector<LinkClass> classes = {tally_.link_class("management", "management-uplink", graph.link_kinds()[0].rate)};
    std::size_t apart = 0;
    for (const Location& from : layout().management) {
      const auto nearest = nearest_free(id, from);
      if (!nearest) {
        ++apart;
        continue;
      }
      ++used_ports_[id][graph.switch_number(*nearest)];
      tally_.add(classes[0], single_plug(from), plug(id, *nearest));
    }
    finish(classes);
    if (apart > 0)
      out_.warnings.push_back(fmt::format("{} of {} management switches have no free port in the {} network", apart,
                                          layout().management.size(), network_of(id).name));
  }

  std::optional<VertexId> nearest_free(NetworkId id, const Location& from) const {
    const NetworkGraph& graph = network_of(id).graph;
    const SwitchTier& leaves = graph.tiers().front();
    std::optional<VertexId> best;
    Meters least;
    for (std::uint32_t i = 0; i < leaves.count; ++i) {
      const VertexId leaf = leaves.first + i;
      if (used_ports_[id][graph.switch_number(leaf)] >= part_of(id, leaf)->ports.value) continue;
      const Meters length = request_.router.length(from, layout().switches[id.value][graph.switch_number(leaf)]);
      if (!best || length < least) best = leaf, least = length;
    }
    return best;
  }

  // --- Sums ---------------------------------------------------------------------------------------------------------

  void add_switches(NetworkId id) {
    const SiteNetwork& network = network_of(id);
    for (std::size_t level = 0; level < network.graph.tiers().size(); ++level) {
      const SwitchTier& tier = network.graph.tiers()[level];
      const SwitchPart* part = network.tier_parts[level];
      if (!part) continue;
      Watts expected;
      for (std::uint32_t i = 0; i < tier.count; ++i)
        expected += expected_power(*part, cages_[id][network.graph.switch_number(tier.first) + i]);
      add_total({network.name, tier.name, part->id, tier.count, rated_power(*part), expected / tier.count});
    }
  }

  /// Power with passive cables plus that of the modules in its cages; the rating already includes modules in all cages.
  static Watts expected_power(const SwitchPart& part, const CageContents& cages) {
    if (!part.passive_power) return part.typical_power ? part.typical_power->value : rated_power(part);
    Watts power = part.passive_power->value;
    for (const auto& [module, links] : cages)
      if (module->power_per_end) power += whole_parts(links, *module) * module->power_per_end->value;
    return std::min(power, rated_power(part));
  }

  void add_total(SwitchTotal total) {
    for (SwitchTotal& known : out_.switches)
      if (known.network == total.network && known.tier == total.tier && known.part == total.part) {
        known.count += total.count;
        return;
      }
    out_.switches.push_back(std::move(total));
  }

  void add_management_switches() {
    if (!request_.management_switch || layout().management.empty()) return;
    const SwitchPart& part = *request_.management_switch;
    add_total({"management", "console", part.id, static_cast<long long>(layout().management.size()), rated_power(part),
               expected_power(part, {})});
  }

  /// The training network is the first one, where there is one.
  static constexpr NetworkId first_network{std::size_t{0}};

  const CableRequest& request_;
  CableTally tally_;
  CablePlan out_;
  IndexedVector<NetworkId, std::vector<CageContents>> cages_;  ///< contents of cages by switch
  std::vector<CageContents> node_cages_;  ///< contents by node, if ports of the training network share cages
  IndexedVector<NetworkId, std::vector<int>> used_ports_;  ///< number of used ports by switch
};

}  // namespace

CablePlan plan_cables(const CableRequest& request) {
  return CablePlanner(request).plan();
}

}  // namespace clusterwright
