// SPDX-License-Identifier: Apache-2.0
/// Racks on the floor of a hall, in rows that face each other.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/rack_layout.hpp"

namespace clusterwright {

/// Lane between two rows of racks, over the whole length of the hall.
struct Aisle {
  Meters from, to;   ///< across the rows, from the hall's corner
  bool cold = true;  ///< cold aisle; else hot
};

/// Unit of a plant on its floor, with the lanes that work on it needs.
struct PlacedPlant {
  std::string what;  ///< "air units of the hall"
  std::string part;
  Meters x, y, length, width;  ///< corner and size, as of the room
};

/// Room beside the hall, or a yard.
struct PlantRoom {
  std::string name;
  Meters x, y;           ///< from the hall's corner, along and across the rows; negative before it
  Meters length, width;  ///< along and across the rows
  std::vector<PlacedPlant> units;

  double area_m2() const { return length.in(meter)*width.in(meter); }
};

struct FloorPlan {
  Meters length, width;  ///< dimensions of the hall along and across the rows; given or needed
  int rows = 0;
  int racks_per_row = 0;  ///< places in a row, occupied or not
  IndexedVector<RackId, PlacedRack> racks;
  std::vector<Aisle> aisles;     ///< across the hall
  std::vector<PlantRoom> rooms;  ///< of power and cooling, beside the hall (plant_rooms.hpp)
  int nodes_per_rack = 0;
  int nodes_per_unit = 0;         ///< nodes of one scalable unit, which share racks of switches
  std::vector<RackLimit> limits;  ///< limits of compute racks, the binding one first
  std::string frame;
  double frame_units = 0;  ///< rack units of the frame
  Meters rack_width, rack_depth;

  long long count(RackRole role) const;
};

/// Floor plan of laid-out racks.
///
/// Rows run along x and are filled to and fro, so that consecutive racks stay near each other. Rows 0 and 1 face each
/// other over a cold aisle, rows 1 and 2 turn their backs on a hot aisle. Blocks stand one behind the other; a block
/// longer than the rest of a row starts the next row if it fits there. Without a length or a number of racks per row,
/// the hall becomes as square as whole blocks allow.
/// @param layout    gets the place of each rack
/// @param verdicts  gets whether the hall is large enough
FloorPlan place_racks(RackLayout& layout, const HallSpec& hall, const RackPart& frame,
                      std::vector<SiteVerdict>& verdicts);

}  // namespace clusterwright
