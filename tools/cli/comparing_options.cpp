// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/comparing_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/cli/command_adder.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

namespace {

void add_compare(CommandAdder& line) {
  const auto [app, r] = line.add<CompareRequest>(
      "compare", "options beside each other: time, watts, money, and how sure their order is", compare);
  app->add_option(
         "SCENARIO", r->scenarios,
         "scenarios, or models with --on: names of the catalog, or files; the first that runs is the reference")
      ->type_name("FILE ...");
  app->add_option("--vary", r->vary,
                  "options that differ in one field: node, gpus, cap, taper, hall, stack, precision, batch, a degree "
                  "such as tensor, or any path of --set; `stated` leaves it as it is; repeatable")
      ->type_name("FIELD=A,B,...")
      ->allow_extra_args(false);
  app->add_flag("--replan", r->replan, "search the layout of each option, instead of keeping what it states");
  add_machine(*app, r->common);
  add_settings(*app, r->common.settings, r->common.parameters, ", of each option");
  add_cap(*app, r->common);
  app->add_flag("--exit-code", r->exit_code, "exit with code 3 if the options differ");
  add_output(*app, r->output, all_formats);
  r->common.command_line = line.typed;
}

void add_sensitivity(CommandAdder& line) {
  const auto [app, r] = line.add<SensitivityRequest>(
      "sensitivity", "what 10 % more of each resource and price does, and what it is worth", sensitivity);
  add_scenario(*app, r->scenario);
  add_machine(*app, r->scenario);
  add_cap(*app, r->scenario);
  add_output(*app, r->output, all_formats);
  r->scenario.command_line = line.typed;
}

void add_share(CommandAdder& line) {
  const auto [app, r] = line.add<ShareRequest>(
      "share", "jobs beside each other under one power budget: which limit each one gets, and what it loses", share);
  app->add_option("SCENARIO", r->scenarios,
                  "scenarios, or models with --on: names of the catalog, or files; the same one twice is two jobs")
      ->type_name("FILE ...");
  app->add_option("--power", r->power, "mean power that the grid grants all jobs on the design day: 2MW, 800kW")
      ->type_name("POWER");
  app->add_option("--weights", r->weights, "worth of the work of each job, in their order; default: 1 each")
      ->type_name("A,B,...");
  add_machine(*app, r->common);
  add_settings(*app, r->common.settings, r->common.parameters, ", of each job");
  add_output(*app, r->output, data_formats);
  r->common.command_line = line.typed;
}

}  // namespace

void add_comparing(CommandAdder& line) {
  add_compare(line);
  add_share(line);
  add_sensitivity(line);
}

}  // namespace clusterwright
