// SPDX-License-Identifier: Apache-2.0
/// Answer of `audit` as tables, sentences, JSON and a page.
#pragma once

#include <string>

#include "models/site/audit/audit_report.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

struct AuditAnswer {
  const ResultContext& context;
  const Blueprint& blueprint;
  const AuditReport& report;
};

/// "power of a rack".
std::string claim_name(ClaimKind kind);
/// "40.8 kW", "1,024", "38.0 %", "NVLink 4".
std::string claim_value_text(ClaimKind kind, const NumberOrText& value);
JsonValue finding_to_json(const ClaimFinding& finding);

/// Claims for people, one per line, each with its arithmetic below.
ResultTable claims_table(const AuditReport& report);
/// Claims for machines: numbers in the unit of their claim.
ResultTable claims_data(const AuditReport& report);

/// "1 claim holds, 2 in part, 8 do not; 2 are missing".
std::string count_sentence(const AuditReport& report);

/// First correction to make; empty if all claims hold.
std::string next_step(const AuditReport& report);

/// Warnings about the input, and those of the step that the claims are checked with.
Warnings audit_warnings(const AuditAnswer& answer);

std::string audit_text(const AuditAnswer& answer);
std::string audit_markdown(const AuditAnswer& answer);
std::string audit_page(const AuditAnswer& answer);
/// `claims[]` with `claim`, `words`, `stated`, `computed`, `low`, `high`, `unit`, `error`, `holds`, `arithmetic`,
/// `remedy`; counts; `assumptions[]` and `warnings[]` of the step.
JsonValue audit_to_json(const AuditAnswer& answer);

}  // namespace clusterwright
