// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "sim/field_spec.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
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

/// What a new file begins from.
struct Starter {
  std::string name;
  JsonValue scenario;
};

/// Shipped scenario, its references as seen from the new file's directory.
Starter shipped_starter(const InitRequest& request, const fs::path& directory) {
  for (const auto& [option, value] : {std::pair("--on", request.on), std::pair("--gpus", request.gpus)})
    if (!value.empty()) throw option_error(option, value, "is the machine of a model", "add --model, or leave it out");
  const std::vector<std::string> names = starters();
  const std::string& from = names[parse_choice("--from", request.from, names)];
  const fs::path home = configs_directory() / "scenarios";
  JsonValue scenario = read_json_file(home / (from + ".json"));
  move_references(scenario, scenario_spec(), home, directory);
  return {from, std::move(scenario)};
}

/// Usual pretraining of a model on nodes by name. Loads it once, so that no file is written that cannot be read.
Starter model_starter(const InitRequest& request, const fs::path& directory) {
  if (request.on.empty() || request.gpus.empty())
    throw option_error("--model", request.model, "a model alone names no machine",
                       "add --on and --gpus, for example --on \"DGX B200\" --gpus 1024");
  const fs::path model = named_file(request.model, {"transformers"});
  require_kind(model, ConfigKind::transformer, "init --model");
  const Catalog catalog = load_catalog(configs_directory() / "parts", FactCheck::none);
  const int accelerators = parse_count({"--gpus", request.gpus});
  const NodePart& node = named_node(request.on, catalog, accelerators);
  JsonValue scenario = JsonValue::object({{"cluster", cluster_of_nodes(node, accelerators)}});
  const JsonValue job = pretraining_of(model, 0);
  for (const auto& [key, member] : job.members()) scenario.set(key, member);
  scenario_of_document(scenario, {});
  *scenario.find("transformer") = moved(fs::absolute(model).string(), {}, directory);
  return {fmt::format("{} on {}", model.stem().string(), request.on), std::move(scenario)};
}

}  // namespace

ExitCode init(const InitRequest& request) {
  fs::path target = request.name;
  const fs::path last = target.filename();
  if (last.empty() || last == "." || last == "..")
    throw option_error("NAME", request.name, "names no file", "write my-scenario.json");
  if (target.extension() != ".json") target += ".json";
  check_outputs({target.string()}, {});
  const fs::path directory = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  const Starter starter =
      request.model.empty() ? shipped_starter(request, directory) : model_starter(request, directory);
  std::string text =
      fmt::format("// A scenario for clusterwright, started from {}. For all other fields: clusterwright explain job\n",
                  starter.name);
  write_commented(starter.scenario, scenario_spec(), "", text);
  write_new_file(target, text + "\n");
  if (!request.quiet) write_error(fmt::format("wrote {0}\nNext: clusterwright run {0}\n", printable(target.string())));
  return ExitCode::ok;
}

}  // namespace clusterwright
