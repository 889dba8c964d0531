// SPDX-License-Identifier: Apache-2.0
// Order of the loops, outermost first: groups inside a stage; stages and replicas; chunks and schedule; order of ranks;
// micro-batch; recomputation; sharding and offload. Each level computes what the levels below share.
#include "models/search/layout_sweep.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "models/memory/activation_memory.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

/// Layouts with the same groups and stages.
class LayoutSweep::Inner {
 public:
  Inner(LayoutSweep& sweep, LayoutCosts& costs, const InnerGroups& groups, const StageCounts& stages)
      : sweep_(sweep),
        space_(sweep.space_),
        costs_(costs),
        states_(space_.states(groups, stages)),
        capacity_(space_.limits().most_memory_gb ? *space_.limits().most_memory_gb * gigabyte
                                                 : memory_capacity(costs.scenario().cluster.accelerator)),
        cluster_(groups.cluster) {
    layout_.tensor = groups.tensor;
    layout_.context = groups.context;
    layout_.expert = groups.expert;
    layout_.expert_tensor = groups.expert_tensor;
    layout_.pipeline = stages.pipeline;
    layout_.data = stages.data;
  }

  void run(const StageCounts& stages) {
    const std::vector<int> sizes = space_.micro_batches(stages);
    for (const ScheduleChoice& choice : space_.schedules(stages.pipeline)) {
      layout_.schedule = choice.schedule;
      layout_.virtual_pipeline = choice.virtual_pipeline;
      for (const RankOrder order : space_.orders(stages)) {
        layout_.order = order;
        for (auto& known : state_costs_) known.clear();
        for (const int size : sizes) {
          if (!space_.takes(choice, stages.pipeline, costs_.scenario().job.global_batch / stages.data / size)) continue;
          layout_.micro_batch = size;
          run_micro_batch();
          if (!sweep_.counts_.complete) return;
        }
      }
    }
  }

 private:
  /// Recomputation with its costs.
  struct PassVariant {
    PassVariant(const PlannedJob& planned, const StageTable& stages, const PassCosts& costs, double message,
                ScheduleBook& schedules)
        : bound(planned, stages, costs, message) {
      PlannedJob job = planned;
      job.offload.activations = MemoryLevel::device;
      here = activation_uses(job, stages, schedules);
      job.offload.activations = MemoryLevel::host;
      elsewhere = activation_uses(job, stages, schedules);
      copied = layer_activations(job);
    }

    StepBound bound;
    ActivationUses here, elsewhere;  ///< with activations on the device, or beyond it
    Bytes copied;
  };

  /// Sharding and offload with their costs, for one order of ranks.
  struct StateCosts {
    StateChoice choice;
    ParameterUses parameters;
    std::vector<StageExchanges> exchanges;
  };

  void run_micro_batch();
  void run_partial(const PassVariant* none, const PassVariant* full);
  void evaluate(const StateCosts& state, const PassVariant& variant, Bytes memory);
  PassVariant variant(Recompute recompute, int layers);
  const std::vector<StateCosts>& state_costs(const Plan& plan);
  Bytes memory(const StateCosts& state, const PassVariant& variant) const;
  double copy_time(const StateCosts& state, const PassVariant& variant) const;

  LayoutSweep& sweep_;
  LayoutSpace& space_;
  LayoutCosts& costs_;
  std::vector<StateChoice> states_;
  Bytes capacity_;
  std::size_t cluster_;
  Layout layout_;
  Plan plan_;
  std::vector<StateCosts> state_costs_[2];  // for one micro-batch, and for several
  std::vector<BufferUse> buffers_;          // by state
};

const std::vector<LayoutSweep::Inner::StateCosts>& LayoutSweep::Inner::state_costs(const Plan& plan) {
  std::vector<StateCosts>& known = state_costs_[plan.micro_batches > 1 ? 1 : 0];
  const StageTable& table = costs_.stages(plan);
  PlannedJob job =
      planned_job(costs_.scenario().transformer, costs_.scenario().job, costs_.scenario().stack, plan_, table.layout());
  const bool fresh = known.empty();
  buffers_.clear();
  for (const StateChoice& choice : states_) {
    plan_.sharding = choice.sharding;
    plan_.shard_group = choice.shard_group;
    job.offload = choice.offload;
    if (fresh) known.push_back({choice, parameter_uses(job, table), costs_.exchanges(job, table)});
    buffers_.push_back(buffer_use(job));
  }
  return known;
}

LayoutSweep::Inner::PassVariant LayoutSweep::Inner::variant(Recompute recompute, int layers) {
  layout_.recompute = recompute;
  layout_.recomputed_layers = layers;
  plan_ = plan_of(costs_.scenario(), layout_);
  const StageTable& table = costs_.stages(plan_);
  const PlannedJob job =
      planned_job(costs_.scenario().transformer, costs_.scenario().job, costs_.scenario().stack, plan_, table.layout());
  const double message = plan_.pipeline > 1 ? costs_.exchanges().message(job) : 0;
  return {job, table, costs_.passes(plan_), message, costs_.schedules()};
}

Bytes LayoutSweep::Inner::memory(const StateCosts& state, const PassVariant& variant) const {
  const bool here = state.choice.offload.activations == MemoryLevel::device;
  const BufferUse& buffers = buffers_[static_cast<std::size_t>(&state - &state_costs_[plan_.micro_batches > 1][0])];
  return worst_total(state.parameters, here ? variant.here : variant.elsewhere, buffers, costs_.scenario().stack);
}

double LayoutSweep::Inner::copy_time(const StateCosts& state, const PassVariant& variant) const {
  return state.choice.offload.activations == MemoryLevel::host ? costs_.exchanges().host_copies(plan_, variant.copied)
                                                               : 0;
}

void LayoutSweep::Inner::evaluate(const StateCosts& state, const PassVariant& variant, Bytes memory) {
  SweepCounts& counts = sweep_.counts_;
  const double bound = variant.bound.seconds(state.exchanges, copy_time(state, variant));
  ++counts.evaluated;
  layout_.sharding = state.choice.sharding;
  layout_.shard_group = state.choice.shard_group;
  layout_.offload = state.choice.offload;
  if (memory > capacity_) {
    ++counts.short_of_memory;
    if (counts.feasible > 0 || (counts.least_memory_gb > 0 && memory.in(gigabyte) >= counts.least_memory_gb)) return;
    counts.least_memory_gb = memory.in(gigabyte);
    counts.leanest = layout_;
    return;
  }
  ++counts.feasible;
  sweep_.candidates_.push_back({bound, cluster_, layout_});
}

void LayoutSweep::Inner::run_micro_batch() {
  std::map<Recompute, PassVariant> variants;
  for (const Recompute recompute : space_.recomputes()) {
    const int layers = space_.limits().recomputed_layers.value_or(0);
    variants.emplace(recompute, variant(recompute, recompute == Recompute::full ? layers : 0));
  }
  const std::vector<StateCosts>& states = state_costs(plan_);
  for (const auto& [recompute, passes] : variants) {
    layout_.recompute = recompute;
    layout_.recomputed_layers = recompute == Recompute::full ? space_.limits().recomputed_layers.value_or(0) : 0;
    for (const StateCosts& state : states) evaluate(state, passes, memory(state, passes));
  }
  if (!space_.limits().recompute.given() && !space_.limits().recomputed_layers)
    run_partial(&variants.at(Recompute::none), &variants.at(Recompute::full));
  if (sweep_.counts_.evaluated >= sweep_.most_) sweep_.counts_.complete = false;
}

/// Full recomputation of as few layers as fit. More would take longer, fewer would not fit.
void LayoutSweep::Inner::run_partial(const PassVariant* none, const PassVariant* full) {
  std::map<int, PassVariant> variants;
  const auto with = [&](int layers) -> const PassVariant& {
    const auto found = variants.find(layers);
    return found != variants.end() ? found->second
                                   : variants.emplace(layers, variant(Recompute::full, layers)).first->second;
  };
  const int most = costs_.stages(plan_).layout().most_layers();
  for (const StateCosts& state : state_costs_[plan_.micro_batches > 1]) {
    if (memory(state, *none) <= capacity_ || memory(state, *full) > capacity_) continue;
    int too_few = 0, enough = most;
    while (enough - too_few > 1) {
      const int middle = (too_few + enough) / 2;
      (memory(state, with(middle)) <= capacity_ ? enough : too_few) = middle;
    }
    if (enough == most) continue;
    const PassVariant& passes = with(enough);
    layout_.recompute = Recompute::full;
    layout_.recomputed_layers = enough;
    evaluate(state, passes, memory(state, passes));
  }
}

LayoutSweep::LayoutSweep(LayoutSpace& space, std::int64_t most) : space_(space), most_(most) {}

void LayoutSweep::run() {
  for (const InnerGroups& groups : space_.groups()) {
    if (costs_.size() <= groups.cluster) costs_.resize(groups.cluster + 1);
    std::unique_ptr<LayoutCosts>& costs = costs_[groups.cluster];
    if (!costs) costs = std::make_unique<LayoutCosts>(space_.scenario(groups));
    for (const StageCounts& stages : space_.stages(groups)) {
      Inner(*this, *costs, groups, stages).run(stages);
      if (!counts_.complete) return;
    }
  }
}

}  // namespace clusterwright
