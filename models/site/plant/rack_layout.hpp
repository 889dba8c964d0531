// SPDX-License-Identifier: Apache-2.0
/// Contents of every rack, and the racks that stand together.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/rack_filling.hpp"
#include "models/site/plant/site_networks.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/typed_id.hpp"

namespace clusterwright {

using RackId = Id<struct RackTag>;
using DeviceId = Id<struct DeviceTag>;

/// network: switches of one scalable unit. core: switches that join scalable units.
enum class RackRole { compute, network, core, service, storage };
inline constexpr std::array<std::string_view, 5> rack_role_names = {"compute", "network", "core", "service", "storage"};
inline constexpr std::string_view rack_role_letters = "CNKSD";  ///< first letters of names of racks, by role

struct RackContent {
  std::string what;  ///< "node", "leaf switch"
  std::string part;
  int count = 0;
};

struct PlacedRack {
  RackRole role = RackRole::compute;
  std::string name;    ///< "C12"; unique
  int row = 0;         ///< row of the hall, from 0
  int place = 0;       ///< place in its row, from 0
  Meters x, y;         ///< centre, from the hall's corner: along and across the rows
  double used_u = 0;   ///< occupied rack units, without reserved ones
  Kilograms mass;      ///< mass with the frame
  Watts rated;         ///< nameplate power of its contents
  Watts to_air;        ///< share of `rated` that heats the air of the hall
  int first_node = 0;  ///< first node of a compute rack
  int nodes = 0;       ///< number of installed nodes
  std::vector<RackContent> contents;
};

/// Equal devices for one use.
struct DeviceKind {
  std::string what;       ///< "node", "training leaf", "power strip"
  std::string part;       ///< empty for power strips, which the catalog of circuits does not name
  double rack_units = 0;  ///< of one device; 0 for power strips, which hang beside the units
  int ports = 0;          ///< ports of a switch; 0 for other devices
};

struct PlacedDevice {
  std::size_t kind = 0;  ///< index in RackLayout::device_kinds
  RackId rack;
  double below_u = 0;  ///< rack units below it; of power strips their number in the rack, from 0
};

/// End of a cable.
struct Location {
  RackId rack;
  Meters height;  ///< height over the floor
  DeviceId device;
};

/// Cable from a device to a switch of the management network.
struct ConsoleCable {
  Location end;
  std::size_t management_switch = 0;  ///< index in RackLayout::management
};

struct RackLayout {
  std::vector<DeviceKind> device_kinds;
  IndexedVector<DeviceId, PlacedDevice> devices;
  IndexedVector<RackId, PlacedRack> racks;      ///< without a place on the floor
  std::vector<std::vector<RackId>> blocks;      ///< racks that stand side by side, in the order of the floor
  std::vector<Location> nodes;                  ///< working nodes, by number
  std::vector<std::vector<Location>> switches;  ///< switches by network, by switch of its graph
  std::vector<Location> managers, servers, appliances;
  std::vector<Location> management;  ///< switches of the management network
  std::vector<ConsoleCable> consoles;
  int nodes_per_rack = 0;
  std::vector<RackLimit> limits;  ///< limits of compute racks, the binding one first
  std::vector<SiteVerdict> verdicts;
};

struct LayoutRequest {
  const ComputeBlock& block;
  const RackBounds& bounds;
  int nodes = 0;
  int unit_nodes = 0;  ///< nodes of one scalable unit
  const std::vector<SiteNetwork>& networks;
  const SwitchPart* management_switch = nullptr;  ///< null: no management network
  const ServicesSpec& services;
  std::vector<Device> managers, servers, appliances;
  int power_strips = 0;  ///< of each rack; each has a console
};

/// Nodes of one compute rack: as many as the tightest limit allows, and at least one block even where that does not
/// fit.
int choose_nodes_per_rack(const ComputeBlock& block, const std::vector<RackLimit>& limits);

RackLayout lay_out_racks(const LayoutRequest& request);

}  // namespace clusterwright
