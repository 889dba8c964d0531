// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/cluster_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "topology/cluster/cluster_findings.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/fabrics/grown_tree.hpp"
#include "topology/nodes/node_wiring.hpp"

namespace clusterwright {

static constexpr auto larger_fabric =
    "add a tier, let the tiers follow from the nodes (fabric.tiers=[]), or name a larger cluster (catalog clusters)";

std::vector<NodeGroupSpec> node_groups(const ClusterSpec& spec) {
  std::vector<NodeGroupSpec> groups = {{&spec.node, spec.accelerators, "/node", "/accelerators"}};
  for (std::size_t i = 0; i < spec.also.size(); ++i) {
    const std::string pointer = fmt::format("/also/{}", i);
    groups.push_back({&spec.also[i].node, spec.also[i].accelerators, pointer + "/node", pointer + "/accelerators"});
    groups[0].accelerators -= spec.also[i].accelerators;
  }
  return groups;
}

void ClusterChecker::check_new(const std::vector<std::string>& own, const std::vector<std::string>& all,
                               std::string_view list) {
  for (std::size_t i = 0; i < own.size(); ++i)
    if (std::count(all.begin(), all.end(), own[i]) > 1)
      error("E0204", fmt::format("the id \"{}\" is already taken", own[i].substr(0, 60)),
            {fmt::format("/parts/{}/{}/id", list, i)}, "given again here", "ids must be unique and new to the catalog");
}

void ClusterChecker::check_own_parts() {
  if (!spec_.parts) return;
  const Catalog& own = *spec_.parts;
  check_new(ids_of(own.accelerators), ids_of(catalog_.accelerators), "accelerators");
  check_new(ids_of(own.nics), ids_of(catalog_.nics), "nics");
  check_new(ids_of(own.switches), ids_of(catalog_.switches), "switches");
  check_new(ids_of(own.nodes), ids_of(catalog_.nodes), "nodes");
  for (std::size_t i = 0; i < own.nodes.size(); ++i) {
    const std::string pointer = fmt::format("/parts/nodes/{}/", i);
    if (const std::string& id = own.nodes[i].accelerator_id; !id.empty())
      check_part(id, ids_of(catalog_.accelerators), "accelerator", pointer + "accelerator_id");
    if (const std::string& id = own.nodes[i].nic_id; !id.empty())
      check_part(id, ids_of(catalog_.nics), "nic", pointer + "nic_id");
  }
}

void ClusterChecker::check_parts() {
  const auto written = node_groups(written_), filled = node_groups(spec_);
  for (std::size_t g = 0; g < filled.size(); ++g)
    check_node_parts(*written[g].node, *filled[g].node, filled[g].node_pointer);
  for (std::size_t t = 0; t < spec_.fabric.tiers.size(); ++t)
    if (const std::string& id = spec_.fabric.tiers[t].switch_part; !id.empty())
      check_part(id, ids_of(catalog_.switches), "switch", fmt::format("/fabric/tiers/{}/switch", t));
  if (const std::string& id = spec_.fabric.switch_part; !id.empty())
    check_part(id, ids_of(catalog_.switches), "switch", "/fabric/switch");
}

void ClusterChecker::check_node_parts(const NodeSpec& written, const NodeSpec& filled, const std::string& pointer) {
  if (!written.part.empty()) {
    check_part(written.part, ids_of(catalog_.nodes), "node", pointer + "/part");
    if (const NodePart* part = catalog_.find_node(written.part)) {
      check_contradiction(written, *part, pointer);
      check_machine(*part, pointer);
    }
  }
  if (!written.accelerator.empty())
    check_part(written.accelerator, ids_of(catalog_.accelerators), "accelerator", pointer + "/accelerator");
  else if (filled.accelerator.empty() && (written.part.empty() || catalog_.find_node(written.part)))
    error("E0104", "a node needs \"accelerator\", or a \"part\" that has one", {pointer});
  if (!filled.nic.empty()) check_part(filled.nic, ids_of(catalog_.nics), "nic", pointer + "/nic");
}

void ClusterChecker::check_contradiction(const NodeSpec& written, const NodePart& part, const std::string& pointer) {
  // A variant of the accelerator goes where the accelerator goes.
  const AcceleratorPart* own = catalog_.find_accelerator(written.accelerator);
  const bool variant = own && !own->like.empty() && own->like == part.accelerator_id;
  if (!written.accelerator.empty() && written.accelerator != part.accelerator_id && !variant)
    error("E0322",
          fmt::format("\"{}\" has other accelerators (got \"{}\", \"{}\" expected)", part.id, written.accelerator,
                      part.accelerator_id),
          {pointer + "/accelerator", pointer + "/part"}, "", "leave out one of the two");
  if (written.accelerators && part.accelerator_count && *written.accelerators > part.accelerator_count->value)
    error("E0322",
          fmt::format("\"{}\" has fewer accelerators (got {}, at most {})", part.id, *written.accelerators,
                      part.accelerator_count->value),
          {pointer + "/accelerators", pointer + "/part"});
}

/// A rack that is sold as one machine is no server with 72 rails: its trays are the nodes.
void ClusterChecker::check_machine(const NodePart& part, const std::string& pointer) {
  const auto tray_of = [&](const std::string& machine) {
    return std::find_if(catalog_.nodes.begin(), catalog_.nodes.end(),
                        [&](const NodePart& other) { return other.machine == machine; });
  };
  if (const auto tray = tray_of(part.id); tray != catalog_.nodes.end() || part.switch_trays)
    error("E0358", fmt::format("\"{}\" is a rack of several nodes, not a node", part.id), {pointer + "/part"}, "",
          tray != catalog_.nodes.end()
              ? fmt::format("name its tray, \"{}\": whole racks are bought", tray->id)
              : std::string("describe its tray under \"parts\", with this rack as its \"machine\", and name the tray"));
  if (part.machine.empty()) return;
  const NodePart* rack = catalog_.find_node(part.machine);
  const bool counted = rack && rack->accelerator_count && part.accelerator_count;
  if (!rack)
    error("E0358", fmt::format("\"{}\" is a tray of \"{}\", which the catalog lacks", part.id, part.machine),
          {pointer + "/part"}, "", "describe the rack under \"parts\", with height_u, mass_kg and max_power_kw");
  else if (counted && rack->accelerator_count->value % part.accelerator_count->value != 0)
    error("E0358",
          fmt::format("trays of {} accelerators do not divide the {} of \"{}\"", part.accelerator_count->value,
                      rack->accelerator_count->value, rack->id),
          {pointer + "/part"}, "", "correct one of the two counts");
}

void ClusterChecker::check_wiring() {
  for (const NodeGroupSpec& group : node_groups(spec_)) check_node_wiring(*group.node, group.node_pointer);
}

void ClusterChecker::check_node_wiring(const NodeSpec& node, const std::string& pointer) {
  const AcceleratorPart* accelerator = catalog_.find_accelerator(node.accelerator);
  if (!accelerator) return;
  const NodeWiring wiring = wire_node(node, *accelerator, {});
  const int in_node = node_accelerators(node);
  if (std::max(wiring.domain, in_node) % std::min(wiring.domain, in_node) != 0)
    error("E0325",
          fmt::format("a scale-up domain must hold whole nodes, or a node whole domains (got {}, a node has {})",
                      wiring.domain, in_node),
          {pointer + "/scale_up_domain", pointer + "/accelerators"});
  long long corners = 1;
  for (const int side : wiring.torus) corners *= side;
  if (!wiring.torus.empty() && corners != wiring.domain)
    error("E0325",
          fmt::format("the product of the torus sides must be the scale-up domain (got {}, domain {})", corners,
                      wiring.domain),
          {pointer + "/scale_up_torus", pointer + "/scale_up_domain"});
  if (wiring.scale_up != ScaleUpWiring::none && wiring.scale_up_rate <= BytesPerSecond{})
    error("E0326", fmt::format("the rate of the scale-up links of {} is not known", accelerator->id),
          {pointer + "/scale_up_gb_per_s"}, "", "give \"scale_up_gb_per_s\"");
  if (wiring.domain < in_node && wiring.pcie.slot <= BytesPerSecond{})
    error("E0326", fmt::format("the links between the accelerators of a node are not known for {}", accelerator->id),
          {pointer + "/pcie/link_gb_per_s"}, "", "give \"pcie\": {\"link_gb_per_s\": ...}, or scale-up links");
}

void ClusterChecker::check_sizes() {
  const auto groups = node_groups(spec_);
  if (groups.size() > 1 && groups[0].accelerators < 1)
    error("E0323",
          fmt::format("\"also\" leaves no accelerators for \"node\" (got {}, \"also\" has {})", spec_.accelerators,
                      spec_.accelerators - groups[0].accelerators),
          {"/accelerators", "/also"});
  if (groups.size() == 1) check_blocks();
  for (const NodeGroupSpec& group : groups)
    if (const int in_node = node_accelerators(*group.node); groups.size() > 1 && group.accelerators % in_node != 0)
      error("E0301",
            fmt::format("must be a multiple of the accelerators of a node (got {}, a node has {})", group.accelerators,
                        in_node),
            {group.count_pointer, group.node_pointer + "/accelerators"});
  check_likeness();
  check_slow();
  check_machine_nodes();
  const auto& tiers = spec_.fabric.tiers;
  const int in_site = (places() + sites() - 1) / sites();
  if (!tiers.empty() && tiers.back().accelerators > 0 && in_site > tiers.back().accelerators)
    error("E0302",
          fmt::format("does not fit the top tier (got {}{}, tier \"{}\" joins {})", in_site,
                      sites() > 1                     ? " at a site"
                      : spec_.fabric.file_servers > 0 ? " with the places of file servers"
                                                      : "",
                      tiers.back().name, tiers.back().accelerators),
          {"/accelerators", fmt::format("/fabric/tiers/{}/accelerators", tiers.size() - 1)}, "", larger_fabric);
}

DomainShape ClusterChecker::shape() const {
  DomainShape shape;
  shape.node = shape.domain = node_accelerators(spec_.node);
  if (const AcceleratorPart* accelerator = catalog_.find_accelerator(spec_.node.accelerator)) {
    const NodeWiring wiring = wire_node(spec_.node, *accelerator, {});
    if (wiring.domain % shape.node == 0) shape.domain = wiring.domain;  // else check_wiring reports it
    shape.slices = wiring.scale_up == ScaleUpWiring::torus;
  }
  if (!spec_.fabric.tiers.empty())
    shape.most_joined = static_cast<int>(
        std::min<long long>(1LL * spec_.fabric.tiers.back().accelerators * sites(), std::numeric_limits<int>::max()));
  return shape;
}

std::optional<DomainBlocks> ClusterChecker::blocks() const {
  return spec_.also.empty() ? choose_blocks(spec_.accelerators, shape(), request_) : std::nullopt;
}

/// All accelerators of the nodes, those included that the job leaves idle.
int ClusterChecker::installed() const {
  const auto found = blocks();
  return found ? found->installed : spec_.accelerators;
}

/// Places for accelerators on the network, those that file servers take included.
int ClusterChecker::places() const {
  return machine() + spec_.fabric.file_servers * node_accelerators(spec_.node);
}

std::optional<NetworkSize> ClusterChecker::network_size(BytesPerSecond cable_rate) const {
  if (!errors_.empty()) return {};
  const int in_node = node_accelerators(spec_.node);
  return NetworkSize{places() / in_node, in_node, node_nics(spec_.node), cable_rate};
}

/// All accelerators of the machine that the job's placement is in.
int ClusterChecker::machine() const {
  const int nodes = request_.placement && spec_.also.empty() ? request_.placement->machine_nodes : 0;
  return std::max(installed(), nodes * node_accelerators(spec_.node));
}

void ClusterChecker::check_machine_nodes() {
  const int nodes = request_.placement && spec_.also.empty() ? request_.placement->machine_nodes : 0;
  if (const int job = installed() / node_accelerators(spec_.node); nodes > 0 && nodes < job)
    error("E0335", fmt::format("the machine has {} nodes, the job fills {}", nodes, job), {}, "",
          "let machine_nodes count the nodes of the job too");
}

void ClusterChecker::check_blocks() {
  const DomainShape shape = this->shape();
  const std::string domain = shape.domain > shape.node ? "scale-up domain" : "node";
  if (request_.used.value_or(1) > shape.domain)
    return error("E0329",
                 fmt::format("a job cannot use {} accelerators of each {} (a {} has {})", *request_.used, domain,
                             domain, shape.domain),
                 {"/node"});
  if (blocks()) return;
  std::string message = fmt::format("must be a multiple of the accelerators of a node (got {}, a node has {})",
                                    spec_.accelerators, shape.node);
  if (request_.used)
    message = fmt::format("must be a multiple of the accelerators that the job uses of each {} (got {}, it uses {})",
                          domain, spec_.accelerators, *request_.used);
  else if (choose_blocks(spec_.accelerators, shape, {}))
    message =
        fmt::format("must fill every {} with equally many accelerators, in whole groups of {} (got {}, a {} has {})",
                    domain, fmt::join(request_.groups, " and "), spec_.accelerators, domain, shape.domain);
  const std::vector<int> sizes = nearest_sizes(spec_.accelerators, shape, request_);
  error("E0301", message, {"/accelerators", "/node/accelerators"}, "",
        sizes.empty() ? "" : fmt::format("use {} accelerators", fmt::join(sizes, " or ")));
}

void ClusterChecker::check_slow() {
  if (!source_) return;  // a cluster cut to a smaller job leaves stragglers behind
  const int all = machine();
  std::set<int> seen;
  for (std::size_t i = 0; i < spec_.slow.size(); ++i) {
    const int accelerator = spec_.slow[i].accelerator;
    const std::string pointer = fmt::format("/slow/{}/accelerator", i);
    if (accelerator >= all)
      error("E0336", fmt::format("there is no accelerator {} (the cluster has {})", accelerator, all),
            {pointer, "/accelerators"}, "", "accelerators are numbered from 0");
    if (!seen.insert(accelerator).second)
      error("E0336", fmt::format("accelerator {} is listed twice", accelerator), {pointer});
    if (!spec_.slow[i].clock && !spec_.slow[i].relative_clock && !spec_.slow[i].power_limit)
      error("E0336", fmt::format("nothing says how slow accelerator {} is", accelerator), {pointer}, "",
            "give clock, relative_clock or power_limit_w");
  }
}

/// A network assumes nodes that are alike: equally many accelerators, which number its ports, and equally many rails.
void ClusterChecker::check_likeness() {
  const NodeSpec& first = spec_.node;
  for (const NodeGroupSpec& group : node_groups(spec_))
    if (node_accelerators(*group.node) != node_accelerators(first) || node_nics(*group.node) != node_nics(first))
      error("E0323",
            fmt::format(
                "all nodes of a mixed cluster must have equally many accelerators and NICs (got {} and {}, \"node\" "
                "has {} and {})",
                node_accelerators(*group.node), node_nics(*group.node), node_accelerators(first), node_nics(first)),
            {group.node_pointer, "/node"});
}

/// Tiers without a size follow from their switches.
void ClusterChecker::check_nesting() {
  int below = node_accelerators(spec_.node);
  std::string below_name = "a node", below_pointer = "/node/accelerators";
  for (std::size_t t = 0; t < spec_.fabric.tiers.size(); ++t) {
    const TierSpec& tier = spec_.fabric.tiers[t];
    if (tier.accelerators == 0) continue;
    const std::string pointer = fmt::format("/fabric/tiers/{}/accelerators", t);
    if (tier.accelerators % below != 0)
      error("E0303",
            fmt::format("tiers must nest: the size must be a multiple of {} (got {}, {} has {})", below,
                        tier.accelerators, below_name, below),
            {pointer, below_pointer});
    below = tier.accelerators;
    below_name = fmt::format("tier \"{}\"", tier.name);
    below_pointer = pointer;
  }
}

/// A job in one domain, such as a rack whose nodes act as one, needs no network.
void ClusterChecker::check_network() {
  const auto found = blocks();
  if (found && found->domains() == 1) return;
  const auto groups = node_groups(spec_);
  int nodes = 0;
  for (const NodeGroupSpec& group : groups) nodes += group.accelerators / node_accelerators(*group.node);
  if (found) nodes = found->installed / node_accelerators(spec_.node);
  const auto missing = [&](const char* what, const std::string& pointer) {
    error("E0304", fmt::format("{} nodes need a network: {}", nodes, what), {pointer});
  };
  for (const NodeGroupSpec& group : groups) {
    if (node_nics(*group.node) == 0) missing("no NICs are given", group.node_pointer + "/nics");
    if (group.node->nic.empty() && !group.node->nic_rate)
      missing("neither a NIC nor its rate is given", group.node_pointer);
  }
  if (spec_.fabric.transport == Transport::none) missing("the transport is \"none\"", "/fabric/transport");
  if ((found || errors_.empty()) && spec_.fabric.kind == FabricKind::fat_tree && spec_.fabric.tiers.empty())
    missing("no tiers are given, and no switch of the catalog suits the NICs", "/fabric");
}

void ClusterChecker::check_fabric_numbers(const FabricPorts& ports, BytesPerSecond nic_rate) {
  if (!errors_.empty()) return;
  const NetworkSize size = *network_size(nic_rate);
  for (FabricError& e : check_fabric(spec_.fabric, size, ports))
    error(std::move(e.code), std::move(e.message), e.pointers, std::move(e.underline), std::move(e.help));
  if (errors_.empty()) check_tier_sizes(size, ports);
}

/// Sizes that follow from switches are known only now.
void ClusterChecker::check_tier_sizes(const NetworkSize& size, const FabricPorts& ports) {
  const auto& tiers = spec_.fabric.tiers;
  const auto open = std::find_if(tiers.begin(), tiers.end(), [](const TierSpec& t) { return t.accelerators == 0; });
  if (open == tiers.end() || size.nics_per_node == 0) return;
  const std::string pointer = fmt::format("/fabric/tiers/{}", open - tiers.begin());
  try {
    const FabricTiers sized = make_fabric_tiers(spec_.fabric, size, ports);
    const int ports_join = sized.tiers().back().accelerators;
    if (places() > ports_join)
      error("E0302", fmt::format("does not fit the top tier (got {}, its switches join {})", places(), ports_join),
            {"/accelerators", fmt::format("/fabric/tiers/{}", tiers.size() - 1)}, "", larger_fabric);
  } catch (const std::invalid_argument&) {
    error("E0303",
          "tiers must nest: the size that the switches of this tier allow is not a multiple of the tier below, "
          "or not a divisor of the tier above",
          {pointer, "/fabric/tiers"}, "", "give \"accelerators\" for it");
  }
}

void ClusterChecker::check_rules(const FabricPorts& ports) {
  if (written_.fabric.taper != 1 && !is_open_tree(written_.fabric))
    remarks_.push_back("fabric.taper is of a fat tree without tiers: it changes nothing here");
  report(cluster_findings(written_, spec_, catalog_, ports));
}

void ClusterChecker::report(const std::vector<RuleFinding>& findings) {
  for (const RuleFinding& found : findings) {
    if (found.is_error())
      error(std::string(found.rule->code), found.message, found.pointers, "", std::string(found.rule->then));
    else
      remarks_.push_back(found.message);
  }
}

void ClusterChecker::finish() {
  if (!errors_.empty()) throw ConfigError(std::move(errors_));
}

void ClusterChecker::check_part(const std::string& id, const std::vector<std::string>& known, std::string_view kind,
                                const std::string& pointer) {
  if (std::find(known.begin(), known.end(), id) != known.end()) return;
  const std::string_view plural = kind == "switch" ? "es" : "s";
  const std::string suggestion = did_you_mean(id, known);
  error("E0203", fmt::format("unknown {} \"{}\"", kind, id.substr(0, 60)), {pointer}, "not in the catalog",
        fmt::format("{}{}(list all: clusterwright catalog {}{})", suggestion, suggestion.empty() ? "" : "   ", kind,
                    plural));
}

void ClusterChecker::error(std::string code, std::string message, const std::vector<std::string>& pointers,
                           std::string underline, std::string help) {
  std::vector<Place> places;
  for (const std::string& pointer : pointers)
    if (source_) places.push_back(place_of(pointer));
  errors_.push_back({std::move(code), std::move(message), std::move(places), std::move(underline), std::move(help)});
}

/// Place of the value, or of the object that lacks it where it was left to its default.
Place ClusterChecker::place_of(std::string pointer) const {
  const JsonValue* value = source_->at_pointer(pointer);
  while (!value) {
    pointer.erase(pointer.rfind('/'));
    value = source_->at_pointer(pointer);
  }
  // A node or fabric that was read from a file of its own starts a new pointer there.
  for (std::size_t end = pointer.find('/', 1); value->source != source_->source && end != std::string::npos;
       end = pointer.find('/', end + 1))
    if (source_->at_pointer(pointer.substr(0, end))->source == value->source) return value->place(pointer.substr(end));
  return value->place(pointer_ + pointer);
}

}  // namespace clusterwright
