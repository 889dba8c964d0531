// SPDX-License-Identifier: Apache-2.0
/// Claims about racks and site, and the speed of accelerators under a power cap.
#pragma once

#include <optional>

#include "models/site/audit/audit_case.hpp"

namespace clusterwright {

/// Speed under a power cap over speed at the rated power.
struct CappedSpeed {
  double gemm = 1;  ///< speed of large GEMMs
  double step = 1;  ///< speed of the whole step
};

/// Speed under a cap, by the clock model of steps.
/// @param step  prediction at the rated power
/// @return nothing for a cap that cannot be set: below the least limit, or not above the idle power
std::optional<CappedSpeed> speed_at_cap(const Scenario& scenario, const StepPrediction& step, Watts cap);

ClaimFinding check_rack(const AuditCase& audit);
ClaimFinding check_cooling(const AuditCase& audit);
ClaimFinding check_site(const AuditCase& audit);

}  // namespace clusterwright
