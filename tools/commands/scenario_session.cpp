// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/scenario_session.hpp"

#include <algorithm>

#include "models/job/configs_directory.hpp"
#include "tools/config_kinds.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

ScenarioOptions scenario_options(const ScenarioRequest& request) {
  ScenarioOptions options;
  options.settings = request.settings;
  if (!request.cap.empty()) options.settings.push_back(cap_setting(request.cap));
  options.faults = request.faults;
  options.placement = request.placement;
  if (!request.parameters.empty()) options.parameters = named_file(request.parameters, {"parameters"});
  return options;
}

namespace {

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
  const std::filesystem::path file = named_file(request.scenario, {"scenarios"});
  require_kind(file, ConfigKind::scenario, name_of(command));
  for (const std::string& text : request.slow) session.slow.push_back(parse_slow(text));
  session.before_draws = load_scenario(file, scenario_options(request));
  const Cluster& cluster = session.before_draws.cluster;
  check_faults(request, cluster);
  check_cap(request, cluster);
  const int all = cluster.spec.accelerators;
  session.scenario = drawn(session.before_draws, session.slow, smallest > 0 ? std::min(smallest, all) : all, seed);
  session.context = make_result_context(session.scenario, name_of(command), request.command_line, seed);
  std::vector<UnusedField> unused = unused_fields(session.scenario, command);
  // Under other layouts of a search a field of the job may matter.
  if (command == ScenarioReader::search)
    std::erase_if(unused, [](const UnusedField& field) { return field.path.starts_with("job."); });
  session.context.warnings = check_unused(unused);
  return session;
}

}  // namespace clusterwright
