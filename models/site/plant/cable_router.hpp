// SPDX-License-Identifier: Apache-2.0
/// Lengths of cables: along their route, and as they are sold.
#pragma once

#include "models/site/plant/rack_layout.hpp"

namespace clusterwright {

/// Routes of cables. Between racks: up to the tray, along and across the rows, down again, and slack. Inside one rack:
/// the difference of heights, and slack.
class CableRouter {
 public:
  CableRouter(const IndexedVector<RackId, PlacedRack>& racks, const HallSpec& hall, const RackPart& frame)
      : racks_(racks),
        tray_(frame.height.value + hall.tray_above_rack),
        slack_(hall.slack),
        slack_in_rack_(hall.slack_in_rack) {}

  Meters length(const Location& one, const Location& other) const;

 private:
  const IndexedVector<RackId, PlacedRack>& racks_;
  Meters tray_, slack_, slack_in_rack_;
};

/// Next longer length on sale.
Meters length_on_sale(Meters routed);

}  // namespace clusterwright
