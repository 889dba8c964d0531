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
    for (const SiteNetwork& network : request.networks) cages_.emplace_back(network.graph.switches());
    node_cages_.resize(request.layout.nodes.size());
    used_ports_.resize(request.networks.size());
    for (std::size_t n = 0; n < request.networks.size(); ++n) count_ports(n);
  }

  CablePlan plan() {
    for (std::size_t n = 0; n < request_.networks.size(); ++n) add_network(n);
    add_managers();
    add_consoles();
    add_uplinks();
    out_.cables = tally_.take_totals();
    warn_of_other_classes();
    out_.runs = tally_.take_runs();
    cages_.push_back(std::move(node_cages_));
    out_.transceivers = tally_.transceivers(cages_);
    for (std::size_t n = 0; n < request_.networks.size(); ++n) add_switches(n);
    add_management_switches();
    return std::move(out_);
  }

 private:
  const RackLayout& layout() const { return request_.layout; }

  void count_ports(std::size_t n) {
    const NetworkGraph& graph = request_.networks[n].graph;
    used_ports_[n].resize(graph.switches());
    for (const VertexId v : graph.switch_ids())
      used_ports_[n][graph.switch_number(v)] = static_cast<int>(graph.leaving(v).size());
  }

  // --- Links of a network -----------------------------------------------------------------------------------------

  void add_network(std::size_t n) {
    const SiteNetwork& network = request_.networks[n];
    const NetworkGraph& graph = network.graph;
    std::vector<LinkClass> classes;
    for (const LinkKind& kind : graph.link_kinds())
      classes.push_back(tally_.link_class(network.name, kind.name, kind.rate));
    for (const LinkId link : graph.cable_ids()) {
      if (!network.bought[graph.kind(link)]) continue;
      const auto [low, high] = std::minmax({graph.from(link), graph.to(link)});
      if (is_unknown(n, high) || is_unknown(n, low) || is_unused(network, low)) continue;
      tally_.add(classes[graph.kind(link)], plug(n, low), plug(n, high));
    }
    finish(classes);
    note_unnamed(network);
  }

  const SwitchPart* part_of(std::size_t n, VertexId v) const {
    const auto& tiers = request_.networks[n].graph.tiers();
    for (std::size_t t = tiers.size(); t-- > 0;)
      if (v >= tiers[t].first) return request_.networks[n].tier_parts[t];
    return nullptr;
  }

  /// A torus has its routers inside the nodes; what else has no part cannot be placed.
  bool is_unknown(std::size_t n, VertexId v) const {
    const SiteNetwork& network = request_.networks[n];
    return !network.graph.is_endpoint(v) && !part_of(n, v) && network.bought[0];
  }

  /// Ports of the graph beyond those of services only fill its last stand-in for a node.
  static bool is_unused(const SiteNetwork& network, VertexId v) {
    return network.graph.is_endpoint(v) && network.graph.node_of(v) >= NodeId(network.nodes) &&
           service_port(network, v) >= network.services.size();
  }

  static std::size_t service_port(const SiteNetwork& network, VertexId v) {
    return v.value - static_cast<std::size_t>(network.nodes) * static_cast<std::size_t>(network.graph.rails());
  }

  Plug plug(std::size_t n, VertexId v) {
    const SiteNetwork& network = request_.networks[n];
    if (network.graph.is_endpoint(v)) return endpoint_plug(network, v);
    const std::size_t at = network.graph.switch_number(v);
    const SwitchPart* part = part_of(n, v);
    if (!part) return {layout().nodes.at(at), {true, 1}, nullptr, node_device(layout().nodes.at(at).rack)};
    return {layout().switches[n][at], {false, ports_per_cage(*part)}, &cages_[n][at], (n << 32) + v.value};
  }

  /// Ports of one node may share cages; then modules are counted by node.
  Plug endpoint_plug(const SiteNetwork& network, VertexId v) {
    const Location at = endpoint_location(network, v);
    const int ports = request_.node_ports_per_cage;
    if (ports == 1 || network.name != "training") return {at, {true, 1}, nullptr, node_device(at.rack)};
    return {at, {true, ports}, &node_cages_[network.graph.node_of(v).value], node_device(at.rack)};
  }

  static std::uint64_t node_device(std::size_t rack) { return (std::uint64_t{1} << 60) + rack; }

  Location endpoint_location(const SiteNetwork& network, VertexId v) const {
    const NodeId node = network.graph.node_of(v);
    if (node < NodeId(network.nodes)) return layout().nodes[node.value];
    const ServicePort& service = network.services[service_port(network, v)];
    const auto& places = service.kind == ServiceKind::storage ? layout().appliances : layout().servers;
    return places[static_cast<std::size_t>(service.device)];
  }

  void finish(const std::vector<LinkClass>& classes) {
    for (const LinkClass& link : classes) tally_.judge(link, out_.verdicts);
  }

  void note_unnamed(const SiteNetwork& network) {
    for (std::size_t t = 0; t < network.tier_parts.size(); ++t)
      if (!network.tier_parts[t] && network.bought[0])
        out_.uncounted.push_back(fmt::format("switches of tier \"{}\" of the {} network, and their cables",
                                             network.graph.tiers()[t].name, network.name));
  }

  /// A cable named for links that the plan has none of changes nothing: most likely the name is wrong.
  void warn_of_other_classes() {
    std::set<std::string> classes;
    for (const CableTotal& total : out_.cables) classes.insert(total.link);
    for (const auto& [link, part] : request_.services.cables)
      if (!classes.contains(link))
        out_.warnings.push_back(
            fmt::format("facility.services.cables names \"{}\" for \"{}\", but the links here are {}", part, link,
                        fmt::join(classes, ", ")));
  }

  // --- Cables beside the graphs -------------------------------------------------------------------------------------

  /// To lowest switches of the last unit that have a port left: one to each, then the next to each.
  void add_managers() {
    const int wanted = layout().managers.empty() || request_.networks.empty() ? 0 : request_.services.manager_cables;
    if (wanted == 0 || request_.networks[0].name != "training" || !request_.networks[0].tier_parts[0]) return;
    const NetworkGraph& graph = request_.networks[0].graph;
    std::vector<LinkClass> classes = {tally_.link_class("training", "manager-leaf", graph.link_kinds()[0].rate)};
    int done = 0;
    while (done < wanted) {
      const int before = done;
      add_manager_round(classes[0], wanted, done);
      if (done == before) break;
    }
    finish(classes);
    if (done < wanted)
      out_.warnings.push_back(
          fmt::format("only {} of {} cables of fabric managers find a free leaf port: leave one node "
                      "of the last group out, as reference designs do",
                      done, wanted));
  }

  void add_manager_round(LinkClass& link, int wanted, int& done) {
    const NetworkGraph& graph = request_.networks[0].graph;
    const SwitchTier& leaves = graph.tiers().front();
    for (std::uint32_t i = leaves.count; i-- > 0 && done < wanted;) {
      const VertexId leaf = leaves.first + i;
      const SwitchPart* part = part_of(0, leaf);
      int& used = used_ports_[0][graph.switch_number(leaf)];
      if (!part || used >= part->ports.value) continue;
      ++used;
      const Location manager = layout().managers[static_cast<std::size_t>(done) % layout().managers.size()];
      tally_.add(link, {manager, {true, 1}, nullptr, node_device(manager.rack)}, plug(0, leaf));
      ++done;
    }
  }

  void add_consoles() {
    if (!request_.management_switch || layout().consoles.empty()) return;
    const SwitchPart& part = *request_.management_switch;
    std::vector<LinkClass> classes = {
        tally_.link_class("management", "console", part.port_rate ? part.port_rate->value : BytesPerSecond{})};
    for (const auto& [end, management] : layout().consoles)
      tally_.add(classes[0], {end, {true, 1}, nullptr, node_device(end.rack)},
                 {layout().management[management], {true, 1}, nullptr, management});
    finish(classes);
  }

  /// Each switch for consoles has one cable to the nearest switch of a provisioning network with a port left.
  void add_uplinks() {
    for (std::size_t n = 0; n < request_.networks.size(); ++n) {
      if (request_.networks[n].name == "training" || is_storage(request_.networks[n])) continue;
      uplinks_to(n);
      return;
    }
  }

  /// Also where no appliance hangs on it yet.
  bool is_storage(const SiteNetwork& network) const {
    const auto& specs = request_.services.networks;
    return std::any_of(specs.begin(), specs.end(),
                       [&](const SideNetworkSpec& spec) { return spec.storage && spec.name == network.name; });
  }

  void uplinks_to(std::size_t n) {
    const NetworkGraph& graph = request_.networks[n].graph;
    std::vector<LinkClass> classes = {tally_.link_class("management", "management-uplink", graph.link_kinds()[0].rate)};
    std::size_t apart = 0;
    for (const Location& from : layout().management) {
      const auto nearest = nearest_free(n, from);
      if (!nearest) {
        ++apart;
        continue;
      }
      ++used_ports_[n][graph.switch_number(*nearest)];
      tally_.add(classes[0], {from, {true, 1}, nullptr, node_device(from.rack)}, plug(n, *nearest));
    }
    finish(classes);
    if (apart > 0)
      out_.warnings.push_back(fmt::format("{} of {} switches for consoles find no free port in the {} network", apart,
                                          layout().management.size(), request_.networks[n].name));
  }

  std::optional<VertexId> nearest_free(std::size_t n, const Location& from) const {
    const NetworkGraph& graph = request_.networks[n].graph;
    const SwitchTier& leaves = graph.tiers().front();
    std::optional<VertexId> best;
    Meters least;
    for (std::uint32_t i = 0; i < leaves.count; ++i) {
      const VertexId leaf = leaves.first + i;
      if (used_ports_[n][graph.switch_number(leaf)] >= part_of(n, leaf)->ports.value) continue;
      const Meters length = request_.router.length(from, layout().switches[n][graph.switch_number(leaf)]);
      if (!best || length < least) best = leaf, least = length;
    }
    return best;
  }

  // --- Sums ---------------------------------------------------------------------------------------------------------

  void add_switches(std::size_t n) {
    const SiteNetwork& network = request_.networks[n];
    for (std::size_t t = 0; t < network.graph.tiers().size(); ++t) {
      const SwitchTier& tier = network.graph.tiers()[t];
      const SwitchPart* part = network.tier_parts[t];
      if (!part) continue;
      Watts expected;
      for (std::uint32_t i = 0; i < tier.count; ++i)
        expected += expected_power(*part, cages_[n][network.graph.switch_number(tier.first) + i]);
      add_total({network.name, tier.name, part->id, tier.count, rated_power(*part), expected / tier.count});
    }
  }

  /// The rating holds modules in all cages already: those that are there come on top of passive cables only.
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

  const CableRequest& request_;
  CableTally tally_;
  CablePlan out_;
  std::vector<std::vector<CageContents>> cages_;  ///< by network, by switch
  std::vector<CageContents> node_cages_;          ///< by node, where ports of the training network share cages
  std::vector<std::vector<int>> used_ports_;      ///< likewise
};

}  // namespace

CablePlan plan_cables(const CableRequest& request) {
  return CablePlanner(request).plan();
}

}  // namespace clusterwright
