// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/job/scenario.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/unused_fields.hpp"
#include "models/prediction/step_draws.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// A loaded scenario with what results say of it.
struct ScenarioSession {
  Scenario scenario;           ///< with the draws of the seed
  Scenario before_draws;       ///< what other seeds draw from
  std::vector<SlowWish> slow;  ///< wishes of --slow
  std::uint64_t seed = 0;
  ResultContext context;
};

/// Words of a command line that open the same scenario, as a shell takes them: "x.json --on B200 --set a.b=3".
std::string words_of(const ScenarioRequest& request);

/// Command that sizes the same scenario: `run` for faults, slow devices and placements, which `size` does not take.
std::string sizing_command(const ScenarioRequest& request);
/// Settings without those that a later one of the same path replaces.
std::vector<std::string> without_replaced(const std::vector<std::string>& settings);

/// Value of --on for answers at several sizes. An accelerator that stands for slices of a torus becomes the node that
/// this number takes, so that all sizes and the commands that confirm them have the same one.
std::string node_of_sizes(const std::string& on, int accelerators);

/// Values of --set and --parameters.
ScenarioOptions scenario_options(const ScenarioRequest& request);

/// @throws ConfigError E0404 without a scenario file, E0339 for settings that change nothing in the command
/// @param smallest  accelerators of the smallest size that the command predicts, where slow devices are drawn from; 0:
/// those of the scenario
ScenarioSession open_scenario(const ScenarioRequest& request, ScenarioReader command, int smallest = 0);

/// Scenario of the file alone, with its own machine and the settings of its job; nothing where the file is a model.
std::optional<Scenario> scenario_of_file(const ScenarioRequest& request);

/// Refuses --cap on a cluster with nodes of several kinds: a limit of one kind would be taken for one of all.
/// @throws ConfigError E0349
void check_cap(const ScenarioRequest& request, const Cluster& cluster);

}  // namespace clusterwright
