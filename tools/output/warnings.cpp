// SPDX-License-Identifier: Apache-2.0
#include "tools/output/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"

namespace clusterwright {

namespace {

bool has(const Warnings& list, const std::string& warning) {
  return std::find(list.begin(), list.end(), warning) != list.end();
}

}  // namespace

Warnings warnings_of(const Warnings& input, const Warnings& result) {
  Warnings out = input;
  out.insert(out.end(), result.begin(), result.end());
  return out;
}

Warnings warnings_of(Warnings input, const std::vector<NamedWarnings>& answers, const AroundNames& around) {
  Warnings seen, names;
  for (const NamedWarnings& answer : answers)
    for (const std::string& warning : answer.warnings) {
      if (has(seen, warning)) continue;
      seen.push_back(warning);
      names.clear();
      for (const NamedWarnings& other : answers)
        if (has(other.warnings, warning)) names.push_back(other.name);
      input.push_back(names.size() == answers.size()
                          ? warning
                          : fmt::format("{}{}{}: {}", around.before, fmt::join(names, "; "), around.behind, warning));
    }
  return input;
}

Warnings warnings_of(const Warnings& input, const ScaleCurve& curve) {
  std::vector<NamedWarnings> computed;
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty()) computed.push_back({count_text(point.step.accelerators), point.step.warnings});
  return warnings_of(warnings_of(input, curve.warnings), computed, {"at ", " GPUs"});
}

void print_warnings(const Warnings& warnings, const std::vector<OutputTarget>& targets) {
  const auto shows = [](const OutputTarget& target) {
    return target.format != OutputFormat::csv && target.format != OutputFormat::nccl_tests &&
           target.format != OutputFormat::dot;
  };
  if (std::any_of(targets.begin(), targets.end(), shows)) return;
  for (const std::string& warning : warnings) write_error("warning: " + printable(warning) + "\n");
}

std::string warnings_text(const Warnings& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "\nwarning: " + printable(warning);
  return text.empty() ? text : text + "\n";
}

std::string warnings_markdown(const Warnings& warnings) {
  std::string text = warnings.empty() ? "" : "\n";
  for (const std::string& warning : warnings) text += fmt::format("- warning: {}\n", markdown_text(warning));
  return text;
}

std::string warnings_section(const Warnings& warnings) {
  if (warnings.empty()) return {};
  std::string items;
  for (const std::string& warning : warnings) items += fmt::format("<li>{}</li>\n", html_text(warning));
  return html_section("Warnings", "", "<ul class=\"warnings\">\n" + items + "</ul>\n");
}

JsonValue warnings_json(const Warnings& warnings) {
  JsonValue list = JsonValue::list();
  for (const std::string& warning : warnings) list.push_back(warning);
  return list;
}

}  // namespace clusterwright
