// SPDX-License-Identifier: Apache-2.0
/// Options of commands that read a scenario.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/commands.hpp"

namespace CLI {
class App;
}

namespace clusterwright {

/// @param example  setting that the file of this command knows, as ", for example a.b=4"; empty: none holds for all
/// files
void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& parameters,
                  const std::string& example);

/// Machine that takes the place of the scenario's. @param size  whether its number of accelerators is an option
void add_machine(CLI::App& app, ScenarioRequest& request, bool size = true);

void add_scenario(CLI::App& app, ScenarioRequest& request, const char* name = "SCENARIO",
                  const char* help = "scenario: a name of `catalog scenarios`, a file, or - for standard input");

/// What-ifs of the network between nodes. @param more  what else may fail
void add_faults(CLI::App& app, std::vector<std::string>& faults, const std::string& more = {});

void add_cap(CLI::App& app, ScenarioRequest& request);

/// What-ifs of the nodes of a job.
void add_nodes(CLI::App& app, ScenarioRequest& request);

}  // namespace clusterwright
