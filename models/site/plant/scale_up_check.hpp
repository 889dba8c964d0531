// SPDX-License-Identifier: Apache-2.0
/// Reach of the copper inside a machine whose scale-up links span several nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/devices.hpp"
#include "models/site/plant/site_verdict.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// Scale-up cables of one domain.
struct ScaleUpCheck {
  int accelerators = 0;
  int racks = 0;
  long long cables = 0;
  Meters longest, total_length;
  std::optional<Meters> reach;  ///< reach of passive copper at that rate; none where it is not known
  Kilograms mass;
  bool holds = true;
  std::string arithmetic;
};

/// Scale-up cables where the nodes of a domain stand one over the other, rack beside rack, with the switches in the
/// middle of the middle rack and a cable from each node to each switch.
/// @return nothing where a domain is one node, has no switches, or the catalog knows no such backplane
std::optional<ScaleUpCheck> check_scale_up(const Cluster& cluster, const Catalog& catalog, const ComputeBlock& block,
                                           const RackPart& frame, int nodes_per_rack,
                                           std::vector<SiteVerdict>& verdicts);

}  // namespace clusterwright
