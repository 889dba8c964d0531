// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/floor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/plant/site_verdict.hpp"

namespace clusterwright {

namespace {

class Floor {
 public:
  Floor(const HallSpec& hall, const RackPart& frame)
      : hall_(hall), width_(frame.width.value), depth_(frame.depth.value) {}

  /// Places blocks into rows. @param racks  gets their places, if not null
  /// @return number of rows
  int fill(const std::vector<std::vector<RackId>>& blocks, int per_row,
           IndexedVector<RackId, PlacedRack>* racks) const {
    int row = 0, place = 0;
    for (const auto& block : blocks) {
      const auto size = static_cast<int>(block.size());
      if (place > 0 && place + size > per_row && size <= per_row) ++row, place = 0;
      for (const RackId rack : block) {
        if (place == per_row) ++row, place = 0;
        if (racks) put((*racks)[rack], row, row % 2 == 0 ? place : per_row - 1 - place);
        ++place;
      }
    }
    return row + 1;
  }

  std::vector<Aisle> aisles(int rows) const {
    std::vector<Aisle> out;
    for (int row = 0; row + 1 < rows; ++row) {
      const Aisle aisle{y(row) + depth_ / 2, y(row + 1) - depth_ / 2, row % 2 == 0};
      if (aisle.to > aisle.from) out.push_back(aisle);
    }
    return out;
  }

  Meters length(int per_row) const { return per_row * width_ + 2 * hall_.margin; }
  Meters width(int rows) const { return y(rows - 1) + depth_ / 2 + hall_.margin; }

 private:
  Meters y(int row) const {
    return hall_.margin + (row + 0.5) * depth_ + (row + 1) / 2 * hall_.cold_aisle + row / 2 * hall_.hot_aisle;
  }

  void put(PlacedRack& rack, int row, int place) const {
    rack.row = row;
    rack.place = place;
    rack.x = hall_.margin + (place + 0.5) * width_;
    rack.y = y(row);
  }

  const HallSpec& hall_;
  Meters width_, depth_;
};

/// Racks in a row, in whole blocks, that make the longer side of the hall shortest; the fewest of equal ones.
int squarest(const Floor& floor, const std::vector<std::vector<RackId>>& blocks, int racks) {
  std::size_t longest = 1;
  for (const auto& block : blocks) longest = std::max(longest, block.size());
  const auto step = static_cast<int>(std::min<std::size_t>(longest, 64));
  int best = step;
  Meters least = Meters::of(1e30);
  for (int per_row = step; per_row < racks + step; per_row += step) {
    const Meters side = std::max(floor.length(per_row), floor.width(floor.fill(blocks, per_row, nullptr)));
    if (side < least) least = side, best = per_row;
    if (floor.length(per_row) > least) break;  // longer rows only lengthen it from here
  }
  return std::min(best, racks);
}

int racks_in_row(const HallSpec& hall, const Floor& floor, const RackPart& frame, const RackLayout& layout) {
  const auto racks = static_cast<int>(layout.racks.size());
  if (hall.racks_per_row) return *hall.racks_per_row;
  if (!hall.length) return squarest(floor, layout.blocks, racks);
  const double room = (*hall.length - 2 * hall.margin) / frame.width.value;
  return std::clamp(static_cast<int>(std::floor(room + site_rounding)), 1, racks);
}

void judge(const FloorPlan& needed, const HallSpec& hall, std::vector<SiteVerdict>& verdicts) {
  const auto side = [&](const char* name, const char* field, Meters needs, std::optional<Meters> given) {
    if (!given) return;
    verdicts.push_back(
        {fmt::format("{} of the hall", name), needs <= *given * (1 + site_rounding),
         fmt::format("{} racks in {} rows of {} need {:.1f} m; the hall has {:.1f} m", needed.racks.size(), needed.rows,
                     needed.racks_per_row, needs.in(meter), given->in(meter)),
         fmt::format("facility.hall.{}", field)});
  };
  side("length", "length_m", needed.length, hall.length);
  side("width", "width_m", needed.width, hall.width);
}

}  // namespace

FloorPlan place_racks(RackLayout& layout, const HallSpec& hall, const RackPart& frame,
                      std::vector<SiteVerdict>& verdicts) {
  const Floor floor(hall, frame);
  FloorPlan plan;
  plan.racks_per_row = racks_in_row(hall, floor, frame, layout);
  plan.rows = floor.fill(layout.blocks, plan.racks_per_row, &layout.racks);
  plan.racks = layout.racks;
  plan.aisles = floor.aisles(plan.rows);
  plan.length = floor.length(plan.racks_per_row);
  plan.width = floor.width(plan.rows);
  judge(plan, hall, verdicts);
  plan.length = std::max(plan.length, hall.length.value_or(Meters{}));
  plan.width = std::max(plan.width, hall.width.value_or(Meters{}));
  plan.nodes_per_rack = layout.nodes_per_rack;
  plan.limits = layout.limits;
  plan.frame = frame.id;
  plan.frame_units = frame.rack_units.value;
  plan.rack_width = frame.width.value;
  plan.rack_depth = frame.depth.value;
  return plan;
}

long long FloorPlan::count(RackRole role) const {
  return std::count_if(racks.begin(), racks.end(), [&](const PlacedRack& rack) { return rack.role == role; });
}

}  // namespace clusterwright
