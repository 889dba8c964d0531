/// Claims about size, layout and memory.
#pragma once

#include "models/site/audit/audit_case.hpp"
#include "models/site/audit/claim_finding.hpp"

namespace clusterwright {

ClaimFinding check_accelerators(const AuditCase& c);
ClaimFinding check_layout(const AuditCase& c);
ClaimFinding check_weights(const AuditCase& c);
ClaimFinding check_fits(const AuditCase& c);

}  // namespace clusterwright
