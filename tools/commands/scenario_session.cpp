// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/scenario_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/unstated_degrees.hpp"
#include "tools/commands/check_format.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_text.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

ScenarioOptions scenario_options(const ScenarioRequest& request) {
  ScenarioOptions options;
  options.settings = request.settings;
  if (!request.cap.empty()) options.settings.push_back(cap_setting(request.cap));
  options.faults = request.faults;
  options.node = request.on;
  if (!request.gpus.empty()) options.accelerators = parse_count({"--gpus", request.gpus});
  options.placement = request.placement;
  if (!request.parameters.empty()) options.parameters = named_file(request.parameters, {"parameters"});
  return options;
}

namespace {

/// As a shell takes it: bare where it has nothing special.
std::string shell_quoted(const std::string& word) {
  const std::string plain = "._-=/,:+%";
  const bool bare = std::ranges::all_of(
      word, [&](unsigned char c) { return std::isalnum(c) || plain.find(static_cast<char>(c)) != std::string::npos; });
  return bare ? word : "'" + printable(word) + "'";
}

std::string name_of(ScenarioReader command) {
  switch (command) {
    case ScenarioReader::run:
      return "run";
    case ScenarioReader::scale:
      return "scale";
    case ScenarioReader::search:
      return "search";
    case ScenarioReader::wave:
      return "wave";
    default:
      return "size";
  }
}

/// Whether an option names the machine of a model alone.
bool names_machine(const ScenarioRequest& request) {
  const auto whole = [](const std::string& setting) { return setting.starts_with("cluster="); };
  return !request.on.empty() || std::ranges::any_of(request.settings, whole);
}

/// Scenario of a file, or usual pretraining of a model on the machine that an option names.
Scenario scenario_of(const ScenarioRequest& request, const std::string& command) {
  const std::filesystem::path file = named_file(request.scenario, {"scenarios", "transformers"});
  if (is_of_kind(file, ConfigKind::transformer)) {
    if (!names_machine(request))
      throw option_error("SCENARIO", request.scenario, "a model alone names no machine",
                         "add --on and --gpus, for example --on \"DGX B200\" --gpus 1024, or a cluster file: --set "
                         "cluster=FILE");
    return scenario_of_document(pretraining_of(file, 0), scenario_options(request));
  }
  require_kind(file, ConfigKind::scenario, command);
  return load_scenario(file, scenario_options(request));
}

void check_faults(const ScenarioRequest& request, const Cluster& cluster) {
  if (request.faults.empty() || cluster.has_network()) return;
  const std::string& given = request.faults.front();
  throw ConfigError(
      {Diagnostic{"E0339",
                  "--fail changes nothing: the cluster has no network: it is one node or one scale-up domain",
                  {option_place("--fail", given)},
                  "",
                  "leave it out"}});
}

}  // namespace

std::vector<std::string> without_replaced(const std::vector<std::string>& settings) {
  const auto path_of = [](const std::string& setting) { return setting.substr(0, setting.find('=')); };
  std::vector<std::string> out;
  for (const std::string& setting : settings) {
    std::erase_if(out, [&](const std::string& earlier) { return path_of(earlier) == path_of(setting); });
    out.push_back(setting);
  }
  return out;
}

std::string words_of(const ScenarioRequest& request) {
  std::string text = shell_quoted(request.scenario);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  add("--on", request.on);
  add("--gpus", request.gpus);
  for (const std::string& setting : request.settings) add("--set", setting);
  add("--parameters", request.parameters);
  add("--cap", request.cap);
  for (const std::string& fault : request.faults) add("--fail", fault);
  for (const std::string& slow : request.slow) add("--slow", slow);
  add("--placement", request.placement);
  if (request.seed != "0") add("--seed", request.seed);
  return text;
}

std::string sizing_command(const ScenarioRequest& request) {
  const bool sized = request.faults.empty() && request.slow.empty() && request.placement.empty();
  return fmt::format("clusterwright {} {}", sized ? "size" : "run", words_of(request));
}

std::optional<Scenario> scenario_of_file(const ScenarioRequest& request) {
  const std::filesystem::path file = named_file(request.scenario, {"scenarios", "transformers"});
  if (is_of_kind(file, ConfigKind::transformer)) return std::nullopt;
  ScenarioOptions options;
  std::ranges::copy_if(request.settings, std::back_inserter(options.settings),
                       [](const std::string& setting) { return setting.starts_with("job."); });
  return load_scenario(file, options);
}

std::string node_of_sizes(const std::string& on, int accelerators) {
  if (on.empty()) return on;
  const Catalog catalog = load_catalog(configs_directory() / "parts", FactCheck::none);
  const std::string& node = named_node(on, catalog, accelerators).id;
  return slice_remark(on, node, catalog).empty() ? on : node;
}

void check_cap(const ScenarioRequest& request, const Cluster& cluster) {
  if (request.cap.empty() || cluster.kinds() == 1) return;
  throw ConfigError({Diagnostic{"E0349",
                                "--cap limits one kind of nodes, and the cluster has several",
                                {option_place("--cap", request.cap)},
                                "",
                                "write accelerator_power_limit_w in each node of the cluster"}});
}

ScenarioSession open_scenario(const ScenarioRequest& request, ScenarioReader command, int smallest) {
  ScenarioSession session;
  const std::uint64_t seed = session.seed = parse_seed({"--seed", request.seed});
  for (const std::string& text : request.slow) session.slow.push_back(parse_slow(text));
  session.before_draws = scenario_of(request, name_of(command));
  const Cluster& cluster = session.before_draws.cluster;
  check_faults(request, cluster);
  check_cap(request, cluster);
  check_format(session.before_draws);
  const int all = cluster.spec.accelerators;
  session.scenario = drawn(session.before_draws, session.slow, smallest > 0 ? std::min(smallest, all) : all, seed);
  session.context = make_result_context(session.scenario, name_of(command), request.command_line, seed);
  std::vector<UnusedField> unused = unused_fields(session.scenario, command);
  // Under other layouts of a search a field of the job may matter.
  if (command == ScenarioReader::search)
    std::erase_if(unused, [](const UnusedField& field) { return field.path.starts_with("job."); });
  session.context.warnings = check_unused(unused);
  if (std::string text = unstated_degrees(session.scenario); command != ScenarioReader::search && !text.empty())
    session.context.warnings.push_back(std::move(text));
  return session;
}

}  // namespace clusterwright
