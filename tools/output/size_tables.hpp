// SPDX-License-Identifier: Apache-2.0
/// Tables of a sized cluster; charts and pages show the same numbers.
#pragma once

#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Main results, one per line.
ResultTable size_headline(const SizedCluster& sized);

/// Constraints that were checked; with `failing_only` those that do not hold.
ResultTable verdict_table(const SitePlan& plan, bool failing_only = false);

/// Limits on the nodes of a rack, the binding one first.
ResultTable rack_limit_table(const FloorPlan& floor);

/// Rows of the hall: racks by role, nodes, rated power. Equal neighbouring rows share a line.
ResultTable floor_row_table(const FloorPlan& floor);

/// Rooms of power and cooling around the hall.
ResultTable room_table(const FloorPlan& floor);
ResultTable switch_table(const SitePlan& plan);

/// Links by class and parts, with lengths as bought and the longest length as routed.
ResultTable cable_table(const SitePlan& plan);
ResultTable transceiver_table(const SitePlan& plan);

ResultTable storage_table(const StorageSizing& storage);

/// Scale-up links inside a machine of several nodes; no rows without one.
ResultTable scale_up_table(const SitePlan& plan);

}  // namespace clusterwright
