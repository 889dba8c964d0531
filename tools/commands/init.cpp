// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/job/scenario_loader.hpp"
#include "sim/field_spec.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

/// The starter scenarios that come with the program.
std::vector<std::string> starters() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(configs_directory() / "scenarios", error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A path in the starter, as seen from the new file's directory.
std::string moved(const std::string& reference, const fs::path& from, const fs::path& to) {
  const fs::path target = fs::weakly_canonical(from / reference);
  const fs::path home = fs::weakly_canonical(fs::absolute(to));
  return fs::relative(target, home).generic_string();
}

/// Paths are texts where a record may stand instead, and "$schema".
void move_references(JsonValue& scenario, const RecordSpec& spec, const fs::path& from, const fs::path& to) {
  for (auto& [key, member] : scenario.members()) {
    const FieldSpec* field = spec.find(key);
    const bool path = key == "$schema" || (field && field->reference);
    if (path && member.is(JsonKind::text)) member = moved(member.as_text(), from, to);
  }
}

std::string comment(const FieldSpec* field, const std::string& indent) {
  if (!field || field->help.empty()) return {};
  const std::string unit = field->unit.empty() ? std::string() : fmt::format(" [{}]", field->unit);
  const std::string choices =
      field->choices.empty() ? std::string() : fmt::format("; one of {}", fmt::join(field->choices, ", "));
  return fmt::format("{}// {}{}{}\n", indent, field->help, unit, choices);
}

/// JSON with a line of explanation above each field.
void write_commented(const JsonValue& object, const RecordSpec& spec, const std::string& indent, std::string& out) {
  out += "{\n";
  const std::string inner = indent + "  ";
  for (std::size_t i = 0; i < object.members().size(); ++i) {
    const auto& [key, member] = object.members()[i];
    const FieldSpec* field = spec.find(key);
    out += comment(field, inner) + inner + write_json(JsonValue(key), -1) + ": ";
    const bool nested = field && field->type == FieldType::record && !field->is_list && !field->is_map;
    if (nested && member.is(JsonKind::object)) {
      write_commented(member, field->nested(), inner, out);
    } else {
      out += write_json(member, -1);
    }
    out += i + 1 < object.members().size() ? ",\n" : "\n";
  }
  out += indent + "}";
}

}  // namespace

ExitCode init(const InitRequest& request) {
  const std::vector<std::string> names = starters();
  const std::string& from = names[parse_choice("--from", request.from, names)];
  fs::path target = request.name;
  if (target.filename().empty()) throw option_error("NAME", request.name, "names no file", "write my-scenario.json");
  if (target.extension() != ".json") target += ".json";
  const fs::path home = configs_directory() / "scenarios";
  JsonValue scenario = read_json_file(home / (from + ".json"));
  const fs::path directory = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  move_references(scenario, scenario_spec(), home, directory);
  std::string text = fmt::format(
      "// A scenario for clusterwright, started from {}. For all other fields: clusterwright explain job\n", from);
  write_commented(scenario, scenario_spec(), "", text);
  write_new_file(target, text + "\n");
  if (!request.quiet) write_error(fmt::format("wrote {0}\nNext: clusterwright run {0}\n", printable(target.string())));
  return ExitCode::ok;
}

}  // namespace clusterwright
