#include "models/audit/claim_finding.hpp"

#include <cmath>

namespace clusterwright {

namespace {

/// How far a number misses what is stated, as a share of it; 0 on the good side.
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

}  // namespace

bool near_enough(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance) {
  return miss(stated, computed, sense) <= tolerance.holds;
}

Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance, bool conditional) {
  const double off = miss(stated, computed, sense);
  return judge(off <= tolerance.holds, conditional || off <= tolerance.partly);
}

}  // namespace clusterwright
