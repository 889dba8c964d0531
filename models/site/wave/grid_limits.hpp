// SPDX-License-Identifier: Apache-2.0
/// A site's power against what its utility allows, and against its own plant.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/site_verdict.hpp"
#include "models/site/wave/wave_signal.hpp"
#include "topology/parts/grid_parts.hpp"

namespace clusterwright {

struct SitePlan;  // models/site/plant/site_plan.hpp

/// Power from the grid in the two cases that a utility asks about.
struct GridPower {
  const PowerSignal& running;
  const PowerSignal& lost;  ///< the job ends at once
};

/// A limit against what was found.
struct LimitVerdict {
  std::string what;  ///< "range of steps"
  Watts found, allowed;
  std::string where;  ///< "within 5 s"

  bool holds() const { return found <= allowed * (1 + site_rounding); }
};

/// One verdict for each limit that is set, and for each case; none for a site that is too small for limits. A window
/// longer than a signal sees the whole signal.
std::vector<LimitVerdict> judge_interconnection(const GridPower& power, const InterconnectionPart& limits);

/// What a wave asks of one piece of plant.
struct PlantNeed {
  std::string what;  ///< "UPS 1.5 MVA, double conversion"
  Watts rating;      ///< needed, or planned for what the site has
  double step = 0;   ///< largest change within 1 s over that rating
  bool holds = true;
  std::string arithmetic;
};

/// @param hall  power of all machines, @param grid  power of the site
std::vector<PlantNeed> plant_needs(const PowerSignal& hall, const PowerSignal& grid, const SitePlan& plan,
                                   const std::vector<GeneratorPart>& generators);

}  // namespace clusterwright
