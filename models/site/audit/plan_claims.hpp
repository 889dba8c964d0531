// SPDX-License-Identifier: Apache-2.0
/// Claims about what is planned around the nodes: racks, power of all machines, switches, cables, bisection, PUE,
/// energy, price.
#pragma once

#include "models/site/audit/audit_case.hpp"

namespace clusterwright {

ClaimFinding check_racks(const AuditCase& audit);
ClaimFinding check_it_power(const AuditCase& audit);
ClaimFinding check_it_in_use(const AuditCase& audit);
ClaimFinding check_switches(const AuditCase& audit);
ClaimFinding check_cables(const AuditCase& audit);
ClaimFinding check_bisection(const AuditCase& audit);
ClaimFinding check_pue(const AuditCase& audit);
ClaimFinding check_energy(const AuditCase& audit);
ClaimFinding check_price(const AuditCase& audit);

}  // namespace clusterwright
