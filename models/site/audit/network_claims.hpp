// SPDX-License-Identifier: Apache-2.0
/// Claims about links, and the switches that would join the network cards of a blueprint, whatever its own fabric.
#pragma once

#include <string>
#include <vector>

#include "models/site/audit/audit_case.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Switches by tier, lowest first.
struct SwitchCount {
  std::vector<long long> tiers;
  long long total() const;
  /// "60 + 60 + 30 = 150"
  std::string words() const;
};

/// Endpoints that two non-blocking tiers of switches join: ports^2 / 2.
long long two_tier_limit(int ports);

/// Fewest switches that join all endpoints without blocking, every port used: one tier, else two up to
/// `two_tier_limit`, else three.
SwitchCount joined_switches(long long endpoints, int ports);

/// Switches of one two-tier plane per rail; empty if a plane cannot join all nodes.
SwitchCount plane_switches(const NetworkSize& size, int ports);

/// Catalog's switch with ports of a rate: the one that `fabric` names, else one of its transport, else any.
/// @return nullptr if there is none
const SwitchPart* switch_for(BytesPerSecond rate, const FabricSpec& fabric, const Catalog& catalog);

ClaimFinding check_scale_up_kind(const AuditCase& audit);
ClaimFinding check_nic(const AuditCase& audit);

}  // namespace clusterwright
