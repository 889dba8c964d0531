// SPDX-License-Identifier: Apache-2.0
#include "models/plan/plan_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/job/idle_power.hpp"
#include "models/job/job.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/plan/stage_schedule.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr const char* schedule_path = "/job/parallel/schedule";
constexpr const char* pipeline_path = "/job/parallel/pipeline";
constexpr const char* virtual_path = "/job/parallel/virtual_pipeline";
constexpr const char* stage_layers_path = "/job/parallel/stage_layers";
constexpr const char* stage_limits_path = "/job/parallel/stage_power_limits_w";
constexpr const char* batch_path = "/job/global_batch";
constexpr const char* layers_path = "/transformer/layers";

bool interleaves(const Plan& plan) {
  return plan.schedule == PipelineSchedule::one_forward_one_backward;
}

std::string_view name_of(PipelineSchedule schedule) {
  return EnumNames<PipelineSchedule>::names[static_cast<std::size_t>(schedule)];
}

/// Largest number of chunks per stage that splits the layers evenly and that the interleaved schedule allows.
int largest_virtual(const Plan& plan, std::int64_t layers, int most) {
  if (plan.pipeline == 1 || plan.micro_batches % plan.pipeline != 0) return 1;
  int best = 1;
  for (int v = 2; v <= most && static_cast<std::int64_t>(v) * plan.pipeline <= layers + 2; ++v)
    if (splits_evenly(layers, plan.pipeline * v)) best = v;
  return best;
}

int open_virtual(ResolvedPlan& out, const Scenario& s) {
  const Plan& plan = out.plan;
  if (!interleaves(plan)) return 1;
  if (!plan.stage_layers.empty()) return std::max(1, static_cast<int>(plan.stage_layers.size()) / plan.pipeline);
  const int chunks = largest_virtual(plan, s.transformer.layers, s.stack.most_virtual);
  if (plan.pipeline > 1)
    out.assumptions.push_back({"virtual pipeline stages", std::to_string(chunks), "default",
                               "auto: the largest number that divides the layers and suits the micro-batches"});
  return chunks;
}

void check_interleaving(Contradictions& errors, ResolvedPlan& out, std::int64_t layers) {
  Plan& plan = out.plan;
  if (plan.virtual_pipeline == 1) return;
  if (plan.pipeline == 1) errors.report("E0310", "virtual stages need more than one pipeline stage", {virtual_path});
  const int group = interleaving_group(plan.pipeline, plan.micro_batches);
  if (group == 0)
    errors.report("E0312",
                  fmt::format("an interleaved schedule needs at least as many micro-batches as stages (got {}, {} "
                              "stages)",
                              plan.micro_batches, plan.pipeline),
                  {virtual_path, batch_path}, "use \"virtual_pipeline\": 1 or a larger batch");
  if (group > plan.pipeline) {
    plan.larger_group = group;
    out.assumptions.push_back(
        {"interleaved micro-batches", fmt::format("groups of {}", group), "default",
         "groups as large as the stages would leave a last one smaller than the stages; these do not"});
  }
  if (static_cast<std::int64_t>(plan.virtual_pipeline) * plan.pipeline > layers + 2)
    errors.report(
        "E0310",
        fmt::format("more chunks than layers: {} chunks, {} layers", plan.virtual_pipeline * plan.pipeline, layers),
        {virtual_path, layers_path});
}

void check_schedule(Contradictions& errors, const Plan& plan) {
  if (interleaves(plan)) return;
  if (plan.pipeline == 1)
    errors.report("E0310", fmt::format("schedule {} needs more than one pipeline stage", name_of(plan.schedule)),
                  {schedule_path, pipeline_path}, "use \"schedule\": \"1f1b\"");
  if (plan.virtual_pipeline > 1)
    errors.report("E0313",
                  fmt::format("schedule {} is not modelled with several chunks per stage (got {})",
                              name_of(plan.schedule), plan.virtual_pipeline),
                  {virtual_path, schedule_path}, "use \"virtual_pipeline\": 1 or \"schedule\": \"1f1b\"");
  if (plan.schedule != PipelineSchedule::dualpipe || plan.pipeline == 1) return;
  if (plan.pipeline % 2 != 0)
    errors.report("E0310", fmt::format("dualpipe needs an even number of stages (got {})", plan.pipeline),
                  {pipeline_path, schedule_path});
  else if (!schedule_takes(plan, plan.micro_batches))
    errors.report("E0312",
                  fmt::format("dualpipe needs an even number of micro-batches, at least two for each stage (got {}, {} "
                              "stages)",
                              plan.micro_batches, plan.pipeline),
                  {batch_path, schedule_path},
                  fmt::format("use a multiple of {} sequences, at least {}", 2 * plan.micro_batch * plan.data,
                              2 * plan.pipeline * plan.micro_batch * plan.data));
}

/// Checks that each chunk without embedding and head has layers to pass micro-batches on.
void check_stage_layers(Contradictions& errors, const Plan& plan, std::int64_t layers) {
  const std::vector<int>& given = plan.stage_layers;
  if (given.empty()) return;
  const std::size_t chunks = static_cast<std::size_t>(plan.pipeline) * static_cast<std::size_t>(plan.virtual_pipeline);
  if (given.size() != chunks) {
    errors.report("E0310",
                  fmt::format("stage_layers must have one entry per chunk: {} stages x {} (got {})", plan.pipeline,
                              plan.virtual_pipeline, given.size()),
                  {stage_layers_path, plan.virtual_pipeline > 1 ? virtual_path : pipeline_path});
    return;
  }
  const std::int64_t sum = std::accumulate(given.begin(), given.end(), std::int64_t{0});
  if (sum != layers)
    errors.report("E0310",
                  fmt::format("stage_layers must add up to the number of layers (got {}, layers {})", sum, layers),
                  {stage_layers_path, layers_path});
  for (std::size_t i = 1; i + 1 < given.size(); ++i)
    if (given[i] == 0)
      errors.report("E0310", "only the first and the last chunk, which hold embedding and head, may be without layers",
                    {fmt::format("{}/{}", stage_layers_path, i)});
}

/// One limit for each stage, none of which is below what the accelerator can be set to.
void check_stage_limits(Contradictions& errors, const Plan& plan, const Scenario& s) {
  const std::vector<Watts>& limits = s.job.parallel.stage_power_limits;
  if (limits.empty()) return;
  if (limits.size() != static_cast<std::size_t>(plan.pipeline)) {
    errors.report("E0310",
                  fmt::format("stage_power_limits_w must have one entry for each of {} stages (got {})", plan.pipeline,
                              limits.size()),
                  {stage_limits_path, pipeline_path});
    return;
  }
  const Watts least =
      std::max(least_power_limit(s.cluster.accelerator), idle_power(s.cluster.accelerator, s.parameters.power));
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (limits[i] < least)
      errors.report("E0310",
                    fmt::format("a limit of {:.0f} W is below the {:.0f} W that {} can be held at", limits[i].in(watt),
                                least.in(watt), s.cluster.accelerator.id),
                    {fmt::format("{}/{}", stage_limits_path, i)});
}

}  // namespace

void decide_pipeline_schedule(Contradictions& errors, ResolvedPlan& out, const Scenario& s) {
  const ParallelSpec& parallel = s.job.parallel;
  Plan& plan = out.plan;
  plan.schedule = parallel.schedule;
  plan.stage_layers = parallel.stage_layers;
  plan.virtual_pipeline = parallel.virtual_pipeline ? *parallel.virtual_pipeline : open_virtual(out, s);
  if (interleaves(plan)) check_interleaving(errors, out, s.transformer.layers);
  check_schedule(errors, plan);
  check_stage_layers(errors, plan, s.transformer.layers);
  check_stage_limits(errors, plan, s);
}

bool schedule_takes(const Plan& plan, int micro_batches) {
  switch (plan.schedule) {
    case PipelineSchedule::one_forward_one_backward:
      return plan.virtual_pipeline == 1 || micro_batches >= plan.pipeline;
    case PipelineSchedule::zero_bubble:
      return true;
    case PipelineSchedule::dualpipe:
      break;
  }
  return micro_batches % 2 == 0 && micro_batches >= 2 * plan.pipeline;
}

}  // namespace clusterwright
