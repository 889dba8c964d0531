/// Where everything stands, how it is joined, fed and cooled.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/bill_of_materials.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

// --- Racks and floor --------------------------------------------------------------------------------------------

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

/// One reason why a rack holds no more nodes.
struct RackLimit {
  std::string what;        ///< "cooling"
  int nodes = 0;           ///< that it allows
  std::string arithmetic;  ///< "41 kW / 10.2 kW"
};

/// A lane beside rows of racks, over the whole length of the hall.
struct Aisle {
  Meters from, to;   ///< across the rows, from the hall's corner
  bool cold = true;  ///< else hot
};

struct FloorPlan {
  Meters length, width;  ///< of the hall, along and across the rows; given or needed
  int rows = 0;
  int racks_per_row = 0;  ///< room, not use
  std::vector<PlacedRack> racks;
  std::vector<Aisle> aisles;  ///< in order
  int nodes_per_rack = 0;
  int nodes_per_unit = 0;         ///< that share racks of switches
  std::vector<RackLimit> limits;  ///< of compute racks, the binding one first
  std::string frame;
  Meters rack_width, rack_depth;
};

// --- Networks ---------------------------------------------------------------------------------------------------

struct SwitchTotal {
  std::string network;  ///< "compute", "storage", "in-band", "management"
  std::string tier;     ///< "leaf"
  std::string part;     ///< empty where the cluster names none
  long long count = 0;
  Watts rated_each;     ///< modules in the cages included
  Watts expected_each;  ///< with the modules that are in its cages
};

struct LengthBin {
  Meters length;  ///< as bought: the next larger one on sale
  long long links = 0;
};

/// Links of one class that are made of the same parts.
struct CableTotal {
  std::string network;
  std::string link;  ///< "node-leaf", "leaf-spine"
  std::string part;  ///< cable or fibre; empty where the catalog has none for the rate and distance
  std::string kind;  ///< "copper", "active copper", "active optical", "fibre"
  std::string lower_module, upper_module;  ///< transceivers at both ends of a fibre, else empty
  BytesPerSecond rate;                     ///< of one link, one direction
  long long links = 0;
  long long cables = 0;            ///< to buy: one may carry several links
  std::vector<LengthBin> lengths;  ///< ascending
  Meters longest;                  ///< as routed, not as bought
};

struct TransceiverTotal {
  std::string part;
  long long count = 0;
};

/// One end or both of a cable as routed: what laws check.
struct CableRun {
  std::size_t total = 0;         ///< which of the totals it belongs to
  std::size_t from = 0, to = 0;  ///< racks
  Meters routed;                 ///< along trays, with slack
  Meters bought;
};

/// The links inside a machine that spans several nodes.
struct ScaleUpCheck {
  int accelerators = 0;  ///< of one domain
  int racks = 0;         ///< that one domain spans
  long long cables = 0;  ///< of one domain
  Meters longest, total_length;
  std::optional<Meters> reach;  ///< of passive copper at that rate; none where it is not known
  Kilograms mass;
  bool holds = true;
  std::string arithmetic;
};

// --- Power and cooling ------------------------------------------------------------------------------------------

/// One stage of the chain at rated load.
struct PowerStageLoad {
  std::string part;
  PowerStageKind kind = PowerStageKind::ups;
  Redundancy redundancy = Redundancy::n;
  long long modules = 0;
  Watts rating;                   ///< of one module, real power at the machines' power factor
  Watts output;                   ///< of all modules together
  double load = 0;                ///< of one module, share of its rating
  double load_after_loss = 0;     ///< of one that is left when the redundancy is used up; 0: none may be lost
  double efficiency = 0;          ///< at that load
  std::optional<double> amperes;  ///< of one module and phase
  Watts apparent;                 ///< kVA that one module is rated at
  int phases = 3;
};

struct RackFeeds {
  std::string part;
  int feeds = 0;       ///< of one compute rack
  int needed = 0;      ///< to carry it without a spare
  Watts usable;        ///< of one feed, for hours
  Watts after_loss;    ///< on one of those that are left
  double amperes = 0;  ///< of one phase, all feeds sound
};

/// What is drawn, and what it is made of. The parts sum to the whole.
struct PowerNode {
  std::string name;
  Watts power;
  std::vector<PowerNode> parts;
};

/// At one operating point.
struct FacilityPower {
  Watts it;      ///< all machines, switches and appliances, in front of their supplies
  Watts losses;  ///< of the chain
  Watts cooling;
  Watts other;
  Watts facility;  ///< from the grid
  double pue = 0;
  PowerNode tree;  ///< from the grid down
};

struct CoolingLoad {
  std::string kind;
  Watts liquid, air;                        ///< heat at rated load
  std::optional<double> coolant_l_per_min;  ///< of the whole hall
  double air_m3_per_h = 0;
  double air_kg_per_s = 0;
  Watts rack_air;  ///< heat that one compute rack leaves in the air
  double coolant_supply_c = 0, coolant_return_c = 0;
  double air_supply_c = 0, air_return_c = 0;
  double hottest_c = 0;         ///< outdoors
  double compressor_share = 0;  ///< of the year's hours in which a compressor runs
  std::string coolant_unit;
  long long coolant_units = 0;
  double pue_share = 0;      ///< power for cooling over power of the machines, mean of a year
  double wue_l_per_kwh = 0;  ///< water over energy of the machines, mean of a year
};

// --- The plan ---------------------------------------------------------------------------------------------------

/// A constraint that was checked.
struct SiteVerdict {
  std::string what;  ///< "power of a rack"
  bool holds = true;
  std::string arithmetic;  ///< one line with the numbers
  std::string field;       ///< of the cluster or facility that would have to change: "facility.rack.power_limit_kw"
};

/// What nodes and switches draw; everything else draws what it is rated at.
struct NodePower {
  Watts rated;               ///< nameplate
  Watts mean, peak, trough;  ///< of one node over a step; all as the catalog's typical power without a job
  Watts accelerators_rated, accelerators_mean;  ///< of these, what the accelerators draw
  std::string source;                           ///< "replayed step", or where the typical power comes from
};

struct SitePlan {
  int accelerators = 0;  ///< working ones
  int nodes = 0;         ///< working ones
  int spare_nodes = 0;
  NodePower node;
  std::string node_part;
  FloorPlan floor;
  std::vector<SwitchTotal> switches;
  std::vector<CableTotal> cables;
  std::vector<TransceiverTotal> transceivers;
  std::vector<CableRun> runs;
  std::optional<ScaleUpCheck> scale_up;
  std::vector<PowerStageLoad> stages;
  RackFeeds feeds;
  FacilityPower rated;  ///< everything at its nameplate
  FacilityPower mean;
  FacilityPower peak;
  CoolingLoad cooling;
  Kilograms mass;
  BillOfMaterials bill;
  std::vector<SiteVerdict> verdicts;  ///< those that do not hold first
  std::vector<std::string> warnings;
  std::vector<std::string> uncounted;  ///< what would have to be bought too, and has no part

  bool holds() const {
    for (const SiteVerdict& verdict : verdicts)
      if (!verdict.holds) return false;
    return true;
  }
};

}  // namespace clusterwright
