// SPDX-License-Identifier: Apache-2.0
#include "tools/output/audit_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

namespace {

struct PeopleClaim {
  std::string_view name;
  std::string_view unit;  ///< unit of the number; shares are shown in percent
};

/// Name and unit of each ClaimKind.
constexpr std::array<PeopleClaim, claim_kind_count> people_claims = {{{"accelerators in racks", ""},
                                                                      {"duration of training", "days"},
                                                                      {"scale-up links", ""},
                                                                      {"network per accelerator", "Gbit/s"},
                                                                      {"layout", ""},
                                                                      {"weights per accelerator", "GB"},
                                                                      {"fits in memory", ""},
                                                                      {"power of a rack", "kW"},
                                                                      {"cooling", ""},
                                                                      {"power of the site", "MW"},
                                                                      {"exposed communication", "share"},
                                                                      {"utilisation (MFU)", "share"},
                                                                      {"time between failures", "h"},
                                                                      {"power of all machines", "MW"},
                                                                      {"switches", ""},
                                                                      {"cables", ""},
                                                                      {"PUE", ""},
                                                                      {"energy of a year", "GWh"},
                                                                      {"power in use", "MW"},
                                                                      {"racks", ""},
                                                                      {"bisection, one direction", "TB/s"},
                                                                      {"price to buy", "$ million"}}};

const PeopleClaim& people(ClaimKind kind) {
  return people_claims[static_cast<std::size_t>(kind)];
}

Cell value_cell(const NumberOrText& value) {
  return std::visit([](const auto& inner) { return Cell(inner); }, value);
}

std::string holds_text(const ClaimFinding& finding) {
  return finding.holds ? std::string(holds_names[static_cast<std::size_t>(*finding.holds)]) : "missing";
}

Cell audit_number_cell(const std::optional<double>& number) {
  return number ? Cell(*number) : Cell();
}

JsonValue audit_number_json(const std::optional<double>& number) {
  return number ? JsonValue(*number) : JsonValue();
}

JsonValue json_of(const NumberOrText& value) {
  return std::visit([](const auto& inner) { return JsonValue(inner); }, value);
}

std::string title_of(const AuditAnswer& answer) {
  const ResultContext& context = answer.context;
  if (context.transformer.empty()) return fmt::format("{}: {}", answer.blueprint.name, context.cluster);
  return fmt::format("{}: {} on {}", answer.blueprint.name, context.transformer, context.cluster);
}

std::string job_line(const AuditAnswer& answer) {
  return answer.context.job.empty() ? no_job_words : answer.context.job;
}

/// Stack that the prediction of the step took because the job states none; nullptr if it states one.
const Assumption* assumed_stack(const AuditReport& report) {
  if (!report.step) return nullptr;
  const auto& list = report.step->assumptions;
  const auto found = std::ranges::find(list, "software stack", &Assumption::what);
  return found != list.end() && found->origin == "default" ? &*found : nullptr;
}

/// Changes and assumptions that the prediction of the step required, one sentence each.
std::vector<std::string> step_sentences(const AuditReport& report) {
  std::vector<std::string> sentences;
  for (const std::string& change : report.changes)
    sentences.push_back(fmt::format("Time and memory are predicted for {}.", change));
  if (const Assumption* stack = assumed_stack(report))
    sentences.push_back(
        fmt::format("The job states no software stack: {} is assumed; job.stack names another one.", stack->value));
  return sentences;
}

JsonValue step_assumptions(const AuditReport& report) {
  JsonValue list = JsonValue::list();
  if (!report.step) return list;
  for (const Assumption& a : report.step->assumptions)
    list.push_back(JsonValue::object({{"what", a.what}, {"value", a.value}, {"origin", a.origin}, {"why", a.why}}));
  return list;
}

std::string next_line(const AuditReport& report) {
  const std::string next = next_step(report);
  return next.empty() ? "no claim needs a correction" : next;
}

}  // namespace

std::string claim_name(ClaimKind kind) {
  return std::string(people(kind).name);
}

std::string claim_value_text(ClaimKind kind, const NumberOrText& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  const double number = std::get<double>(value);
  const std::string_view unit = people(kind).unit;
  if (is_share(kind)) return percent_text(number);
  if (is_count(kind) && number == std::round(number)) return count_text(std::llround(number));
  return fmt::format("{}{}{}", significant_text(number, number < 100 ? 3 : 4), unit.empty() ? "" : " ", unit);
}

JsonValue finding_to_json(const ClaimFinding& finding) {
  const std::string_view unit = people(finding.claim).unit;
  return JsonValue::object({{"claim", claim_kind_names[static_cast<std::size_t>(finding.claim)]},
                            {"words", finding.words},
                            {"stated", finding.stated ? json_of(*finding.stated) : JsonValue()},
                            {"computed", json_of(finding.computed)},
                            {"low", audit_number_json(finding.low)},
                            {"high", audit_number_json(finding.high)},
                            {"unit", unit},
                            {"error", audit_number_json(finding.error)},
                            {"holds", finding.holds ? JsonValue(holds_text(finding)) : JsonValue()},
                            {"arithmetic", finding.arithmetic},
                            {"remedy", finding.remedy}});
}

ResultTable claims_table(const AuditReport& report) {
  ResultTable table{
      "",
      {words_column("claim", "Claim"), words_column("stated", "Stated"), words_column("computed", "Computed"),
       percent_column("error", "Error"), words_column("holds", "Holds"), words_column("arithmetic", "Arithmetic")},
      {}};
  table.columns[3].decimals = 0;
  table.columns.back().below = true;
  for (const ClaimFinding& finding : report.findings)
    table.rows.push_back({people(finding.claim).name,
                          finding.stated ? Cell(claim_value_text(finding.claim, *finding.stated)) : Cell("not stated"),
                          claim_value_text(finding.claim, finding.computed), audit_number_cell(finding.error),
                          holds_text(finding), finding.arithmetic});
  return table;
}

ResultTable claims_data(const AuditReport& report) {
  ResultTable table;
  for (const char* key :
       {"claim", "stated", "computed", "unit", "error", "holds", "arithmetic", "words", "low", "high"})
    table.columns.push_back(words_column(key, key));
  for (const ClaimFinding& finding : report.findings)
    table.rows.push_back({claim_kind_names[static_cast<std::size_t>(finding.claim)],
                          finding.stated ? value_cell(*finding.stated) : Cell(), value_cell(finding.computed),
                          people(finding.claim).unit, audit_number_cell(finding.error), holds_text(finding),
                          finding.arithmetic, finding.words, audit_number_cell(finding.low),
                          audit_number_cell(finding.high)});
  return table;
}

std::string count_sentence(const AuditReport& report) {
  const int yes = report.count(Holds::yes), no = report.count(Holds::no), missing = report.missing();
  std::string text = fmt::format("{} {}, {} in part, {} {} not", yes, yes == 1 ? "claim holds" : "claims hold",
                                 report.count(Holds::partly), no, no == 1 ? "does" : "do");
  if (missing > 0) text += fmt::format("; {} {} missing", missing, missing == 1 ? "is" : "are");
  return text;
}

std::string next_step(const AuditReport& report) {
  const ClaimFinding* finding = report.first_to_mend();
  if (!finding) return {};
  return fmt::format("{}: {}", people(finding->claim).name, finding->remedy);
}

Warnings audit_warnings(const AuditAnswer& answer) {
  const std::optional<StepPrediction>& step = answer.report.step;
  return warnings_of(answer.context.warnings, step ? step->warnings : Warnings{});
}

std::string audit_text(const AuditAnswer& answer) {
  const AuditReport& report = answer.report;
  std::string text = printable(title_of(answer)) + "\n" + printable(job_line(answer)) + "\n";
  for (const std::string& sentence : step_sentences(report)) text += sentence + "\n";
  text += "\n" + render_text(claims_table(report)) + "\n" + count_sentence(report) + "\n";
  text += warnings_text(audit_warnings(answer));
  return text + "\nNext: " + printable(next_line(report)) + "\n";
}

std::string audit_markdown(const AuditAnswer& answer) {
  const AuditReport& report = answer.report;
  std::string text = fmt::format("# {}\n\n{}\n\n", markdown_text(title_of(answer)), markdown_text(job_line(answer)));
  for (const std::string& sentence : step_sentences(report)) text += markdown_text(sentence) + "\n\n";
  text += render_markdown(claims_table(report)) + "\n" + count_sentence(report) + "\n";
  text += warnings_markdown(audit_warnings(answer));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(next_line(report)));
}

std::string audit_page(const AuditAnswer& answer) {
  const AuditReport& report = answer.report;
  std::vector<std::string> sentences = step_sentences(report);
  sentences.insert(sentences.begin(), count_sentence(report));
  sentences.push_back("Next: " + next_line(report));
  std::string verdict;
  for (const std::string& sentence : sentences) verdict += fmt::format("<li>{}</li>\n", html_text(sentence));
  const std::string header = fmt::format(
      "<header>\n<p class=\"kind\">Audit</p>\n<h1>{}</h1>\n<p class=\"job\">{}.</p>\n<ul "
      "class=\"verdict{}\">\n{}</ul>\n</header>\n",
      html_text(title_of(answer)), html_text(job_line(answer)), report.count(Holds::no) > 0 ? " no" : "", verdict);
  const std::string footer = repeat_footer(answer.context.command_line, "");
  const std::string claims = html_section("Claims", answer.blueprint.source, render_html(claims_table(report)));
  return html_page("Audit", "", header + warnings_section(audit_warnings(answer)) + claims, footer);
}

JsonValue audit_to_json(const AuditAnswer& answer) {
  const AuditReport& report = answer.report;
  JsonValue document = result_header(answer.context.command, answer.context.seed, answer.context.inputs);
  document.set("scenario", answer.context.scenario);
  document.set("blueprint", answer.blueprint.name);
  JsonValue claims = JsonValue::list(), changes = JsonValue::list();
  for (const ClaimFinding& finding : report.findings) claims.push_back(finding_to_json(finding));
  for (const std::string& change : report.changes) changes.push_back(change);
  document.set("claims", claims);
  document.set("changes", changes);
  document.set("counts", JsonValue::object({{"yes", report.count(Holds::yes)},
                                            {"partly", report.count(Holds::partly)},
                                            {"no", report.count(Holds::no)},
                                            {"missing", report.missing()}}));
  document.set("next", next_step(report));
  document.set("assumptions", step_assumptions(report));
  document.set("warnings", warnings_json(audit_warnings(answer)));
  return document;
}

}  // namespace clusterwright
