// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/site_remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/memory/parameter_memory.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

namespace {

std::string crossing_sentence(const Plan& plan, const SiteCrossing& at) {
  std::vector<std::string> crosses;
  const bool whole = plan.in_groups() && plan.shard_group <= at.together;
  const char* data = plan.local_steps > 1 && whole ? "outer gradients" : whole ? "gradients" : "gradients and weights";
  if (at.data) crosses.push_back(fmt::format("data parallelism ({})", data));
  if (at.pipeline) crosses.emplace_back("pipeline parallelism (activations)");
  if (at.inner) crosses.emplace_back("tensor, context or expert parallelism");
  return fmt::format("{} {} the lines between {} sites (job.parallel.across_sites)", fmt::join(crosses, " and "),
                     crosses.size() == 1 ? "crosses" : "cross", at.sites);
}

std::string reduction_sentence(const Plan& plan) {
  if (!plan.grouped) return "gradients go round one ring through the ranks of all sites (job.site_reduction)";
  const std::string text =
      "gradients are reduced on each site first, then between sites, each part with its counterparts; each site holds "
      "all optimizer states (job.site_reduction)";
  const bool experts = plan.expert * plan.expert_tensor > 1 && plan.expert_replicas() > 1;
  return experts ? text + "; those of experts go round one ring through all sites" : text;
}

std::string local_sentence(const Scenario& s, const Plan& plan, const StepKinds& kinds) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
  Bytes outer;
  for (int stage = 0; stage < plan.pipeline; ++stage) outer = std::max(outer, outer_memory(planned, stage));
  return fmt::format(
      "{} groups of {} replica{} train apart (job.local_steps): a step takes {:.4g} s, one in {} takes {:.4g} s with "
      "the exchange of outer gradients, and times and energy are means; outer momentum and common parameters take "
      "{:.3g} GB of {}. "
      "Convergence is not modelled: the loss after the same tokens may be higher",
      plan.gradient_ranks() / plan.shard_group, plan.shard_group / plan.context,
      plan.shard_group > plan.context ? "s" : "", to_seconds(kinds.local).in(second), plan.local_steps,
      to_seconds(kinds.last).in(second), outer.in(gigabyte),
      optimizer_level(planned) == MemoryLevel::device ? "each GPU" : "host memory for each GPU");
}

}  // namespace

std::vector<std::string> site_remarks(const Scenario& s, const Plan& plan, const StepTime& step) {
  const SiteCrossing at = site_crossing(plan, s.cluster);
  std::vector<std::string> out;
  if (at.data || at.pipeline || at.inner) out.push_back(crossing_sentence(plan, at));
  if (at.data && plan.sharding != Sharding::hsdp && plan.local_steps == 1) out.push_back(reduction_sentence(plan));
  if (step.kinds) out.push_back(local_sentence(s, plan, *step.kinds));
  return out;
}

}  // namespace clusterwright
