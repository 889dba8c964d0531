// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_context.hpp"

#include <fmt/format.h>

#include "models/job/scenario_loader.hpp"
#include "tools/output/number_text.hpp"

namespace clusterwright {

namespace {

std::string job_text(const JsonValue& job) {
  const auto text = [&](std::string_view key) { return job.at(key).as_text(); };
  const auto count = [&](std::string_view key) { return count_text(job.at(key).as_integer()); };
  std::string line = fmt::format("{}, {} tokens per sequence, global batch {}, {}, {}", text("task"), count("sequence"),
                                 count("global_batch"), text("precision"), text("sharding"));
  if (text("recompute") != "none") line += fmt::format(", {} recomputation", text("recompute"));
  return line + ", " + text("stack");
}

}  // namespace

ResultContext make_result_context(const Scenario& scenario, std::string command, std::string command_line,
                                  std::uint64_t seed) {
  ResultContext context;
  context.command = std::move(command);
  context.command_line = std::move(command_line);
  context.seed = seed;
  context.transformer = scenario.transformer.name;
  context.accelerator = scenario.cluster.accelerator.id;
  context.cluster = scenario.cluster.spec.name;
  context.memory_capacity = memory_capacity(scenario.cluster.accelerator);
  context.inputs = scenario.inputs;
  context.scenario = effective_scenario(scenario);
  context.job = job_text(context.scenario.at("job"));
  return context;
}

}  // namespace clusterwright
