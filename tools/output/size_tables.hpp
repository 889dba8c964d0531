/// A sized cluster as tables. What they hold is the truth; charts and pages only show it.
#pragma once

#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// The answers, one per line.
ResultTable size_headline(const SizedCluster& sized);

/// Every constraint that was checked; with `failing_only` those that do not hold.
ResultTable verdict_table(const SitePlan& plan, bool failing_only = false);

/// Why a rack holds no more nodes, the binding reason first.
ResultTable rack_limit_table(const FloorPlan& floor);

/// A line per row of the hall: racks by role, nodes, rated power. Rows that look alike share a line.
ResultTable floor_row_table(const FloorPlan& floor);

ResultTable switch_table(const SitePlan& plan);

/// A line per class of links that are made of the same parts, with lengths as bought and the longest as routed.
ResultTable cable_table(const SitePlan& plan);
ResultTable transceiver_table(const SitePlan& plan);

/// Stages of the power chain from the grid down, at rated load.
ResultTable power_stage_table(const SitePlan& plan);

/// Power at rated, mean and peak load: machines, losses, cooling, other, facility.
ResultTable facility_power_table(const SitePlan& plan);

/// Every branch of the power tree at mean load under its path ("IT / nodes"), with its share of the facility.
ResultTable power_tree_table(const SitePlan& plan);

ResultTable cooling_table(const CoolingLoad& cooling);
ResultTable storage_table(const StorageSizing& storage);

/// The links inside a machine of several nodes; no rows where there is none.
ResultTable scale_up_table(const SitePlan& plan);

/// What the feeds of a compute rack carry.
ResultTable feed_table(const RackFeeds& feeds);

}  // namespace clusterwright
