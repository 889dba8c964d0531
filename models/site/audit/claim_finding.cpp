#include "models/site/audit/claim_finding.hpp"

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

/// 105 is within 5 % of 100, whatever the last bit says.
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

}  // namespace clusterwright
