/// Whether copper reaches inside a machine whose scale-up links span several nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/devices.hpp"
#include "models/site/plant/site_verdict.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster.hpp

/// The links inside a machine that spans several nodes.
struct ScaleUpCheck {
  int accelerators = 0;  ///< of one domain
  int racks = 0;         ///< that one domain spans
  long long cables = 0;  ///< of one domain
  Meters longest, total_length;
  std::optional<Meters> reach;  ///< of passive copper at that rate; none where it is not known
  Kilograms mass;
  bool holds = true;
  std::string arithmetic;
};

/// Nodes of a domain stand one over the other, rack beside rack, switches in the middle of the middle rack; a cable
/// runs from each to each switch.
/// @return nothing where domains are not larger than a node, have no switches, or the catalog knows no such backplane
std::optional<ScaleUpCheck> check_scale_up(const Cluster& cluster, const Catalog& catalog, const ComputeBlock& block,
                                           const RackPart& frame, int nodes_per_rack,
                                           std::vector<SiteVerdict>& verdicts);

}  // namespace clusterwright
