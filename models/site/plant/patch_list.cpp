// SPDX-License-Identifier: Apache-2.0
// Ports are numbered after the cables are cut, so that the links of one cable have neighbouring ports.
//
// Invariants
//   - A device has as many numbered ports in a group as links end there, from 1 without gaps. A switch has no more
//   links
//     than ports (its graph, and the free ports that managers and uplinks take), so each port is used at most once.
//   - On a switch, cables of several links come first and then links by module, so that the links of one cage have one
//     cable or equal modules wherever the counts fill whole cages. On nodes and servers, ports follow the order of the
//     links, which is the order of the rails.
//
// Example: a leaf of 64 ports has 32 node links on twin modules and 32 links up on the same: ports 1 to 64 in the order
// of the links. With 8 splitter cables of 4 links to nodes, those have ports 1 to 32 and the links up 33 to 64.
#include "models/site/plant/patch_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace clusterwright {

namespace {

constexpr std::string_view console_links = "console";
constexpr std::string_view uplinks = "management-uplink";

class Patcher {
 public:
  explicit Patcher(const SitePlan& plan) : plan_(plan) {}

  std::vector<PatchCable> list() {
    std::vector<const CablePiece*> pieces;
    for (const CablePiece& piece : plan_.pieces) pieces.push_back(&piece);
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const CablePiece* one, const CablePiece* other) { return one->total < other->total; });
    cables_.reserve(pieces.size());
    for (const CablePiece* piece : pieces) add(*piece);
    number_ports();
    return std::move(cables_);
  }

 private:
  /// Ports of one device that are numbered together; those of nodes by network.
  using Group = std::tuple<DeviceId, PortGroup, std::string>;
  struct Link {
    std::size_t cable = 0, link = 0;
    bool lower = false;
  };

  const CableTotal& total_of(const PatchCable& cable) const { return plan_.cables[cable.total.value]; }

  PortGroup group_of(const CableTotal& total, DeviceId device, bool lower) const {
    if (total.link == console_links && lower) return PortGroup::console;
    if (total.link == uplinks && lower) return PortGroup::uplink;
    const bool is_switch = plan_.device_kinds[plan_.devices[device].kind].ports > 0;
    return is_switch ? PortGroup::switch_port : PortGroup::network;
  }

  void add(const CablePiece& piece) {
    PatchCable cable{piece.total, {}, {}, {}, piece.bought};
    const CableTotal& total = total_of(cable);
    for (const std::size_t run : piece.runs) {
      const CableRun& route = plan_.runs[run];
      cable.routed = std::max(cable.routed, route.routed);
      add_end(cable.lower, total, route.from.device, true);
      add_end(cable.upper, total, route.to.device, false);
    }
    cables_.push_back(std::move(cable));
  }

  void add_end(std::vector<PatchEnd>& ends, const CableTotal& total, DeviceId device, bool lower) {
    const PortGroup group = group_of(total, device, lower);
    links_[{device, group, group == PortGroup::network ? total.network : std::string()}].push_back(
        {cables_.size(), ends.size(), lower});
    ends.push_back({device, group, 0});
  }

  /// Key that puts what shares a cage side by side: cables of most links first, then equal modules.
  std::pair<int, std::string_view> cage_key(const Link& link) const {
    const PatchCable& cable = cables_[link.cable];
    const CableTotal& total = total_of(cable);
    return {-static_cast<int>(cable.lower.size()), link.lower ? total.lower_module : total.upper_module};
  }

  void number_ports() {
    for (auto& [group, links] : links_) {
      if (std::get<PortGroup>(group) == PortGroup::switch_port)
        std::stable_sort(links.begin(), links.end(),
                         [&](const Link& one, const Link& other) { return cage_key(one) < cage_key(other); });
      int port = 0;
      for (const Link& link : links) {
        PatchCable& cable = cables_[link.cable];
        (link.lower ? cable.lower : cable.upper)[link.link].port = ++port;
      }
    }
  }

  const SitePlan& plan_;
  std::vector<PatchCable> cables_;
  std::map<Group, std::vector<Link>> links_;
};

}  // namespace

std::string port_name(const SitePlan& plan, const PatchCable& cable, const PatchEnd& end) {
  switch (end.group) {
    case PortGroup::network:
      return fmt::format("{} {}", plan.cables[cable.total.value].network, end.port);
    case PortGroup::console:
      return fmt::format("console {}", end.port);
    case PortGroup::uplink:
      return fmt::format("uplink {}", end.port);
    case PortGroup::switch_port:
      break;
  }
  return std::to_string(end.port);
}

std::vector<PatchCable> patch_list(const SitePlan& plan) {
  return Patcher(plan).list();
}

}  // namespace clusterwright
