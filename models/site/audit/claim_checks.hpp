/// One function per kind of claim: recomputes it, judges it, and shows the arithmetic in one line.
///
/// A claim that is not made gets what is computed, without a verdict.
#pragma once

#include "models/site/audit/audit_case.hpp"
#include "models/site/audit/claim_finding.hpp"

namespace clusterwright {

// claims_of_size.cpp
ClaimFinding check_accelerators(const AuditCase& c);
ClaimFinding check_layout(const AuditCase& c);

// claims_of_time.cpp
ClaimFinding check_training_days(const AuditCase& c);
ClaimFinding check_communication_share(const AuditCase& c);
ClaimFinding check_utilisation(const AuditCase& c);

// claims_of_links.cpp
ClaimFinding check_scale_up(const AuditCase& c);
ClaimFinding check_nic(const AuditCase& c);

// claims_of_memory.cpp
ClaimFinding check_weights(const AuditCase& c);
ClaimFinding check_fits(const AuditCase& c);

// claims_of_site.cpp
ClaimFinding check_rack(const AuditCase& c);
ClaimFinding check_cooling(const AuditCase& c);
ClaimFinding check_site(const AuditCase& c);

// claims_of_failures.cpp
ClaimFinding check_failures(const AuditCase& c);

/// The finding of a kind before its check: what the blueprint states.
ClaimFinding finding_of(const AuditCase& c, ClaimKind kind);
/// Adds number, error and verdict. @param conditional  as of `judge`
void conclude(ClaimFinding& finding, const AuditCase& c, double computed, ClaimSense sense, bool conditional = false);
/// The same for a claim in words.
void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional = false);

}  // namespace clusterwright
