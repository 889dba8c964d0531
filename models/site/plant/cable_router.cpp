// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/cable_router.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clusterwright {

namespace {

/// Lengths that vendors of cables and fibre commonly stock.
constexpr std::array lengths_m = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0,  4.0,  5.0,  7.0,   10.0,  15.0,  20.0,
                                  25., 30., 40., 50., 70., 100., 150., 200., 300.0, 500.0, 1000., 2000.};

Meters absolute(Meters length) {
  return length < Meters{} ? -length : length;
}

}  // namespace

Meters CableRouter::length(const Location& one, const Location& other) const {
  if (one.rack == other.rack) return absolute(one.height - other.height) + slack_in_rack_;
  const PlacedRack &from = racks_[one.rack], &to = racks_[other.rack];
  const Meters up = tray_ - one.height, down = tray_ - other.height;
  return up + absolute(from.x - to.x) + absolute(from.y - to.y) + down + slack_;
}

Meters length_on_sale(Meters routed) {
  const auto found = std::lower_bound(lengths_m.begin(), lengths_m.end(), routed.in(meter));
  return found == lengths_m.end() ? std::ceil(routed.in(meter)) * meter : *found * meter;
}

}  // namespace clusterwright
