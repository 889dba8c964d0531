// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/plant_rooms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// Equal units that stand together.
struct UnitBlock {
  std::string what, part;
  long long count = 0;
  Meters along, across;  ///< floor of one unit, along the wall and from it
};

/// Rows of units along a wall: along is x, across is y.
struct WallRows {
  Meters along, across;
  std::vector<PlacedPlant> units;
};

WallRows in_rows(const std::vector<UnitBlock>& blocks, Meters wall) {
  WallRows out{wall, {}, {}};
  for (const UnitBlock& block : blocks) {
    if (block.count == 0) continue;
    const auto per_row = std::max(1LL, static_cast<long long>(std::floor(wall / block.along + site_rounding)));
    for (long long i = 0; i < block.count; ++i)
      out.units.push_back({block.what, block.part, static_cast<double>(i % per_row) * block.along,
                           out.across + static_cast<double>(i / per_row) * block.across, block.along, block.across});
    out.across += static_cast<double>((block.count + per_row - 1) / per_row) * block.across;
    out.along = std::max(out.along, block.along);
  }
  return out;
}

/// Rows along x, of which the first stands at `y`.
PlantRoom below(std::string name, Meters x, Meters y, WallRows rows) {
  PlantRoom room{std::move(name), x, y, rows.along, rows.across, std::move(rows.units)};
  for (PlacedPlant& unit : room.units) unit.x += x, unit.y += y;
  return room;
}

/// Rows along y. @param side  -1: the first row ends at x = `x`; 1: it begins there
PlantRoom gallery(std::string name, Meters x, int side, WallRows rows) {
  PlantRoom room{std::move(name), side < 0 ? x - rows.across : x, {}, rows.across, rows.along, std::move(rows.units)};
  for (PlacedPlant& unit : room.units) {
    const Meters along = unit.x, across = unit.y;
    std::swap(unit.length, unit.width);
    unit.x = side < 0 ? x - across - unit.length : x + across;
    unit.y = along;
  }
  return room;
}

const char* words_of(PowerStageKind kind) {
  if (kind == PowerStageKind::transformer) return "transformers";
  return kind == PowerStageKind::ups ? "UPS modules" : "distribution units";
}

class PlantPlacer {
 public:
  PlantPlacer(const Catalog& catalog, std::vector<std::string>& warnings) : catalog_(catalog), warnings_(warnings) {}

  void add_cooling(const CoolingLoad& cooling) {
    for (const PlantUnits& plant : cooling.plants)
      add(plant.what.starts_with(heat_rejection_words) ? yard_ : galleries_, plant.what, plant.part, &plant.floor,
          plant.units);
    const CoolantUnitPart* unit = find_part(catalog_.coolant_units, cooling.coolant_unit);
    if (unit && !unit->rack_units) add(galleries_, "coolant units", unit->id, unit, cooling.coolant_units);
  }

  void add_power(const std::vector<PowerStageLoad>& stages) {
    for (const PowerStageLoad& stage : stages) {
      if (stage.kind == PowerStageKind::busway || stage.kind == PowerStageKind::circuit) continue;
      const bool outdoors = stage.kind == PowerStageKind::transformer;
      add(outdoors ? yard_ : power_, words_of(stage.kind), stage.part, find_part(catalog_.power_stages, stage.part),
          stage.modules);
    }
  }

  std::vector<PlantRoom> rooms(const FloorPlan& hall) const {
    std::vector<PlantRoom> out;
    const auto keep = [&](PlantRoom room) {
      if (!room.units.empty()) out.push_back(std::move(room));
    };
    keep(gallery("cooling gallery 1", {}, -1, in_rows(share(0), hall.width)));
    const Meters first = out.empty() ? Meters{} : out.back().x;
    keep(gallery("cooling gallery 2", hall.length, 1, in_rows(share(1), hall.width)));
    Meters end = hall.length, below_hall = hall.width;
    for (const PlantRoom& room : out) {
      end = std::max(end, room.x + room.length);
      below_hall = std::max(below_hall, room.width);
    }
    const PlantRoom power = below("power room", first, below_hall, in_rows(power_, end - first));
    keep(power);
    keep(below("yard", first, below_hall + power.width, in_rows(yard_, std::max(power.length, end - first))));
    return out;
  }

 private:
  void add(std::vector<UnitBlock>& blocks, const std::string& what, const std::string& part, const UnitFloor* floor,
           long long count) {
    if (count == 0) return;
    if (!floor || !floor->floor_length || !floor->floor_width) {
      warnings_.push_back(
          fmt::format("{} ({}) have no place in the plan: the catalog has no floor_length_m and "
                      "floor_width_m of them",
                      what, part));
      return;
    }
    blocks.push_back({what, part, count, floor->floor_length->value, floor->floor_width->value});
  }

  /// Half of the units of each kind, the odd one in the first gallery.
  std::vector<UnitBlock> share(int side) const {
    std::vector<UnitBlock> half = galleries_;
    for (UnitBlock& block : half) block.count = (block.count + 1 - side) / 2;
    return half;
  }

  const Catalog& catalog_;
  std::vector<std::string>& warnings_;
  std::vector<UnitBlock> galleries_, power_, yard_;
};

}  // namespace

std::vector<PlantRoom> place_plants(const FloorPlan& hall, const CoolingLoad& cooling,
                                    const std::vector<PowerStageLoad>& stages, const Catalog& catalog,
                                    std::vector<std::string>& warnings) {
  PlantPlacer placer(catalog, warnings);
  placer.add_cooling(cooling);
  placer.add_power(stages);
  return placer.rooms(hall);
}

}  // namespace clusterwright
