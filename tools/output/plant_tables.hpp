// SPDX-License-Identifier: Apache-2.0
/// Tables of power and cooling of a planned site.
#pragma once

#include "models/site/plant/site_plan.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Power stages from the grid down, at rated load.
ResultTable power_stage_table(const SitePlan& plan);

/// Power at nameplates, at the crest and peak of a step, and in the mean: nodes, machines, losses, cooling, facility.
ResultTable facility_power_table(const SitePlan& plan);

/// Branches of the power tree at mean load, by path ("IT / nodes"), with their shares of the facility.
ResultTable power_tree_table(const SitePlan& plan);

ResultTable cooling_table(const CoolingLoad& cooling);
/// Feeds of a compute rack.
ResultTable feed_table(const RackFeeds& feeds);

}  // namespace clusterwright
