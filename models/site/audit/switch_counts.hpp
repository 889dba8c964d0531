/// Switches that endpoints take, whatever the blueprint's own fabric: what its network cards could be joined with.
#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Switches by tier, lowest first.
struct SwitchCount {
  std::vector<long long> tiers;
  long long total() const;
  /// "60 + 60 + 30 = 150"
  std::string words() const;
};

/// Endpoints that two non-blocking tiers of such switches join: ports^2 / 2.
long long two_tier_limit(int ports);

/// The fewest switches that join all endpoints without blocking, every port used: one tier, else two up to
/// `two_tier_limit`, else three.
SwitchCount joined_switches(long long endpoints, int ports);

/// One two-tier plane for each rail; nodes beyond what a plane joins make the answer empty.
SwitchCount plane_switches(const NetworkSize& size, int ports);

/// The catalog's switch whose ports run at the rate; of several the one that `fabric` names first, then InfiniBand.
/// @return nullptr if there is none
const SwitchPart* switch_for(BytesPerSecond rate, const FabricSpec& fabric, const Catalog& catalog);

}  // namespace clusterwright
