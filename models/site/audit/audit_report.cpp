// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/audit_report.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "models/site/audit/layout_claims.hpp"
#include "models/site/audit/network_claims.hpp"
#include "models/site/audit/plan_claims.hpp"
#include "models/site/audit/site_claims.hpp"
#include "models/site/audit/time_claims.hpp"

namespace clusterwright {

namespace {

using PlantCheck = ClaimFinding (*)(const AuditCase&);
using JobCheck = ClaimFinding (*)(const AuditCase&, const JobCase&);
using Check = std::variant<PlantCheck, JobCheck>;

/// Checks by ClaimKind.
constexpr std::array<Check, claim_kind_count> checks = {check_accelerators,
                                                        check_training_days,
                                                        check_scale_up_kind,
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
                                                        check_energy,
                                                        check_it_in_use,
                                                        check_racks,
                                                        check_bisection,
                                                        check_price};

/// Claims that a complete blueprint of a job makes.
constexpr std::array<ClaimKind, 2> needed = {ClaimKind::fits, ClaimKind::failures};

ClaimFinding check(const AuditCase& audit, ClaimKind kind) {
  const Check& check = checks[static_cast<std::size_t>(kind)];
  if (const auto* plant = std::get_if<PlantCheck>(&check)) return (*plant)(audit);
  return std::get<JobCheck>(check)(audit, audit.job.value());
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

AuditInput input_of(const LoadedBlueprint& loaded) {
  return {loaded.blueprint, loaded.cluster, loaded.catalog,
          loaded.facility,  loaded.prices,  loaded.scenario ? &*loaded.scenario : nullptr};
}

AuditReport audit_blueprint(const AuditInput& input) {
  const AuditCase audit(input);
  AuditReport report;
  for (const Claim& claim : input.blueprint.claims) report.findings.push_back(check(audit, claim.claim));
  if (!audit.job) return report;
  report.changes = audit.job->used.changes;
  report.step = audit.job->step;
  for (const ClaimKind kind : needed)
    if (!input.blueprint.find(kind)) report.findings.push_back(check(audit, kind));
  return report;
}

}  // namespace clusterwright
