// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/common_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace clusterwright {

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& parameters,
                  const std::string& example) {
  app.add_option("--set", settings, fmt::format("override a field of the file{}; repeatable", example))
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--parameters", parameters, "parameter file (default: the shipped one for the accelerator)")
      ->type_name("FILE");
}

void add_machine(CLI::App& app, ScenarioRequest& request, bool size) {
  app.add_option("--on", request.on,
                 "instead of the scenario's cluster: nodes of this kind, or the first that are sold with this "
                 "accelerator (`catalog nodes`); their network follows. SCENARIO may then be a model alone")
      ->type_name("NODE");
  if (size)
    app.add_option("--gpus", request.gpus, "number of accelerators (default: as the scenario says)")->type_name("N");
}

void add_scenario(CLI::App& app, ScenarioRequest& request, const char* name, const char* help) {
  app.add_option(name, request.scenario, help)->type_name("FILE");
  const bool is_scenario = std::string(name) != "BLUEPRINT";
  add_settings(app, request.settings, request.parameters, is_scenario ? ", for example job.parallel.tensor=4" : "");
  app.add_option("--seed", request.seed, "random seed")->type_name("N")->capture_default_str();
}

void add_faults(CLI::App& app, std::vector<std::string>& faults, const std::string& more) {
  app.add_option("--fail", faults,
                 "failed switch (spine:2), cable (leaf:0-spine:1), NIC (node:5.3) or rail (rail:3); with =0.5 appended "
                 "it runs at half its rate instead" +
                     more + "; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
}

void add_cap(CLI::App& app, ScenarioRequest& request) {
  app.add_option("--cap", request.cap, "power limit of each accelerator: 80% of its rating, or 560W")->type_name("CAP");
}

void add_nodes(CLI::App& app, ScenarioRequest& request) {
  add_cap(app, request);
  app.add_option(
         "--slow", request.slow,
         "slower devices: node:5% (one node, drawn by --seed), 16xgpu:3%, node.12:5%, or node.12:500W (each of its "
         "accelerators limited); repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  app.add_option(
         "--placement", request.placement,
         "nodes of the job: packed, scattered (one of each leaf or scalable unit by turns), shuffled, or a file "
         "with their numbers in rank order; job.placement.machine_nodes makes the machine larger than the job")
      ->type_name("WHICH");
}

}  // namespace clusterwright
