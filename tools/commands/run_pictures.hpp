// SPDX-License-Identifier: Apache-2.0
/// Pictures that `run` writes beside its answer: the timeline of a step and the heat of its links.
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"

namespace clusterwright {

/// Refuses a heat map that cannot be, before the step is predicted.
/// @throws ConfigError E0339 without a network, E0404 for a file of another kind
void check_heat(const RunRequest& request, const Cluster& cluster);

void write_heat(const std::string& file, const ScenarioSession& session, const StepPrediction& step);

/// @throws ConfigError E0502 for a step of too many ops
void write_timeline(const std::string& file, const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
