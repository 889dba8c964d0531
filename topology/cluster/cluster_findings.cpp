// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/cluster_findings.hpp"

#include <fmt/format.h>

#include "topology/cluster/cluster_check.hpp"
#include "topology/nodes/node_wiring.hpp"
#include "topology/rules/network_rules.hpp"
#include "topology/rules/node_rules.hpp"
#include "topology/rules/part_rules.hpp"

namespace clusterwright {

namespace {

/// "/also/0/node" as the first step of a rule's fields.
FieldNames names_of(const NodeGroupSpec& group) {
  std::string path = group.node_pointer.substr(1);
  for (char& letter : path)
    if (letter == '/') letter = '.';
  return {{"node", path}};
}

bool describes_network(const FabricSpec& fabric) {
  return fabric.kind != FabricKind::fat_tree || !fabric.tiers.empty();
}

class Finder {
 public:
  Finder(const ClusterSpec& filled, const Catalog& catalog, const FabricPorts& ports)
      : spec_(filled), catalog_(catalog), ports_(ports) {}

  void check_node(const NodeGroupSpec& written, const NodeGroupSpec& filled) {
    const NodeSpec& node = *filled.node;
    const BytesPerSecond port = ports_.endpoint_rate(spec_.fabric.kind);
    const NodeOfCluster subject{*written.node,
                                node,
                                catalog_.find_node(node.part),
                                catalog_.find_accelerator(node.accelerator),
                                catalog_.find_nic(node.nic),
                                nic_reach(node, catalog_, port)};
    apply_rules(node_rules(), subject, names_of(filled), findings);
    if (!describes_network(spec_.fabric) || node_nics(node) == 0) return;
    apply_rules(nic_network_rules(), NicInNetwork{subject.nic, spec_.fabric.transport}, names_of(filled), findings);
  }

  void check_switches() {
    const NodeSpec& node = spec_.node;
    if (node_nics(node) == 0) return;
    const NicReach reach = nic_reach(node, catalog_, {});
    if (spec_.fabric.kind != FabricKind::fat_tree)
      return check_switch(spec_.fabric.switch_part, nullptr, reach.rate(),
                          {{"fabric.tiers.*.switch", "fabric.switch"}});
    for (std::size_t t = 0; t < spec_.fabric.tiers.size(); ++t) {
      const bool top = t + 1 == spec_.fabric.tiers.size();
      const SwitchPart* above = top ? nullptr : catalog_.find_switch(spec_.fabric.tiers[t + 1].switch_part);
      check_switch(spec_.fabric.tiers[t].switch_part, above, t == 0 ? reach.rate() : BytesPerSecond{},
                   {{"*", std::to_string(t)}, {"+", std::to_string(t + 1)}});
    }
  }

  std::vector<RuleFinding> findings;

 private:
  /// @param nic  rate of NICs that are cabled to these switches
  void check_switch(const std::string& id, const SwitchPart* above, BytesPerSecond nic, const FieldNames& names) {
    const SwitchPart* part = catalog_.find_switch(id);
    if (!part) return;
    const BytesPerSecond stated = spec_.fabric.link_rate.value_or(BytesPerSecond{});
    const BytesPerSecond usual = nic_reach(spec_.node, catalog_, ports_.endpoint_rate(spec_.fabric.kind)).rate();
    apply_rules(
        switch_network_rules(),
        SwitchInNetwork{*part, spec_.fabric.transport, nic, stated, above, spec_.fabric.link_rate.value_or(usual)},
        names, findings);
  }

  const ClusterSpec& spec_;
  const Catalog& catalog_;
  const FabricPorts& ports_;
};

}  // namespace

std::vector<RuleFinding> cluster_findings(const ClusterSpec& written, const ClusterSpec& filled, const Catalog& catalog,
                                          const FabricPorts& ports) {
  Finder finder(filled, catalog, ports);
  if (filled.parts) finder.findings = part_findings(*filled.parts, catalog);
  const auto as_written = node_groups(written), groups = node_groups(filled);
  for (std::size_t g = 0; g < groups.size(); ++g) finder.check_node(as_written[g], groups[g]);
  finder.check_switches();
  return std::move(finder.findings);
}

}  // namespace clusterwright
