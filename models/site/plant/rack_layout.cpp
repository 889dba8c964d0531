// SPDX-License-Identifier: Apache-2.0
// Every device gets a rack and a height, and every rack a block of racks that stand together.
//
// Order: nodes by scalable unit, then switches tier by tier, then managers, servers and storage, then management
// switches with one console cable per device.
//
// Invariants
//   - No rack exceeds a limit of rack_filling.hpp. A rack whose only device does not fit gets a failing verdict.
//   - Nodes of a scalable unit never share a rack with nodes of another one.
//   - Devices fill a rack from its lowest unit without gaps, in the order in which they are placed. Cables end at the
//     middle of their devices.
//   - A switch stands in the rack of its nodes if all of them are there and it fits; else with its scalable unit; else,
//     where it joins several units, in core racks behind the unit in the middle of them.
//
// Example: 127 nodes of 10.2 kW and 8 U in racks of 41 kW and 42 U: 4 nodes a rack (cooling; height would allow 5), and
// 32 nodes to a scalable unit. Units 0 to 2 have 8 full compute racks; unit 3, of 31 nodes, has 8 with one place free.
// The 8 leaves of a unit stand in a network rack in the middle of its block. The 16 spines join all units, so they
// stand in a core rack behind unit (0 + 3) / 2 = 1, and after it services and storage:
//   C1 C2 C3 C4 N1 C5 C6 C7 C8 | C9 ... N2 ... C16 | K1 | S1 D1 | C17 ... N3 ... C24 | C25 ... N4 ... C32
//
// Source: blocks of reference designs, tests/models/site_plan_oracles_test.cpp ("127 DGX H100 stand in 38 racks").
#include "models/site/plant/rack_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "models/site/plant/site_verdict.hpp"

namespace clusterwright {

namespace {

/// Height of feet and frame below the lowest rack unit.
constexpr Meters plinth = 0.1 * meter;

/// Racks of one role that are filled one after the other with single devices.
struct Bay {
  RackRole role = RackRole::network;
  std::vector<RackId> racks;
  std::optional<OpenRack> open;
};

class RackLayer {
 public:
  explicit RackLayer(const LayoutRequest& request) : request_(request), bounds_(request.bounds) {
    out_.limits = compute_rack_limits(request.block, bounds_);
    out_.nodes_per_rack = choose_nodes_per_rack(request.block, out_.limits);
    units_.resize(static_cast<std::size_t>((request.nodes + request.unit_nodes - 1) / request.unit_nodes));
    hall_.services.role = RackRole::service;
    hall_.storage.role = RackRole::storage;
  }

  RackLayout lay_out() {
    judge_compute_rack();
    for (std::size_t unit = 0; unit < units_.size(); ++unit) place_nodes(unit);
    place_switches();
    place_all(request_.managers, hall_.services, out_.managers);
    place_all(request_.servers, hall_.services, out_.servers);
    place_all(request_.appliances, hall_.storage, out_.appliances);
    list_devices_of_racks();
    if (request_.management_switch) place_consoles();
    add_strips();
    arrange();
    return std::move(out_);
  }

 private:
  /// Scalable unit.
  struct Unit {
    int first_node = 0, nodes = 0;
    std::vector<RackId> compute;
    Bay network{RackRole::network, {}, {}};
  };
  struct Hall {
    Bay services, storage;
  };

  void judge_compute_rack() {
    const RackLimit& tightest = out_.limits.front();
    if (tightest.nodes >= request_.block.nodes) return;
    out_.verdicts.push_back({std::string(tightest.name()), false,
                             fmt::format("one {} does not fit: {}", request_.block.device.part, tightest.arithmetic),
                             "facility.rack, facility.cooling or facility.power", true});
  }

  RackId new_rack(RackRole role) {
    const auto index = static_cast<std::size_t>(role);
    PlacedRack rack;
    rack.role = role;
    rack.name = fmt::format("{}{}", rack_role_letters[index], ++numbers_[index]);
    rack.mass = bounds_.frame->mass.value;
    return out_.racks.push_back(std::move(rack));
  }

  void place_nodes(std::size_t index) {
    Unit& unit = units_[index];
    unit.first_node = static_cast<int>(index) * request_.unit_nodes;
    unit.nodes = std::min(request_.unit_nodes, request_.nodes - unit.first_node);
    for (int done = 0; done < unit.nodes; done += out_.nodes_per_rack) {
      const RackId rack = new_rack(RackRole::compute);
      fill_compute_rack(rack, unit.first_node + done, std::min(out_.nodes_per_rack, unit.nodes - done));
      unit.compute.push_back(rack);
    }
  }

  /// A machine brings its own rack, so its mass includes the frame.
  void fill_compute_rack(RackId id, int first, int nodes) {
    PlacedRack& rack = out_.racks[id];
    const ComputeBlock& block = request_.block;
    const int blocks = (nodes + block.nodes - 1) / block.nodes;
    rack.first_node = first;
    rack.nodes = nodes;
    rack.used_u = blocks * block.device.rack_units;
    rack.mass = blocks * block.device.mass + (block.machine ? Kilograms{} : bounds_.frame->mass.value);
    rack.rated = block.device.rated * nodes / block.nodes;
    rack.to_air = (1 - block.device.liquid_share) * rack.rated;
    rack.contents.push_back({block.machine ? "machine" : "node", block.device.part, blocks});
    const Meters each = block.device.rack_units / block.nodes * rack_unit;
    const double units = block.device.rack_units / block.nodes;
    const std::size_t kind = kind_of("node", block.node->id, units, 0);
    for (int i = 0; i < nodes; ++i)
      out_.nodes.push_back({id, plinth + (i + 0.5) * each, out_.devices.push_back({kind, id, i * units})});
  }

  std::size_t kind_of(const std::string& what, const std::string& part, double units, int ports) {
    const auto [found, added] = kinds_.try_emplace({what, part}, out_.device_kinds.size());
    if (added) out_.device_kinds.push_back({what, part, units, ports});
    return found->second;
  }

  Location place(const Device& device, Bay& bay) {
    if (!bay.open || !bay.open->fits(device)) open_rack(device, bay);
    return add_to(bay.racks.back(), device, *bay.open);
  }

  Location add_to(RackId id, const Device& device, OpenRack& open) {
    open.add(device);
    PlacedRack& rack = out_.racks[id];
    rack.used_u = open.used_u();
    rack.mass = bounds_.frame->mass.value + open.mass();
    rack.rated = open.rated();
    rack.to_air = open.to_air();
    count_content(rack, device);
    const std::size_t kind = kind_of(device.what, device.part, device.rack_units, device.ports);
    return {id, plinth + (open.used_u() - device.rack_units / 2) * rack_unit,
            out_.devices.push_back({kind, id, open.used_u() - device.rack_units})};
  }

  void open_rack(const Device& device, Bay& bay) {
    bay.open.emplace(bounds_, bounds_.rules.reserved_network_u);
    bay.racks.push_back(new_rack(bay.role));
    std::string reason;
    if (!bay.open->fits(device, &reason)) report_once("rack of a " + device.what, device.part + " alone: " + reason);
  }

  void report_once(std::string what, std::string reason) {
    const auto said = [&](const SiteVerdict& verdict) { return verdict.what == what; };
    if (std::any_of(out_.verdicts.begin(), out_.verdicts.end(), said)) return;
    out_.verdicts.push_back({std::move(what), false, std::move(reason), "facility.rack or facility.cooling"});
  }

  static void count_content(PlacedRack& rack, const Device& device) {
    for (RackContent& content : rack.contents)
      if (content.part == device.part && content.what == device.what) {
        ++content.count;
        return;
      }
    rack.contents.push_back({device.what, device.part, 1});
  }

  void place_all(const std::vector<Device>& devices, Bay& bay, std::vector<Location>& places) {
    for (const Device& device : devices) places.push_back(place(device, bay));
  }

  /// Racks of a switch: those of a scalable unit if all nodes below it belong to that unit, else core racks in the
  /// middle of the units that it joins.
  Bay& bay_of(NodeSpan span) {
    if (span.empty()) return hall_.services;
    const auto first = static_cast<std::size_t>(span.first / request_.unit_nodes);
    const auto last = static_cast<std::size_t>(span.last / request_.unit_nodes);
    if (first == last && units_.size() > 1) return units_[first].network;
    Bay& bay = cores_[{first, last}];
    bay.role = RackRole::core;
    return bay;
  }

  void place_switches() {
    for (const SiteNetwork& network : request_.networks) {
      std::vector<Location>& places = out_.switches.emplace_back(network.graph.switches());
      for (std::size_t level = 0; level < network.graph.tiers().size(); ++level) {
        const SwitchTier& tier = network.graph.tiers()[level];
        if (!network.tier_parts[level]) continue;
        const Device device = switch_device(*network.tier_parts[level], network.name + " " + tier.name);
        for (const VertexId vertex : tier.switches()) {
          const std::size_t at = network.graph.switch_number(vertex);
          const NodeSpan span = network.spans[at];
          if (const auto own = on_top(device, span))
            places[at] = *own;
          else
            places[at] = place(device, level == 0 ? bay_or_own(span) : bay_of(span));
        }
      }
    }
  }

  /// Racks of a lowest switch; with a single scalable unit it stands with that unit too.
  Bay& bay_or_own(NodeSpan span) {
    if (units_.size() == 1 && !span.empty()) return units_.front().network;
    return bay_of(span);
  }

  /// Place in the rack of its nodes for a switch whose nodes all stand in one rack, if that has the room.
  std::optional<Location> on_top(const Device& device, NodeSpan span) {
    if (span.empty()) return {};
    const RackId rack = out_.nodes[static_cast<std::size_t>(span.first)].rack;
    if (out_.nodes[static_cast<std::size_t>(span.last)].rack != rack) return {};
    return add_on_top(device, rack);
  }

  /// Place in a compute rack; racks that machines bring have no room.
  std::optional<Location> add_on_top(const Device& device, RackId rack) {
    if (request_.block.machine || out_.racks[rack].role != RackRole::compute) return {};
    auto found = compute_racks_.find(rack);
    if (found == compute_racks_.end()) {
      found = compute_racks_.emplace(rack, OpenRack(bounds_, bounds_.rules.reserved_u)).first;
      for (int node = 0; node < out_.racks[rack].nodes; ++node) found->second.add(request_.block.device);
    }
    if (!found->second.fits(device)) return {};
    return add_to(rack, device, found->second);
  }

  // --- Consoles -----------------------------------------------------------------------------------------------------

  /// Devices with a console, by rack; management switches, which come later, have none.
  void list_devices_of_racks() {
    in_rack_.resize(out_.racks.size());
    for (std::size_t at = 0; at < out_.devices.size(); ++at) {
      const DeviceId device(at);
      in_rack_[out_.devices[device].rack].push_back(device);
    }
    add_strips();
  }

  /// Power strips of racks that have none yet.
  void add_strips() {
    const std::size_t kind = request_.power_strips > 0 ? kind_of("power strip", "", 0, 0) : 0;
    for (std::size_t at = racks_with_strips_; at < out_.racks.size(); ++at)
      for (int strip = 0; strip < request_.power_strips; ++strip) {
        const DeviceId device = out_.devices.push_back({kind, RackId(at), static_cast<double>(strip)});
        if (at < in_rack_.size()) in_rack_[RackId(at)].push_back(device);
      }
    racks_with_strips_ = out_.racks.size();
  }

  /// Consoles of nodes, switches, servers and power strips, and the management switches beside them.
  void place_consoles() {
    for (Unit& unit : units_) connect(unit.compute, unit.network);
    for (auto& [span, bay] : cores_) connect({}, bay);
    connect(hall_.storage.racks, hall_.services);
  }

  void connect(const std::vector<RackId>& with, Bay& bay) {
    std::vector<Location> ends;
    for (const RackId rack : with) add_console_ends(rack, ends);
    for (const RackId rack : bay.racks) add_console_ends(rack, ends);
    if (ends.empty()) return;
    const SwitchPart& part = *request_.management_switch;
    const Device device = switch_device(part, "management switch");
    const std::size_t first = out_.management.size(), ports = static_cast<std::size_t>(part.ports.value);
    for (std::size_t i = 0; i < (ends.size() + ports - 1) / ports; ++i) {
      const auto beside = bay.racks.empty() && !with.empty() ? add_on_top(device, with.front()) : std::nullopt;
      out_.management.push_back(beside ? *beside : place(device, bay));
    }
    for (std::size_t end = 0; end < ends.size(); ++end) out_.consoles.push_back({ends[end], first + end / ports});
  }

  /// Ends of console cables in one rack: at the middle of each device, and of the frame for power strips.
  void add_console_ends(RackId rack, std::vector<Location>& ends) const {
    for (const DeviceId id : in_rack_[rack]) {
      const PlacedDevice& device = out_.devices[id];
      const DeviceKind& kind = out_.device_kinds[device.kind];
      const bool node = kind.what == "node", strip = kind.rack_units == 0;
      const Meters height =
          strip ? bounds_.frame->height.value / 2 : plinth + (device.below_u + kind.rack_units / 2) * rack_unit;
      ends.insert(ends.end(), static_cast<std::size_t>(node ? request_.services.consoles_per_node : 1),
                  {rack, height, id});
    }
  }

  void arrange() {
    std::map<std::size_t, std::vector<std::vector<RackId>>> after;  // blocks that stand behind a unit
    for (auto& [span, bay] : cores_) after[(span.first + span.second) / 2].push_back(bay.racks);
    std::vector<RackId> hall = hall_.services.racks;
    hall.insert(hall.end(), hall_.storage.racks.begin(), hall_.storage.racks.end());
    if (!hall.empty() && !units_.empty()) after[(units_.size() - 1) / 2].push_back(hall);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      out_.blocks.push_back(unit_block(units_[unit]));
      for (auto& block : after[unit]) out_.blocks.push_back(std::move(block));
    }
  }

  /// Block of a scalable unit: its switches in the middle, near all its nodes.
  static std::vector<RackId> unit_block(const Unit& unit) {
    std::vector<RackId> block = unit.compute;
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(block.size() / 2), unit.network.racks.begin(),
                 unit.network.racks.end());
    return block;
  }

  const LayoutRequest& request_;
  const RackBounds& bounds_;
  RackLayout out_;
  std::vector<Unit> units_;
  std::map<std::pair<std::size_t, std::size_t>, Bay> cores_;  ///< bays by the first and last unit that they join
  Hall hall_;
  std::map<RackId, OpenRack> compute_racks_;  ///< compute racks with switches
  std::array<int, 5> numbers_{};
  std::map<std::pair<std::string, std::string>, std::size_t> kinds_;  ///< kinds of devices by use and part
  IndexedVector<RackId, std::vector<DeviceId>> in_rack_;              ///< devices with a console, by rack
  std::size_t racks_with_strips_ = 0;
};

}  // namespace

int choose_nodes_per_rack(const ComputeBlock& block, const std::vector<RackLimit>& limits) {
  return std::max(block.nodes, limits.front().nodes / block.nodes * block.nodes);
}

RackLayout lay_out_racks(const LayoutRequest& request) {
  return RackLayer(request).lay_out();
}

}  // namespace clusterwright
