// SPDX-License-Identifier: Apache-2.0
#include "tools/output/design_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tools/output/audit_answer.hpp"

namespace clusterwright {

namespace {

double allowed(const AuditedDesign& design, const ClaimFinding& finding) {
  return tolerance_of(design.blueprint, finding.claim).holds;
}

struct Agreement {
  int agreeing = 0, all = 0;

  void add(bool agrees) {
    ++all;
    agreeing += agrees;
  }
};

}  // namespace

bool agrees(const AuditedDesign& design, const ClaimFinding& finding) {
  constexpr double rounding = 1e-9;
  if (finding.error) return std::abs(*finding.error) <= allowed(design, finding) + rounding;
  return finding.holds == Holds::yes;
}

int disagreements(const std::vector<AuditedDesign>& designs) {
  int count = 0;
  for (const AuditedDesign& design : designs)
    for (const ClaimFinding& finding : design.report.findings) count += !agrees(design, finding);
  return count;
}

ResultTable design_table(const std::vector<AuditedDesign>& designs) {
  ResultTable table{
      "Published designs",
      {words_column("design", "Design"), words_column("claim", "Quantity"), words_column("stated", "Published"),
       words_column("computed", "Computed"), percent_column("error", "Error"), percent_column("within", "Allowed"),
       words_column("agrees", "Agrees")},
      {}};
  table.columns[5].decimals = 0;
  for (const AuditedDesign& design : designs)
    for (const ClaimFinding& finding : design.report.findings)
      table.rows.push_back(
          {design.blueprint.name, claim_name(finding.claim), claim_value_text(finding.claim, *finding.stated),
           claim_value_text(finding.claim, finding.computed), finding.error ? Cell(*finding.error) : Cell(),
           finding.error ? Cell(allowed(design, finding)) : Cell(), agrees(design, finding) ? "yes" : "no"});
  return table;
}

std::string design_sentence(const std::vector<AuditedDesign>& designs) {
  Agreement counts, others;
  for (const AuditedDesign& design : designs)
    for (const ClaimFinding& finding : design.report.findings)
      (is_count(finding.claim) ? counts : others).add(agrees(design, finding));
  return fmt::format("{} designs: {} of {} counts agree, {} of {} other figures are within their deviation.",
                     designs.size(), counts.agreeing, counts.all, others.agreeing, others.all);
}

JsonValue designs_to_json(const std::vector<AuditedDesign>& designs, JsonValue header) {
  JsonValue list = JsonValue::list();
  for (const AuditedDesign& design : designs) {
    JsonValue claims = JsonValue::list();
    for (const ClaimFinding& finding : design.report.findings) {
      JsonValue claim = finding_to_json(finding);
      claim.set("within", allowed(design, finding));
      claim.set("agrees", agrees(design, finding));
      claims.push_back(std::move(claim));
    }
    list.push_back(JsonValue::object(
        {{"name", design.blueprint.name}, {"source", design.blueprint.source}, {"claims", std::move(claims)}}));
  }
  header.set("designs", std::move(list));
  header.set("disagreements", disagreements(designs));
  return header;
}

}  // namespace clusterwright
