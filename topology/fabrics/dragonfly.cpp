// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/fabrics/global_links.hpp"

namespace clusterwright {

EndpointSlots dragonfly_slots(const FabricSpec& spec) {
  const DragonflySpec& d = spec.dragonfly.value();
  return {d.endpoints_per_switch, d.switches_per_group, d.groups};
}

void check_dragonfly(FabricCheck& check) {
  const DragonflySpec& d = *check.spec.dragonfly;
  const int p = d.endpoints_per_switch, a = d.switches_per_group, h = d.global_links_per_switch;
  check.check_ports(p + (a - 1) + h, fmt::format("{} + {} + {}", p, a - 1, h), "/fabric/dragonfly");
  check.check_groups({d.groups, a, h, d.links_per_group_pair}, "/fabric/dragonfly");
  check.check_slots(dragonfly_slots(check.spec), "/fabric/dragonfly");
}

void add_dragonfly_tiers(SiteTiers& site) {
  const DragonflySpec& d = *site.spec.dragonfly;
  const int a = d.switches_per_group;
  const GlobalLinks global(d.groups, static_cast<long long>(a) * d.global_links_per_switch, d.links_per_group_pair);
  const auto globals = static_cast<double>(global.of_group());
  const EndpointSlots slots = dragonfly_slots(site.spec);
  const int nics = site.size.nics_per_node;
  const int in_group = std::min(a, 2);
  site.add_switches("switch", 1, d.endpoints_per_switch, a - 1 + globals / a, 1);
  if (d.groups > 1) site.add("group", slots.nodes_per_group(nics), globals * site.link_rate(), in_group);
  if (d.groups > 2 && d.groups % 2 == 0)
    site.add("half", slots.nodes(nics) / 2, static_cast<double>(global.half_cut()) * site.link_rate(), 2 * in_group);
  site.add_top(slots.nodes(nics), d.groups > 1 ? 2 * in_group : in_group);
}

namespace {

void join_group(NetworkAssembly& assembly, VertexId first, int switches, std::size_t kind) {
  for (int a = 0; a < switches; ++a)
    for (int b = a + 1; b < switches; ++b) assembly.connect(first + a, first + b, kind);
}

}  // namespace

TopSwitches build_dragonfly(NetworkAssembly& assembly) {
  const DragonflySpec& d = assembly.spec.dragonfly.value();
  const int a = d.switches_per_group;
  const GlobalLinks global(d.groups, static_cast<long long>(a) * d.global_links_per_switch, d.links_per_group_pair);
  const long long switches = static_cast<long long>(a) * d.groups;
  assembly.expect_cables(static_cast<long long>(assembly.size.nodes) * assembly.size.nics_per_node +
                         switches * (a - 1) / 2 + global.all());
  const VertexId first = assembly.add_switches("switch", switches, assembly.ports.direct_switches);
  const std::size_t endpoint_kind = assembly.add_kind("node-switch", assembly.size.nic_rate);
  const std::size_t local_kind = assembly.add_kind("local", assembly.link_rate());
  const std::size_t global_kind = assembly.add_kind("global", assembly.link_rate());
  const std::vector<GlobalLinks::Cable> cables = global.cables();
  for (int site = 0; site < assembly.sites; ++site) {
    const VertexId here = first + site * switches;
    const auto at = [&](int group, int s) { return here + (group * a + s); };
    attach_endpoints(assembly, site, here, dragonfly_slots(assembly.spec), endpoint_kind);
    for (int group = 0; group < d.groups; ++group) join_group(assembly, at(group, 0), a, local_kind);
    for (const GlobalLinks::Cable& cable : cables)
      assembly.connect(at(cable.from_group, global.switch_of(cable.from_port, a)),
                       at(cable.to_group, global.switch_of(cable.to_port, a)), global_kind);
  }
  for (long long s = 0; s < switches * assembly.sites; ++s) assembly.network.groups.push_back(static_cast<int>(s / a));
  return {first, 1, static_cast<std::uint32_t>(switches), 1};
}

}  // namespace clusterwright
