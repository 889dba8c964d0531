#include "models/site/plant/rack_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "models/site/plant/rounding.hpp"

namespace clusterwright {

namespace {

/// Below the lowest unit: feet and frame.
constexpr Meters plinth = 0.1 * meter;
constexpr int strips_per_rack = 2;  ///< power strips, each with a console
constexpr std::array<char, 5> role_letters = {'C', 'N', 'K', 'S', 'D'};

/// Racks that are filled one after the other with single devices of one purpose.
struct Bay {
  RackRole role = RackRole::network;
  std::vector<std::size_t> racks;
  std::optional<OpenRack> open;
  int devices = 0;  ///< with a console
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
    for (std::size_t u = 0; u < units_.size(); ++u) place_nodes(u);
    place_switches();
    place_all(request_.managers, hall_.services, out_.managers);
    place_all(request_.servers, hall_.services, out_.servers);
    place_all(request_.appliances, hall_.storage, out_.appliances);
    if (request_.management_switch) place_consoles();
    arrange();
    return std::move(out_);
  }

 private:
  struct Unit {
    int first_node = 0, nodes = 0;
    std::vector<std::size_t> compute;
    Bay network{RackRole::network, {}, {}, 0};
  };
  struct Hall {
    Bay services, storage;
  };

  void judge_compute_rack() {
    const RackLimit& tightest = out_.limits.front();
    if (tightest.nodes >= request_.block.nodes) return;
    out_.verdicts.push_back({tightest.what, false,
                             fmt::format("one {} does not fit: {}", request_.block.device.part, tightest.arithmetic),
                             "facility.rack, facility.cooling or facility.power"});
  }

  std::size_t new_rack(RackRole role) {
    const auto r = static_cast<std::size_t>(role);
    PlacedRack rack;
    rack.role = role;
    rack.name = fmt::format("{}{}", role_letters[r], ++numbers_[r]);
    rack.mass = bounds_.frame->mass.value;
    out_.racks.push_back(std::move(rack));
    return out_.racks.size() - 1;
  }

  void place_nodes(std::size_t u) {
    Unit& unit = units_[u];
    unit.first_node = static_cast<int>(u) * request_.unit_nodes;
    unit.nodes = std::min(request_.unit_nodes, request_.nodes - unit.first_node);
    for (int n = 0; n < unit.nodes; n += out_.nodes_per_rack) {
      const std::size_t rack = new_rack(RackRole::compute);
      fill_compute_rack(rack, unit.first_node + n, std::min(out_.nodes_per_rack, unit.nodes - n));
      unit.compute.push_back(rack);
    }
  }

  /// A machine comes with its rack, whole.
  void fill_compute_rack(std::size_t index, int first, int nodes) {
    PlacedRack& rack = out_.racks[index];
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
    for (int i = 0; i < nodes; ++i) out_.nodes.push_back({index, plinth + (i + 0.5) * each});
  }

  Location place(const Device& device, Bay& bay) {
    if (!bay.open || !bay.open->fits(device)) open_rack(device, bay);
    ++bay.devices;
    return add_to(bay.racks.back(), device, *bay.open);
  }

  Location add_to(std::size_t index, const Device& device, OpenRack& open) {
    open.add(device);
    PlacedRack& rack = out_.racks[index];
    rack.used_u = open.used_u();
    rack.mass = bounds_.frame->mass.value + open.mass();
    rack.rated = open.rated();
    rack.to_air = open.to_air();
    count_content(rack, device);
    return {index, plinth + (open.used_u() - device.rack_units / 2) * rack_unit};
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

  /// Switches of one unit of nodes stand with it; those that join units in racks in the middle of what they join.
  Bay& bay_of(NodeSpan span) {
    if (span.last < span.first) return hall_.services;
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
      for (std::size_t t = 0; t < network.graph.tiers().size(); ++t) {
        const SwitchTier& tier = network.graph.tiers()[t];
        if (!network.tier_parts[t]) continue;
        const Device device = switch_device(*network.tier_parts[t], network.name + " " + tier.name);
        for (const VertexId v : tier.switches()) {
          const std::uint32_t at = network.graph.switch_number(v);
          const NodeSpan span = network.spans[at];
          if (const auto own = on_top(device, span))
            places[at] = *own;
          else
            places[at] = place(device, t == 0 ? bay_or_own(span) : bay_of(span));
        }
      }
    }
  }

  /// With a single unit, its lowest switches stand with it too.
  Bay& bay_or_own(NodeSpan span) {
    if (units_.size() == 1 && span.last >= span.first) return units_.front().network;
    return bay_of(span);
  }

  /// A switch whose nodes all stand in one rack goes there, if it has the room.
  std::optional<Location> on_top(const Device& device, NodeSpan span) {
    if (span.last < span.first) return {};
    const std::size_t rack = out_.nodes[static_cast<std::size_t>(span.first)].rack;
    if (out_.nodes[static_cast<std::size_t>(span.last)].rack != rack) return {};
    const auto place = add_on_top(device, rack);
    if (place) ++units_[static_cast<std::size_t>(span.first / request_.unit_nodes)].network.devices;
    return place;
  }

  /// Into a compute rack; machines that bring theirs have no room.
  std::optional<Location> add_on_top(const Device& device, std::size_t rack) {
    if (request_.block.machine || out_.racks[rack].role != RackRole::compute) return {};
    auto found = compute_racks_.find(rack);
    if (found == compute_racks_.end()) {
      found = compute_racks_.emplace(rack, OpenRack(bounds_, bounds_.rules.reserved_u)).first;
      for (int n = 0; n < out_.racks[rack].nodes; ++n) found->second.add(request_.block.device);
    }
    if (!found->second.fits(device)) return {};
    return add_to(rack, device, found->second);
  }

  /// One console for each node, switch, server and power strip; switches for them where these stand.
  void place_consoles() {
    for (Unit& unit : units_) connect(unit.compute, unit.nodes * request_.services.consoles_per_node, unit.network);
    for (auto& [span, bay] : cores_) connect({}, 0, bay);
    connect(hall_.storage.racks, hall_.storage.devices, hall_.services);
  }

  void connect(const std::vector<std::size_t>& with, int node_consoles, Bay& bay) {
    std::vector<std::size_t> racks = with;
    racks.insert(racks.end(), bay.racks.begin(), bay.racks.end());
    const int strips = strips_per_rack * static_cast<int>(racks.size());
    const int ends = node_consoles + bay.devices + strips;
    if (ends == 0) return;
    const SwitchPart& part = *request_.management_switch;
    const Device device = switch_device(part, "management switch");
    const std::size_t first = out_.management.size();
    for (int i = 0; i < (ends + part.ports.value - 1) / part.ports.value; ++i) {
      const auto beside = bay.racks.empty() && !with.empty() ? add_on_top(device, with.front()) : std::nullopt;
      out_.management.push_back(beside ? *beside : place(device, bay));
    }
    for (int end = 0; end < ends; ++end)
      out_.consoles.emplace_back(end_of_console(racks, end, ends),
                                 first + static_cast<std::size_t>(end / part.ports.value));
  }

  /// Consoles are spread evenly over the racks that have them.
  Location end_of_console(const std::vector<std::size_t>& racks, int end, int ends) const {
    const std::size_t at = racks.size() * static_cast<std::size_t>(end) / static_cast<std::size_t>(ends);
    return {racks[at], bounds_.frame->height.value / 2};
  }

  void arrange() {
    std::map<std::size_t, std::vector<std::vector<std::size_t>>> after;  // blocks behind a unit
    for (auto& [span, bay] : cores_) after[(span.first + span.second) / 2].push_back(bay.racks);
    std::vector<std::size_t> hall = hall_.services.racks;
    hall.insert(hall.end(), hall_.storage.racks.begin(), hall_.storage.racks.end());
    if (!hall.empty() && !units_.empty()) after[(units_.size() - 1) / 2].push_back(hall);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      out_.blocks.push_back(unit_block(units_[u]));
      for (auto& block : after[u]) out_.blocks.push_back(std::move(block));
    }
  }

  /// Switches in the middle, where all nodes of the unit are near.
  static std::vector<std::size_t> unit_block(const Unit& unit) {
    std::vector<std::size_t> block = unit.compute;
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(block.size() / 2), unit.network.racks.begin(),
                 unit.network.racks.end());
    return block;
  }

  const LayoutRequest& request_;
  const RackBounds& bounds_;
  RackLayout out_;
  std::vector<Unit> units_;
  std::map<std::pair<std::size_t, std::size_t>, Bay> cores_;  ///< by the units that they join
  Hall hall_;
  std::map<std::size_t, OpenRack> compute_racks_;  ///< those that switches stand in
  std::array<int, 5> numbers_{};
};

}  // namespace

int choose_nodes_per_rack(const ComputeBlock& block, const std::vector<RackLimit>& limits) {
  return std::max(block.nodes, limits.front().nodes / block.nodes * block.nodes);
}

RackLayout lay_out_racks(const LayoutRequest& request) {
  return RackLayer(request).lay_out();
}

}  // namespace clusterwright
