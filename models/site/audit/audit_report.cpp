// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/audit_report.hpp"

#include <algorithm>
#include <array>

#include "models/site/audit/layout_claims.hpp"
#include "models/site/audit/network_claims.hpp"
#include "models/site/audit/plan_claims.hpp"
#include "models/site/audit/site_claims.hpp"
#include "models/site/audit/time_claims.hpp"

namespace clusterwright {

namespace {

using Check = ClaimFinding (*)(const AuditCase&);

/// Checks by ClaimKind.
constexpr std::array<Check, claim_kind_count> checks = {check_accelerators,
                                                        check_training_days,
                                                        check_scale_up,
                                                        check_nic,
                                                        check_layout,
                                                        check_weights,
                                                        check_fits,
                                                        check_rack,
                                                        check_cooling,
                                                        check_site,
                                                        check_communication_share,
                                                        check_utilisation,
                                                        check_failures,
                                                        check_it_power,
                                                        check_switches,
                                                        check_cables,
                                                        check_pue,
                                                        check_energy};

/// Claims that a complete blueprint makes.
constexpr std::array<ClaimKind, 2> needed = {ClaimKind::fits, ClaimKind::failures};

ClaimFinding check(const AuditCase& audit, ClaimKind kind) {
  return checks[static_cast<std::size_t>(kind)](audit);
}

}  // namespace

int AuditReport::count(Holds holds) const {
  return static_cast<int>(std::count_if(findings.begin(), findings.end(),
                                        [&](const ClaimFinding& finding) { return finding.holds == holds; }));
}

int AuditReport::missing() const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [](const ClaimFinding& finding) { return !finding.stated; }));
}

const ClaimFinding* AuditReport::first_to_mend() const {
  for (const Holds wanted : {Holds::no, Holds::partly})
    for (const ClaimFinding& finding : findings)
      if (finding.holds == wanted && !finding.remedy.empty()) return &finding;
  return nullptr;
}

AuditReport audit_blueprint(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog,
                            const Facility& facility) {
  const AuditCase audit(blueprint, scenario, catalog, facility);
  AuditReport report;
  report.changes = audit.used.changes;
  report.step = audit.step;
  for (const Claim& claim : blueprint.claims) report.findings.push_back(check(audit, claim.claim));
  for (const ClaimKind kind : needed)
    if (!blueprint.find(kind)) report.findings.push_back(check(audit, kind));
  return report;
}

}  // namespace clusterwright
