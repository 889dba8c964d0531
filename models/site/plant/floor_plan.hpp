/// Racks on the floor of a hall, in rows that face each other.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/rack_layout.hpp"

namespace clusterwright {

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

/// Rows along x, filled to and fro so that what follows is near. Rows 0 and 1 face each other over a cold aisle, rows 1
/// and 2 turn their backs on a hot aisle. Blocks stand one behind the other; one that is longer than the rest of a row
/// starts the next one if it fits in there. Without a length or a number of racks per row the hall becomes as square as
/// whole blocks allow.
/// @param verdicts  gets whether the hall is large enough
FloorPlan place_racks(RackLayout& layout, const HallSpec& hall, const RackPart& frame,
                      std::vector<SiteVerdict>& verdicts);

/// Of a cable between two devices: up to the tray, along and across the rows, down again, and slack; inside one rack
/// the difference of heights, and slack.
class CableRouter {
 public:
  CableRouter(const std::vector<PlacedRack>& racks, const HallSpec& hall, const RackPart& frame)
      : racks_(racks),
        tray_(frame.height.value + hall.tray_above_rack),
        slack_(hall.slack),
        slack_in_rack_(hall.slack_in_rack) {}

  Meters length(const Location& a, const Location& b) const;

 private:
  const std::vector<PlacedRack>& racks_;
  Meters tray_, slack_, slack_in_rack_;
};

}  // namespace clusterwright
