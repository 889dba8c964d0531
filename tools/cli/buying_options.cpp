// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/buying_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/cli/command_adder.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

void add_buying(CommandAdder& line) {
  const auto [app, r] = line.add<PlanRequest>(
      "plan", "what to buy for a training run: machines, their number, layout, price and power", plan);
  app->add_option("SCENARIO", r->scenario.scenario,
                  "a model, or a scenario whose cluster is left aside: a name of the catalog, or a file")
      ->type_name("FILE");
  app->add_option("--tokens", r->tokens, "tokens of the run (not given: as many as the targets allow)")
      ->type_name("15T");
  app->add_option("--days", r->days, "longest time of the run, with the losses of `prices.goodput`")->type_name("90");
  app->add_option("--chance", r->chance, "least chance that the run is in time, by the interval of its step")
      ->type_name("80%")
      ->capture_default_str();
  app->add_option("--budget", r->budget,
                  "most dollars for everything that is bought, or for the run on machines that are rented")
      ->type_name("150M");
  app->add_option("--power", r->power, "most power from the grid on the design day")->type_name("8MW");
  app->add_option("--racks", r->racks, "most racks, those of switches and services included")->type_name("N");
  app->add_option("--hall", r->hall, "hall to stand in: a file of configs/facilities")->type_name("NAME");
  app->add_option("--on", r->scenario.on, "nodes or accelerators to choose from (default: all that have a price)")
      ->type_name("NODE,NODE");
  app->add_option("--gpus", r->sizes, "numbers of accelerators to choose from (default: all that fill nodes or racks)")
      ->type_name("RANGE");
  app->add_option("--objective", r->objective,
                  "what the best plan is least in (default: cost; days where --tokens has no --days, but a budget, a "
                  "power or racks)")
      ->type_name("cost|days|power");
  app->add_option("--precisions", r->precisions,
                  "formats of GEMMs to choose from (default: bf16, and fp8 on parts that have it)")
      ->type_name("bf16,fp8");
  app->add_option("--caps", r->caps, "power limits to choose from, in percent of the rating (default: 100)")
      ->type_name("100,80");
  app->add_option("--vary", r->vary,
                  "fields to choose too: taper, hall, cap, stack, or any path of --set (see compare); repeatable")
      ->type_name("FIELD=A,B,...")
      ->allow_extra_args(false);
  app->add_option("--set", r->scenario.settings, "override a field of the scenario; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  add_output(*app, r->output, all_formats);
  r->scenario.command_line = line.typed;
}

}  // namespace clusterwright
