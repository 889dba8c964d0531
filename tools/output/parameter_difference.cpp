// SPDX-License-Identifier: Apache-2.0
#include "tools/output/parameter_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/job/parameter_choice.hpp"
#include "models/prediction/predict_step.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double unseen = 5e-4;  // a change of this share is none to a reader

/// The first value that differs, or is missing in the other; null: none.
const JsonValue* first_difference(const JsonValue& set, const JsonValue* usual) {
  if (!set.is(JsonKind::object)) return nullptr;
  if (const JsonValue* value = set.find("value"); value && value->is_numeric()) {
    const JsonValue* other = usual && usual->is(JsonKind::object) ? usual->find("value") : nullptr;
    const bool same = other && other->is_numeric() && other->as_number() == value->as_number();
    return same ? nullptr : &set;
  }
  for (const auto& [key, member] : set.members()) {
    const JsonValue* other = usual && usual->is(JsonKind::object) ? usual->find(key) : nullptr;
    if (const JsonValue* found = first_difference(member, other)) return found;
  }
  return nullptr;
}

void compare(const std::string& section, const JsonValue& set, const JsonValue* usual,
             std::vector<ParameterDifference>& out) {
  const JsonValue* found = first_difference(set, usual);
  if (!found) return;
  const JsonValue* source = found->find("source");
  out.push_back({section, source && source->is(JsonKind::text) ? source->as_text() : ""});
}

/// Sections that are maps are compared entry by entry.
std::vector<ParameterDifference> compare_documents(const JsonValue& set, const JsonValue& usual) {
  std::vector<ParameterDifference> out;
  for (const char* key : {"gemm", "attention", "memory", "collectives", "network", "power", "step"}) {
    const JsonValue* own = set.find(key);
    const JsonValue* other = usual.find(key);
    if (!own || !own->is(JsonKind::object)) continue;
    const bool map = std::string(key) == "gemm" || std::string(key) == "attention" || std::string(key) == "collectives";
    if (!map) {
      compare(key, *own, other, out);
      continue;
    }
    for (const auto& [name, entry] : own->members())
      compare(fmt::format("{}/{}", key, name), entry, other ? other->find(name) : nullptr, out);
  }
  return out;
}

bool names_parameters(const Scenario& scenario) {
  const JsonValue* field = scenario.source.find("parameters");
  return field && field->is(JsonKind::text) && field->as_text() != "auto";
}

std::string change_text(double ratio) {
  return percent_text(std::abs(ratio - 1)) + (ratio > 1 ? " longer" : " shorter");
}

/// Sections with one source on one line.
std::string grouped(const std::vector<ParameterDifference>& differences) {
  std::map<std::string, std::vector<std::string>> by_source;
  for (const ParameterDifference& one : differences) by_source[one.source].push_back(one.section);
  std::string text;
  for (const auto& [source, sections] : by_source) text += fmt::format("\n  {}: {}", fmt::join(sections, ", "), source);
  return text;
}

std::string ratio_text(const AgainstUsual& against) {
  const std::string usual = against.usual + ", the default.";
  if (!against.most_ratio) return "; they differ from " + usual;
  const bool both_longer = *against.least_ratio > 1 && *against.most_ratio > 1 + unseen;
  if (*against.least_ratio != *against.most_ratio && both_longer)
    return fmt::format("; times are {} to {} longer than with {}", percent_text(*against.least_ratio - 1),
                       percent_text(*against.most_ratio - 1), usual);
  if (*against.least_ratio != *against.most_ratio)
    return fmt::format("; times are {} to {} than with {}", change_text(*against.least_ratio),
                       change_text(*against.most_ratio), usual);
  if (std::abs(*against.most_ratio - 1) < unseen) return "; the step time equals that with " + usual;
  return fmt::format("; a step takes {} than with {}", change_text(*against.most_ratio), usual);
}

}  // namespace

std::vector<ParameterDifference> differing_sections(const ParameterSet& set, const ParameterSet& usual) {
  return compare_documents(encode_record(set), encode_record(usual));
}

std::vector<ParameterDifference> differing_sections(const CollectiveSet& set, const CollectiveSet& usual) {
  return compare_documents(encode_record(set), encode_record(usual));
}

std::optional<AgainstUsual> against_usual(const Scenario& scenario, bool named, std::optional<Seconds> step_time) {
  if (!named && !names_parameters(scenario)) return std::nullopt;
  Scenario other = scenario;
  const AcceleratorPart& part = scenario.cluster.accelerator;
  other.parameters = decode_record<ParameterSet>(read_json_file(parameter_file(part)));
  AgainstUsual out{scenario.parameters.name, other.parameters.name, "", {}, {}, {}};
  const bool own = claim(scenario.parameters, measured_id(part)) >= SetClaim::sibling;
  if (!own) out.fitted_for = scenario.parameters.accelerator.empty() ? "no one part" : scenario.parameters.accelerator;
  if (step_time)
    out.least_ratio = out.most_ratio = *step_time / predict_step(other, OpenFields::best, Remedy::left_out).step_time;
  out.differences = differing_sections(scenario.parameters, other.parameters);
  return out;
}

std::string sentence_of(const AgainstUsual& against) {
  std::string text = "Parameters: " + against.parameters;
  if (!against.fitted_for.empty()) text += ", fitted for " + against.fitted_for;
  if (against.differences.empty()) return text + fmt::format("; all numbers equal those of {}.", against.usual);
  return text + ratio_text(against) + grouped(against.differences);
}

JsonValue json_of(const std::optional<AgainstUsual>& against) {
  if (!against) return {};
  const auto number = [](const std::optional<double>& value) { return value ? JsonValue(*value) : JsonValue(); };
  JsonValue differences = JsonValue::list();
  for (const ParameterDifference& one : against->differences)
    differences.push_back(JsonValue::object({{"section", one.section}, {"source", one.source}}));
  return JsonValue::object({{"parameters", against->parameters},
                            {"usual", against->usual},
                            {"fitted_for", against->fitted_for},
                            {"least_ratio", number(against->least_ratio)},
                            {"most_ratio", number(against->most_ratio)},
                            {"differences", std::move(differences)}});
}

}  // namespace clusterwright
