// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/dragonfly_plus.hpp"

#include <fmt/format.h>

#include "topology/fabrics/global_links.hpp"

namespace clusterwright {

EndpointSlots dragonfly_plus_slots(const FabricSpec& spec) {
  const DragonflyPlusSpec& d = spec.dragonfly_plus.value();
  return {d.endpoints_per_leaf, d.leaves_per_group, d.groups};
}

void check_dragonfly_plus(FabricCheck& check) {
  const DragonflyPlusSpec& d = *check.spec.dragonfly_plus;
  check.check_ports(d.endpoints_per_leaf + d.spines_per_group,
                    fmt::format("leaf, {} + {}", d.endpoints_per_leaf, d.spines_per_group), "/fabric/dragonfly_plus");
  check.check_ports(d.leaves_per_group + d.global_links_per_spine,
                    fmt::format("spine, {} + {}", d.leaves_per_group, d.global_links_per_spine),
                    "/fabric/dragonfly_plus");
  check.check_groups({d.groups, d.spines_per_group, d.global_links_per_spine, d.links_per_group_pair},
                     "/fabric/dragonfly_plus");
  check.check_slots(dragonfly_plus_slots(check.spec), "/fabric/dragonfly_plus");
}

void add_dragonfly_plus_tiers(SiteTiers& site) {
  const DragonflyPlusSpec& d = *site.spec.dragonfly_plus;
  const int spines = d.spines_per_group;
  const GlobalLinks global(d.groups, static_cast<long long>(spines) * d.global_links_per_spine, d.links_per_group_pair);
  const EndpointSlots slots = dragonfly_plus_slots(site.spec);
  const int nics = site.size.nics_per_node;
  site.add_switches("leaf", 1, d.endpoints_per_leaf, spines, 1);
  if (d.groups > 1)
    site.add("group", slots.nodes_per_group(nics), static_cast<double>(global.of_group()) * site.link_rate(), 3);
  if (d.groups > 2 && d.groups % 2 == 0)
    site.add("half", slots.nodes(nics) / 2, static_cast<double>(global.half_cut()) * site.link_rate(), 4);
  site.add_top(slots.nodes(nics), d.groups > 1 ? 4 : 3);
  site.to_border = 2;
}

TopSwitches build_dragonfly_plus(NetworkAssembly& assembly) {
  const DragonflyPlusSpec& d = assembly.spec.dragonfly_plus.value();
  const GlobalLinks global(d.groups, static_cast<long long>(d.spines_per_group) * d.global_links_per_spine,
                           d.links_per_group_pair);
  const long long leaves = static_cast<long long>(d.leaves_per_group) * d.groups;
  const long long spines = static_cast<long long>(d.spines_per_group) * d.groups;
  assembly.expect_cables(static_cast<long long>(assembly.size.nodes) * assembly.size.nics_per_node +
                         leaves * d.spines_per_group + global.all());
  const VertexId first_leaf = assembly.add_switches("leaf", leaves, assembly.ports.direct_switches);
  const VertexId first_spine = assembly.add_switches("spine", spines, assembly.ports.direct_switches);
  const std::size_t endpoint_kind = assembly.add_kind("node-leaf", assembly.size.nic_rate);
  const std::size_t local_kind = assembly.add_kind("local", assembly.link_rate());
  const std::size_t global_kind = assembly.add_kind("global", assembly.link_rate());
  const std::vector<GlobalLinks::Cable> cables = global.cables();
  for (int site = 0; site < assembly.sites; ++site) {
    const VertexId leaf = first_leaf + site * leaves;
    const VertexId spine = first_spine + site * spines;
    const auto spine_at = [&](int group, int s) { return spine + (group * d.spines_per_group + s); };
    attach_endpoints(assembly, site, leaf, dragonfly_plus_slots(assembly.spec), endpoint_kind);
    for (long long l = 0; l < leaves; ++l)
      for (int s = 0; s < d.spines_per_group; ++s)
        assembly.connect(leaf + l, spine_at(static_cast<int>(l / d.leaves_per_group), s), local_kind);
    for (const GlobalLinks::Cable& cable : cables)
      assembly.connect(spine_at(cable.from_group, global.switch_of(cable.from_port, d.spines_per_group)),
                       spine_at(cable.to_group, global.switch_of(cable.to_port, d.spines_per_group)), global_kind);
  }
  for (const long long per_group : {d.leaves_per_group, d.spines_per_group})
    for (long long s = 0; s < per_group * d.groups * assembly.sites; ++s)
      assembly.network.groups.push_back(static_cast<int>(s / per_group));
  return {first_spine, static_cast<std::uint32_t>(spines), static_cast<std::uint32_t>(spines), 1};
}

}  // namespace clusterwright
