// SPDX-License-Identifier: Apache-2.0
#include "tools/output/result_context.hpp"

#include <fmt/format.h>

#include "models/job/scenario_loader.hpp"
#include "sim/field_table.hpp"
#include "tools/build_facts.hpp"
#include "tools/output/output_text.hpp"
#include "topology/cluster/uniform_cluster.hpp"

namespace clusterwright {

JsonValue result_header(const std::string& command, std::uint64_t seed, const std::vector<InputFile>& inputs) {
  JsonValue list = JsonValue::list();
  for (const InputFile& input : inputs)
    list.push_back(JsonValue::object({{"path", input.path}, {"sha256", input.sha256}}));
  return JsonValue::object(
      {{"schema_version", result_schema_version},
       {"tool", JsonValue::object({{"name", "clusterwright"}, {"version", build_facts().version}})},
       {"command", command},
       {"seed", seed},
       {"inputs", list}});
}

namespace {

std::string job_text(const JsonValue& job) {
  const auto text = [&](std::string_view key) { return job.at(key).as_text(); };
  const auto count = [&](std::string_view key) { return count_text(job.at(key).as_integer()); };
  std::string line = fmt::format("{}, {} tokens per sequence, global batch {}, {}, {}", text("task"), count("sequence"),
                                 count("global_batch"), text("precision"), text("sharding"));
  if (text("sharding") == "auto") line += " sharding";
  if (text("recompute") != "none") line += fmt::format(", {} recomputation", text("recompute"));
  if (!job.at("master_weights").as_boolean()) line += ", no master weights";
  line += ", " + text("stack");
  if (const JsonValue& kernels = job.at("attention"); !kernels.is_null())
    line += fmt::format(" with {} attention", kernels.as_text());
  return line;
}

}  // namespace

ResultContext make_result_context(const Cluster& cluster, std::string command, std::string command_line,
                                  std::uint64_t seed) {
  ResultContext context;
  context.command = std::move(command);
  context.command_line = std::move(command_line);
  context.seed = seed;
  context.accelerator = cluster.accelerator.id;
  context.cluster = cluster.spec.name;
  context.memory_capacity = memory_capacity(cluster.accelerator);
  context.scenario = JsonValue::object({{"cluster", encode_record(cluster.spec)}});
  return context;
}

ResultContext make_result_context(const Scenario& scenario, std::string command, std::string command_line,
                                  std::uint64_t seed) {
  ResultContext context = make_result_context(scenario.cluster, std::move(command), std::move(command_line), seed);
  for (int kind = 1; kind < scenario.cluster.kinds(); ++kind)
    context.accelerator += " and " + kind_name(scenario.cluster, kind);
  context.transformer = scenario.transformer.name;
  context.inputs = scenario.inputs;
  context.scenario = effective_scenario(scenario);
  context.job = job_text(context.scenario.at("job"));
  return context;
}

}  // namespace clusterwright
