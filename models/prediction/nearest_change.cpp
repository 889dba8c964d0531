// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/nearest_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/search/choose_plan.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

struct Change {
  std::string setting;  ///< as --set takes it
  std::function<void(Job&)> apply;
};

/// Job with every field as the plan decided it, except for the replicas, which follow from the others.
Job decided(Job job, const Plan& plan) {
  job.recompute = plan.recompute;
  job.recomputed_layers = plan.recomputed_layers;
  job.micro_batch = plan.micro_batch;
  ParallelSpec& parallel = job.parallel;
  parallel.tensor = plan.tensor;
  parallel.pipeline = plan.pipeline;
  parallel.context = plan.context;
  parallel.expert = plan.expert;
  parallel.data.reset();
  return job;
}

void add_recompute(const Plan& plan, std::vector<Change>& list) {
  if (plan.recompute == Recompute::none)
    list.push_back({"job.recompute=selective", [](Job& job) { job.recompute = Recompute::selective; }});
  if (plan.recompute != Recompute::full || plan.recomputed_layers)
    list.push_back({"job.recompute=full", [](Job& job) {
                      job.recompute = Recompute::full;
                      job.recomputed_layers.reset();
                    }});
}

void add_micro_batches(const Plan& plan, std::vector<Change>& list) {
  for (int size = plan.micro_batch / 2; size >= 1; size /= 2)
    list.push_back({fmt::format("job.micro_batch={}", size), [=](Job& job) { job.micro_batch = size; }});
}

void add_degree(const char* name, int degree, std::optional<int> ParallelSpec::*field, std::vector<Change>& list) {
  list.push_back({fmt::format("job.parallel.{}={}", name, degree), [=](Job& job) {
                    job.parallel.*field = degree;
                    job.parallel.virtual_pipeline.reset();
                    job.parallel.expert_tensor.reset();
                  }});
}

void add_experts(const Scenario& s, const Plan& plan, std::vector<Change>& list) {
  if (!s.transformer.experts) return;
  for (int ranks = 2 * plan.expert; ranks <= s.transformer.experts->experts; ranks *= 2)
    add_degree("expert", ranks, &ParallelSpec::expert, list);
}

void add_sharding(const Scenario& s, const Plan& plan, std::vector<Change>& list) {
  const auto add = [&](const char* name, Sharding sharding) {
    list.push_back({fmt::format("job.sharding={}", name), [=](Job& job) {
                      job.sharding = sharding;
                      job.shard_group.reset();
                    }});
  };
  if (plan.sharding == Sharding::none) add("zero1", Sharding::zero1);
  if (plan.pipeline == 1 && (!shards_weights(plan.sharding) || plan.sharding == Sharding::hsdp))
    add("fsdp", Sharding::fsdp);
  if (s.job.parallel.schedule != PipelineSchedule::one_forward_one_backward)
    list.push_back({"job.parallel.schedule=1f1b",
                    [](Job& job) { job.parallel.schedule = PipelineSchedule::one_forward_one_backward; }});
  if (plan.virtual_pipeline > 1) add_degree("virtual_pipeline", 1, &ParallelSpec::virtual_pipeline, list);
}

void add_degrees(const Plan& plan, std::vector<Change>& list) {
  for (const int factor : {2, 4}) {
    add_degree("tensor", factor * plan.tensor, &ParallelSpec::tensor, list);
    add_degree("pipeline", factor * plan.pipeline, &ParallelSpec::pipeline, list);
  }
  add_degree("context", 2 * plan.context, &ParallelSpec::context, list);
}

void add_offload(const Scenario& s, std::vector<Change>& list) {
  const Offload& offload = s.job.offload;
  if (offload.optimizer == MemoryLevel::device)
    list.push_back({"job.offload.optimizer=true", [](Job& job) { job.offload.optimizer = MemoryLevel::host; }});
  if (offload.activations == MemoryLevel::device)
    list.push_back({"job.offload.activations=true", [](Job& job) { job.offload.activations = MemoryLevel::host; }});
}

std::vector<Change> single_changes(const Scenario& s, const Plan& plan) {
  std::vector<Change> list;
  add_recompute(plan, list);
  add_micro_batches(plan, list);
  add_experts(s, plan, list);
  add_sharding(s, plan, list);
  add_degrees(plan, list);
  add_offload(s, list);
  return list;
}

/// Sentence on the job with a change, if it fits.
std::optional<std::string> tried(Scenario scenario, const Change& change) {
  try {
    change.apply(scenario.job);
    const Plan plan = resolve_plan(scenario).plan;
    const MemoryUse use = memory_under(scenario, plan);
    const Bytes capacity = memory_capacity(scenario.cluster.accelerator);
    if (use.total() > capacity || !level_verdict(level_uses(scenario, plan)).empty()) return {};
    const Seconds time = to_seconds(time_step(scenario, plan).end);
    return fmt::format("with {} it fits: {:.1f} of {:.1f} GB, step {:.3g} s", change.setting, use.total().in(gigabyte),
                       capacity.in(gigabyte), time.in(second));
  } catch (const ConfigError&) {
    return {};  // the change contradicts another field
  }
}

std::string first_that_fits(const Scenario& scenario, const std::vector<Change>& changes) {
  for (const Change& change : changes)
    if (const auto sentence = tried(scenario, change)) return *sentence;
  return {};
}

/// Full recomputation of single sequences and one more change.
std::vector<Change> beside_least_activations(const std::vector<Change>& singles, const Plan& plan) {
  std::string settings = plan.recompute == Recompute::full ? "" : "job.recompute=full";
  if (plan.micro_batch > 1) settings += (settings.empty() ? "" : " and ") + std::string("job.micro_batch=1");
  std::vector<Change> out;
  if (settings.empty()) return out;
  const auto least = [](Job& job) {
    job.recompute = Recompute::full;
    job.recomputed_layers.reset();
    job.micro_batch = 1;
  };
  out.push_back({settings, least});
  for (const Change& change : singles)
    if (change.setting.find("recompute") == std::string::npos &&
        change.setting.find("micro_batch") == std::string::npos)
      out.push_back({settings + " and " + change.setting, [=](Job& job) {
                       least(job);
                       change.apply(job);
                     }});
  return out;
}

}  // namespace

std::string nearest_change(const Scenario& given, const Plan& plan) {
  Scenario scenario = given;
  scenario.job = decided(given.job, plan);
  const std::vector<Change> singles = single_changes(scenario, plan);
  std::string sentence = first_that_fits(scenario, singles);
  if (sentence.empty()) sentence = first_that_fits(scenario, beside_least_activations(singles, plan));
  if (!sentence.empty()) return sentence;
  return "no single change of recomputation, micro-batch, sharding, degrees or offload makes it fit on " +
         std::to_string(plan.accelerators()) + " accelerators, nor one beside full recomputation";
}

}  // namespace clusterwright
