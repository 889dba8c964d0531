#include "models/site/audit/claim_checks.hpp"

namespace clusterwright {

ClaimFinding finding_of(const AuditCase& c, ClaimKind kind) {
  ClaimFinding finding;
  finding.claim = kind;
  if (const Claim* claim = c.blueprint.find(kind)) {
    finding.words = claim->words;
    finding.stated = claim->stated;
  }
  return finding;
}

void conclude(ClaimFinding& finding, const AuditCase& c, double computed, ClaimSense sense, bool conditional) {
  finding.computed = computed;
  if (!finding.stated) return;
  const double stated = std::get<double>(*finding.stated);
  finding.error = computed / stated - 1;
  finding.holds = judge(stated, computed, sense, c.blueprint.tolerance, conditional);
}

void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional) {
  finding.computed = std::move(computed);
  if (finding.stated) finding.holds = judge(right, conditional);
}

}  // namespace clusterwright
