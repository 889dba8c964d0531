// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/claim_finding.hpp"

#include <cmath>

namespace clusterwright {

namespace {

/// Distance of a computed from a stated number, as a share of it; 0 on the good side.
double miss(double stated, double computed, ClaimSense sense) {
  const double beyond = computed / stated - 1;
  switch (sense) {
    case ClaimSense::at_most:
      return std::max(0.0, beyond);
    case ClaimSense::at_least:
      return std::max(0.0, -beyond);
    default:
      return std::abs(beyond);
  }
}

/// Whether a miss is within the tolerance, with room for rounding: 105 is within 5 % of 100.
bool within(double off, double tolerance) {
  constexpr double rounding = 1e-9;
  return off <= tolerance + rounding;
}

}  // namespace

bool near_enough(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance) {
  return within(miss(stated, computed, sense), tolerance.holds);
}

Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance, bool conditional) {
  const double off = miss(stated, computed, sense);
  return judge(within(off, tolerance.holds), conditional || within(off, tolerance.partly));
}

ClaimFinding finding_of(const Blueprint& blueprint, ClaimKind kind) {
  ClaimFinding finding;
  finding.claim = kind;
  if (const Claim* claim = blueprint.find(kind)) {
    finding.words = claim->words;
    finding.stated = claim->stated;
  }
  return finding;
}

void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense, bool conditional) {
  finding.computed = computed;
  if (!finding.stated) return;
  const double stated = std::get<double>(*finding.stated);
  finding.error = computed / stated - 1;
  finding.holds = judge(stated, computed, sense, blueprint.tolerance, conditional);
}

void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional) {
  finding.computed = std::move(computed);
  if (finding.stated) finding.holds = judge(right, conditional);
}

}  // namespace clusterwright
