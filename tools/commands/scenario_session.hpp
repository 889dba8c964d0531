// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/job/scenario.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/unused_fields.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// A loaded scenario with what results say of it.
struct ScenarioSession {
  Scenario scenario;
  ResultContext context;
};

/// Values of --set and --parameters.
ScenarioOptions scenario_options(const ScenarioRequest& request);

/// @throws ConfigError E0404 without a scenario file, E0339 for settings that change nothing in the command
ScenarioSession open_scenario(const ScenarioRequest& request, ScenarioReader command);

}  // namespace clusterwright
