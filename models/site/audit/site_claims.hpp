/// What a cap on the power of accelerators costs: the clock model of steps, asked about less power.
#pragma once

#include <optional>

#include "models/site/audit/audit_case.hpp"
#include "models/site/audit/claim_finding.hpp"

namespace clusterwright {

/// Speed at a cap over speed at the rated power.
struct CappedSpeed {
  double gemm = 1;  ///< of large matrix multiplies
  double step = 1;  ///< of the whole step
};

/// @param step  at the rated power
/// @return nothing for a cap that cannot be set: below the least limit, or not above what an idle accelerator draws
std::optional<CappedSpeed> speed_at_cap(const Scenario& scenario, const StepPrediction& step, Watts cap);

ClaimFinding check_rack(const AuditCase& c);
ClaimFinding check_cooling(const AuditCase& c);
ClaimFinding check_site(const AuditCase& c);

}  // namespace clusterwright
