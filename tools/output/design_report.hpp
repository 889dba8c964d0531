// SPDX-License-Identifier: Apache-2.0
/// Published designs beside what is computed for them: switches, racks, watts, dollars.
#pragma once

#include <string>
#include <vector>

#include "models/site/audit/audit_report.hpp"
#include "models/site/audit/blueprint.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

struct AuditedDesign {
  Blueprint blueprint;
  AuditReport report;
};

/// Whether what is computed agrees with what was published: within the deviation that the claim may have, on either
/// side, where an audit minds one side only.
bool agrees(const AuditedDesign& design, const ClaimFinding& finding);
/// Number of claims that do not agree.
int disagreements(const std::vector<AuditedDesign>& designs);

/// A row for each claim of each design.
ResultTable design_table(const std::vector<AuditedDesign>& designs);
/// "28 designs: 50 of 50 counts are exact, 12 of 12 other figures within their deviation."
std::string design_sentence(const std::vector<AuditedDesign>& designs);
/// `designs[]` with `name`, `source` and `claims[]`, each also with `within` and `agrees`.
JsonValue designs_to_json(const std::vector<AuditedDesign>& designs, JsonValue header);

}  // namespace clusterwright
