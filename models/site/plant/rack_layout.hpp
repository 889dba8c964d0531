/// What stands in which rack, and which racks stand together.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/site/plant/rack_filling.hpp"
#include "models/site/plant/site_networks.hpp"
#include "models/site/plant/site_verdict.hpp"

namespace clusterwright {

/// network: switches of one unit of nodes. core: switches that join units.
enum class RackRole { compute, network, core, service, storage };
inline constexpr std::array<std::string_view, 5> rack_role_names = {"compute", "network", "core", "service", "storage"};

struct RackContent {
  std::string what;  ///< "node", "leaf switch"
  std::string part;
  int count = 0;
};

struct PlacedRack {
  RackRole role = RackRole::compute;
  std::string name;    ///< "C12"; unique
  int row = 0;         ///< from 0
  int place = 0;       ///< in its row, from 0
  Meters x, y;         ///< of its centre, from the hall's corner: along and across the rows
  double used_u = 0;   ///< reserved units not counted
  Kilograms mass;      ///< with the frame
  Watts rated;         ///< of all that stands in it
  Watts to_air;        ///< of that, what the hall's air takes up
  int first_node = 0;  ///< of a compute rack
  int nodes = 0;       ///< installed ones
  std::vector<RackContent> contents;
};

/// Where the end of a cable is.
struct Location {
  std::size_t rack = 0;
  Meters height;  ///< over the floor
};

struct RackLayout {
  std::vector<PlacedRack> racks;                 ///< without a place on the floor
  std::vector<std::vector<std::size_t>> blocks;  ///< racks that stand side by side, in the order of the floor
  std::vector<Location> nodes;                   ///< working ones, by number
  std::vector<std::vector<Location>> switches;   ///< by network, by switch
  std::vector<Location> managers, servers, appliances;
  std::vector<Location> management;                        ///< switches for consoles
  std::vector<std::pair<Location, std::size_t>> consoles;  ///< cables to them, with the switch each leads to
  int nodes_per_rack = 0;
  std::vector<RackLimit> limits;
  std::vector<SiteVerdict> verdicts;
};

struct LayoutRequest {
  const ComputeBlock& block;
  const RackBounds& bounds;
  int nodes = 0;
  int unit_nodes = 0;
  const std::vector<SiteNetwork>& networks;
  const SwitchPart* management_switch = nullptr;  ///< none: no network for consoles
  const ServicesSpec& services;
  std::vector<Device> managers, servers, appliances;
};

/// Nodes of one compute rack: what the tightest limit allows, at least one block, where the verdict says so.
int choose_nodes_per_rack(const ComputeBlock& block, const std::vector<RackLimit>& limits);

RackLayout lay_out_racks(const LayoutRequest& request);

}  // namespace clusterwright
