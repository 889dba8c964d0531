// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric_check.hpp"

#include <fmt/format.h>

namespace clusterwright {

void FabricCheck::error(std::string code, std::string message, std::vector<std::string> pointers, std::string help) {
  errors.push_back({std::move(code), std::move(message), std::move(pointers), "", std::move(help)});
}

void FabricCheck::check_ports(long long needed, const std::string& sum, const std::string& pointer) {
  const int has = ports.direct_switches;
  if (has > 0 && needed > has)
    error("E0306", fmt::format("a switch has too few ports: {} = {} needed (got {})", sum, needed, has),
          {pointer, "/fabric/switch"}, "take a larger switch, or give it fewer cables");
}

void FabricCheck::check_slots(const EndpointSlots& slots, const std::string& pointer) {
  const int nics = size.nics_per_node;
  if (size.nodes <= slots.nodes(nics)) return;
  const long long all = slots.groups * slots.switches_per_group * slots.per_switch;
  error(
      "E0316",
      fmt::format(
          "the fabric has too few ports for NICs: it has {}, of which {} nodes with {} NICs can use {}; {} are needed",
          all, slots.nodes(nics), nics, slots.nodes(nics) * nics, static_cast<long long>(size.nodes) * nics),
      {pointer, "/accelerators", "/node/nics"}, "add groups or switches, or take fewer accelerators");
}

void FabricCheck::check_groups(const Groups& dragonfly, const std::string& pointer) {
  const auto [groups, switches, links, per_pair] = dragonfly;
  if (groups > switches * links + 1)
    error("E0307",
          fmt::format("{} groups cannot all be joined: one group has {} x {} global links", groups, switches, links),
          {pointer + "/groups"}, fmt::format("at most {} groups", switches * links + 1));
  else if (groups > 1 && per_pair * (groups - 1LL) > switches * links)
    error("E0337",
          fmt::format("{} cables to each of {} other groups exceed the {} x {} global links of a group", per_pair,
                      groups - 1, switches, links),
          {pointer + "/links_per_group_pair"},
          fmt::format("at most {} between two groups", switches * links / (groups - 1)));
}

}  // namespace clusterwright
