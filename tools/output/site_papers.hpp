// SPDX-License-Identifier: Apache-2.0
/// Papers for those who build a site: devices by rack unit, and both ends of every cable.
#pragma once

#include "models/site/plant/site_plan.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// One row for each device: rack, lowest rack unit, height, use, part, name.
ResultTable elevation_table(const SitePlan& plan);

/// One row for each cable: label, both ends, part, lengths. Cables of several links name each of their ends.
/// @pre the plan keeps its runs
ResultTable patch_table(const SitePlan& plan);

}  // namespace clusterwright
