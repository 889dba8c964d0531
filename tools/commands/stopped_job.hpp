// SPDX-License-Identifier: Apache-2.0
/// Answer of `run` for a job that the failures of --fail stop: what is lost, and the ways on.
#pragma once

#include <optional>

#include "models/prediction/blast_radius.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"

namespace clusterwright {

/// Scenario of `run`, with those failures that break links of its network.
ScenarioSession open_with_faults(const RunRequest& request);

/// Failures of --fail, if they stop the job: a device of it dies, or a node is cut off.
/// @throws ConfigError E0321 for a part that is not there or that the job does not use
std::optional<PartFailure> stopping_failure(const RunRequest& request, const ScenarioSession& session);

/// Writes the ways on. @return impossible
/// @throws ConfigError E0339 for options that show a step, E0404 for HTML
ExitCode run_stopped(const RunRequest& request, ScenarioSession session, const PartFailure& failure);

}  // namespace clusterwright
