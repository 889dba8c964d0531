// SPDX-License-Identifier: Apache-2.0
/// Division of a power budget among jobs, whose speeds at some powers are known.
///
///   free_i, least_i  what job i draws without a limit, and at the lowest limit
///   equal            b_i = n_i w within [least_i, free_i]: the same for each accelerator
///   proportional     b_i = s free_i within [least_i, free_i]: each gives up the same share
///   by_job           largest sum over the jobs of weight_i n_i speed_i(b_i)
///
/// with sum b_i <= budget; what one job does not need goes to the others. For by_job the speeds are taken as their
/// concave hull, whose steepest parts are bought first: that is exact where speed grows ever less with power.
/// Example: two jobs of 8 accelerators draw 10 kW each, 16 kW are granted. The first is memory-bound and loses nothing
/// down to 7 kW, the second loses half of its speed down to 5 kW. By job: 7 and 9 kW, 15.2 of 16 accelerators' work;
/// equal and proportional: 8 and 8 kW, 14.4.
#pragma once

#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

enum class PowerDivision { by_job, proportional, equal, fewer_nodes };

struct PowerPoint {
  Watts limit;       ///< of one accelerator
  Watts drawn;       ///< by the whole job
  double speed = 1;  ///< over that without a limit
};

struct PowerCurve {
  double accelerators = 0;
  double weight = 1;
  std::vector<PowerPoint> points;  ///< by rising power: the lowest limit first, no limit last; at least one

  Watts least() const { return points.front().drawn; }
  Watts free() const { return points.back().drawn; }
};

/// Budgets of the jobs, all of whose nodes run. @pre the budget is at least the sum of what they draw at their lowest
/// limits; the division is not fewer_nodes (fewer_nodes.hpp)
std::vector<Watts> divided(const std::vector<PowerCurve>& jobs, Watts budget, PowerDivision division);

/// Limit at which a job draws so much, between its points.
Watts limit_at(const PowerCurve& job, Watts drawn);

}  // namespace clusterwright
