// SPDX-License-Identifier: Apache-2.0
/// Parts of a cluster that can fail: of each kind those whose failure can cost a job most.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

struct FailingPart {
  std::string kind;  ///< "leaf-spine cable", "NIC", "spine switch", "rail", "accelerator", "node"
  /// Names as `parse_fault` or `parse_lost_device` reads them, each once: parts of the kind that may cost most.
  std::vector<std::string> names;
};

/// Cables between switches by kind, NICs, switches by tier, rails if nodes have several NICs, accelerators, nodes. Of
/// each kind of the network those with most bytes in a step, both directions together: of all, of those nearest to the
/// first rank, and of those nearest to the last one; of equally busy ones the first. Kinds that a step leaves idle are
/// left out, and so is the network where there is none.
/// @param scenario  laid out as `plan` says
std::vector<FailingPart> failing_parts(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
