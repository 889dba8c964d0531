// SPDX-License-Identifier: Apache-2.0
/// Claims about the number of accelerators, the layout of the job and its memory.
#pragma once

#include "models/site/audit/audit_case.hpp"

namespace clusterwright {

ClaimFinding check_accelerators(const AuditCase& audit);
ClaimFinding check_layout(const AuditCase& audit, const JobCase& job);
ClaimFinding check_weights(const AuditCase& audit, const JobCase& job);
ClaimFinding check_fits(const AuditCase& audit, const JobCase& job);

}  // namespace clusterwright
