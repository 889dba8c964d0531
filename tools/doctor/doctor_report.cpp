// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "calibration/sample_files/catalog_accelerator.hpp"
#include "tools/doctor/abilities.hpp"
#include "tools/doctor/finding.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t widest_line = 100;

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string joined(const std::string& first, const char* between, const std::string& second_part) {
  return first + (first.empty() || second_part.empty() ? "" : between) + second_part;
}

/// Detail of a finding; for a missing thing also its purpose and remedy.
std::string said_of(const Finding& finding) {
  if (finding.found != Verity::no) return joined(finding.detail, "; ", finding.remedy);
  return joined(finding.detail, "; ", fmt::format("for {}: {}", finding.purpose, finding.remedy));
}

/// A line for each finding below the name of its section.
ResultTable finding_table(const std::vector<Finding>& findings) {
  ResultTable table{
      "", {words_column("name", ""), words_column("found", "Found"), words_column("detail", "Detail")}, {}};
  std::string section;
  for (const Finding& finding : findings) {
    if (finding.section != section) {
      if (!section.empty()) table.rows.push_back({"", "", ""});
      section = finding.section;
      table.rows.push_back({capitalised(section), "", ""});
    }
    table.rows.push_back({"  " + finding.name, word(finding.found), said_of(finding)});
  }
  return table;
}

/// Words on lines of at most `widest_line` columns; a longer word stays whole.
/// @param between  where a line may end: " -" keeps the options of a command with their values
/// @param join     what ends a line that another follows: " \\" for a shell
std::string folded(const std::string& margin, std::string rest, const char* between, const char* join) {
  std::string text = margin;
  const std::size_t width = widest_line - margin.size() - 4;
  while (rest.size() > width) {
    const std::size_t space = rest.rfind(between, width);
    if (space == std::string::npos) break;
    text += rest.substr(0, space) + join + "\n" + margin + "    ";
    rest.erase(0, space + 1);
  }
  return text + rest + "\n";
}

std::string ability_text(const std::vector<Ability>& abilities) {
  std::string text = "What you can do here\n";
  for (const Ability& ability : abilities) {
    const std::string why = ability.why.empty() ? "" : fmt::format(" ({})", printable(ability.why));
    text += folded("  ", fmt::format("{}: {}{}", ability.what, word(ability.possible), why), " ", "");
    if (!ability.how.empty()) text += folded("      ", printable(ability.how), " -", " \\");
  }
  return text;
}

JsonValue finding_json(const Finding& finding) {
  return JsonValue::object({{"section", finding.section},
                            {"name", finding.name},
                            {"found", word(finding.found)},
                            {"detail", finding.detail},
                            {"purpose", finding.purpose},
                            {"remedy", finding.remedy}});
}

JsonValue text_or_null(const std::string& text) {
  return text.empty() ? JsonValue() : JsonValue(text);
}

JsonValue gpu_json(const GpuFacts& gpu, std::size_t index, const DoctorFacts& facts) {
  const Catalog& catalog = facts.configs.catalog;
  const auto id = catalog_accelerator(gpu.name, gpu.memory, catalog);
  JsonValue nearest = JsonValue::list();
  if (!id)
    for (const std::string& near : nearest_accelerators(gpu.name, gpu.memory, catalog)) nearest.push_back(near);
  return JsonValue::object({{"index", static_cast<std::int64_t>(index)},
                            {"name", text_or_null(gpu.name)},
                            {"accelerator", id ? JsonValue(*id) : JsonValue()},
                            {"nearest", nearest},
                            {"memory_gb", gpu.memory > Bytes{} ? JsonValue(gpu.memory.in(gigabyte)) : JsonValue()},
                            {"compute_capability", text_or_null(gpu.compute_capability)},
                            {"power_limit_w", gpu.power_limit ? JsonValue(gpu.power_limit->in(watt)) : JsonValue()},
                            {"driver", text_or_null(facts.gpus.driver)},
                            {"split", gpu.split},
                            {"problem", text_or_null(gpu.problem)}});
}

JsonValue ability_json(const Ability& ability) {
  return JsonValue::object({{"what", ability.what},
                            {"possible", word(ability.possible)},
                            {"why", text_or_null(ability.why)},
                            {"how", text_or_null(ability.how)}});
}

}  // namespace

JsonValue doctor_json(const DoctorFacts& facts) {
  JsonValue document = result_header("doctor", 0, {});
  JsonValue findings = JsonValue::list(), gpus = JsonValue::list(), can = JsonValue::list();
  for (const Finding& finding : findings_of(facts)) findings.push_back(finding_json(finding));
  for (std::size_t i = 0; i < facts.gpus.gpus.size(); ++i) gpus.push_back(gpu_json(facts.gpus.gpus[i], i, facts));
  for (const Ability& ability : abilities_of(facts)) can.push_back(ability_json(ability));
  document.set("findings", findings);
  document.set("gpus", gpus);
  document.set("can", can);
  return document;
}

std::string doctor_text(const DoctorFacts& facts) {
  return render_text(finding_table(findings_of(facts))) + "\n" + ability_text(abilities_of(facts));
}

std::string doctor_markdown(const DoctorFacts& facts) {
  ResultTable findings{
      "What is here",
      {words_column("section", "Section"), words_column("name", "Name"), words_column("found", "Found"),
       words_column("detail", "Detail"), words_column("purpose", "What for"), words_column("remedy", "What to do")},
      {}};
  for (const Finding& f : findings_of(facts))
    findings.rows.push_back({f.section, f.name, word(f.found), f.detail, f.purpose, f.remedy});
  ResultTable can{"What you can do here",
                  {words_column("what", "What"), words_column("possible", "Possible"), words_column("why", "Why"),
                   words_column("how", "How")},
                  {}};
  for (const Ability& a : abilities_of(facts)) can.rows.push_back({a.what, word(a.possible), a.why, a.how});
  return render_markdown(findings) + "\n" + render_markdown(can);
}

}  // namespace clusterwright
