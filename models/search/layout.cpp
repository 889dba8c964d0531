// SPDX-License-Identifier: Apache-2.0
#include "models/search/layout.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "models/job/job.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/plan/stage_schedule.hpp"
#include "models/search/layout_limits.hpp"

namespace clusterwright {

Layout layout_of(const Plan& plan, const Offload& offload) {
  Layout out;
  out.tensor = plan.tensor;
  out.context = plan.context;
  out.expert = plan.expert;
  out.expert_tensor = plan.expert_tensor;
  out.pipeline = plan.pipeline;
  out.data = plan.data;
  out.micro_batch = plan.micro_batch;
  out.virtual_pipeline = plan.virtual_pipeline;
  // Sites group reductions of other shardings too: that follows from the layout.
  out.shard_group = plan.sharding == Sharding::hsdp ? plan.shard_group : plan.gradient_ranks();
  out.recomputed_layers = plan.recomputed_layers.value_or(0);
  out.recompute = plan.recompute;
  out.sharding = plan.sharding;
  out.schedule = plan.schedule;
  out.order = plan.rank_order;
  out.offload = offload;
  return out;
}

Job with_layout(Job job, const Layout& layout) {
  ParallelSpec& parallel = job.parallel;
  parallel.tensor = layout.tensor;
  parallel.context = layout.context;
  parallel.expert = layout.expert;
  parallel.expert_tensor = layout.expert_tensor;
  parallel.pipeline = layout.pipeline;
  parallel.data = layout.data;
  parallel.virtual_pipeline = layout.virtual_pipeline;
  parallel.schedule = layout.schedule;
  parallel.order = layout.order;
  parallel.stage_layers.clear();
  job.micro_batch = layout.micro_batch;
  job.recompute = layout.recompute;
  job.recomputed_layers.reset();
  if (layout.recomputed_layers > 0) job.recomputed_layers = layout.recomputed_layers;
  job.sharding = layout.sharding;
  job.shard_group.reset();
  if (layout.sharding == Sharding::hsdp) job.shard_group = layout.shard_group;
  job.offload = layout.offload;
  return job;
}

namespace {

void set_degrees(const Scenario& s, const Layout& layout, Plan& plan) {
  plan.tensor = layout.tensor;
  plan.context = layout.context;
  plan.expert = layout.expert;
  plan.expert_tensor = layout.expert_tensor;
  plan.pipeline = layout.pipeline;
  plan.data = layout.data;
  plan.context_exchange = s.job.parallel.context_exchange.value_or(s.stack.context_exchange);
  plan.sequence_parallel = s.job.parallel.sequence && plan.tensor > 1;
}

void set_schedule(const Scenario& s, const Layout& layout, Plan& plan) {
  plan.micro_batch = layout.micro_batch;
  plan.global_batch = s.job.global_batch;
  plan.micro_batches = s.job.global_batch / (layout.micro_batch * layout.data);
  plan.schedule = layout.schedule;
  plan.virtual_pipeline = layout.virtual_pipeline;
  const int group = plan.virtual_pipeline > 1 ? interleaving_group(plan.pipeline, plan.micro_batches) : 0;
  if (group > plan.pipeline) plan.larger_group = group;
  plan.paired = s.stack.experts.overlap_exchange && plan.expert > 1 &&
                plan.schedule == PipelineSchedule::one_forward_one_backward;
}

}  // namespace

Plan plan_of(const Scenario& s, const Layout& layout) {
  Plan plan;
  set_degrees(s, layout, plan);
  set_schedule(s, layout, plan);
  plan.rank_order = layout.order;
  set_sharding(s, layout.sharding, layout.shard_group, plan);
  plan.recompute = layout.recompute;
  if (layout.recomputed_layers > 0) plan.recomputed_layers = layout.recomputed_layers;
  return plan;
}

bool is_commoner(const Layout& a, const Layout& b) {
  return std::pair(a.order, a.sharding) < std::pair(b.order, b.sharding);
}

bool allows(const LayoutLimits& limits, const Layout& l) {
  const bool numbers = limits.tensor.allows(l.tensor) && limits.context.allows(l.context) &&
                       limits.expert.allows(l.expert) && limits.expert_tensor.allows(l.expert_tensor) &&
                       limits.pipeline.allows(l.pipeline) && limits.data.allows(l.data) &&
                       limits.micro_batch.allows(l.micro_batch) && limits.virtual_pipeline.allows(l.virtual_pipeline);
  const bool choices = limits.recompute.allows(l.recompute) && limits.sharding.allows(l.sharding) &&
                       limits.schedule.allows(l.schedule) && limits.order.allows(l.order);
  const bool places = limits.offload_weights.allows(l.offload.weights) &&
                      limits.offload_optimizer.allows(l.offload.optimizer) &&
                      limits.offload_activations.allows(l.offload.activations);
  const auto stated = [](const std::optional<int>& limit, int value) { return !limit || *limit == value; };
  return numbers && choices && places && stated(limits.recomputed_layers, l.recomputed_layers) &&
         (l.sharding != Sharding::hsdp || stated(limits.shard_group, l.shard_group)) &&
         (l.recomputed_layers == 0 || limits.partly_recomputed);
}

namespace {

template <class E>
std::string name_of(E value) {
  return std::string(EnumNames<E>::names[static_cast<std::size_t>(value)]);
}

/// Settings of the fields in which a job differs.
class Settings {
 public:
  void number(std::string_view path, const std::optional<int>& given, int wanted) {
    if (given != wanted) list_.push_back(fmt::format("job.{}={}", path, wanted));
  }
  void open(std::string_view path, bool given) {
    if (given) list_.push_back(fmt::format("job.{}=auto", path));
  }
  template <class E>
  void name(std::string_view path, const std::optional<E>& given, E wanted) {
    if (given != wanted) list_.push_back(fmt::format("job.{}={}", path, name_of(wanted)));
  }
  void add(std::string setting) { list_.push_back(std::move(setting)); }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

void add_degrees(const Scenario& s, const Layout& layout, Settings& out) {
  const ParallelSpec& given = s.job.parallel;
  out.number("parallel.tensor", given.tensor, layout.tensor);
  out.number("parallel.pipeline", given.pipeline, layout.pipeline);
  if (layout.pipeline > 1) {
    out.number("parallel.virtual_pipeline", given.virtual_pipeline, layout.virtual_pipeline);
  } else {
    out.open("parallel.virtual_pipeline", given.virtual_pipeline.value_or(1) > 1);
  }
  out.number("parallel.context", given.context, layout.context);
  if (s.transformer.experts) {
    out.number("parallel.expert", given.expert, layout.expert);
    out.number("parallel.expert_tensor", given.expert_tensor, layout.expert_tensor);
  }
  if (given.data) out.number("parallel.data", given.data, layout.data);
}

void add_schedule(const Scenario& s, const Layout& layout, Settings& out) {
  const ParallelSpec& given = s.job.parallel;
  out.name("parallel.schedule", std::optional(given.schedule), layout.schedule);
  if (!given.stage_layers.empty()) out.add("job.parallel.stage_layers=[]");
  if (layout.pipeline > 1 && layout.data > 1 && usual_order(s) != layout.order)
    out.name("parallel.order", given.order, layout.order);
  out.number("micro_batch", s.job.micro_batch, layout.micro_batch);
}

void add_memory(const Job& given, const Layout& layout, Settings& out) {
  out.name("recompute", given.recompute, layout.recompute);
  if (layout.recomputed_layers > 0)
    out.number("recomputed_layers", given.recomputed_layers, layout.recomputed_layers);
  else
    out.open("recomputed_layers", given.recomputed_layers.has_value());
  out.name("sharding", given.sharding, layout.sharding);
  if (layout.sharding == Sharding::hsdp)
    out.number("shard_group", given.shard_group, layout.shard_group);
  else
    out.open("shard_group", given.shard_group.has_value());
  out.name("offload.weights", std::optional(given.offload.weights), layout.offload.weights);
  out.name("offload.optimizer", std::optional(given.offload.optimizer), layout.offload.optimizer);
  out.name("offload.activations", std::optional(given.offload.activations), layout.offload.activations);
}

}  // namespace

std::vector<std::string> settings_of(const Scenario& s, const Layout& layout) {
  Settings out;
  add_degrees(s, layout, out);
  add_schedule(s, layout, out);
  add_memory(s.job, layout, out);
  return out.take();
}

}  // namespace clusterwright
