// SPDX-License-Identifier: Apache-2.0
// Order of the loops, outermost first: groups inside a stage; stages and replicas; chunks and schedule; micro-batch;
// recomputation; order of ranks; sharding and offload. Each level computes what the levels below share.
#include "models/search/layout_sweep.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "models/memory/activation_memory.hpp"
#include "models/plan/site_crossing.hpp"
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
        orders_(space_.orders(stages)),
        capacity_(space_.capacity(costs.scenario())) {
    known_.resize(2 * orders_.size());
    found_.cluster = groups.cluster;
    layout_.tensor = groups.tensor;
    layout_.context = groups.context;
    layout_.expert = groups.expert;
    layout_.expert_tensor = groups.expert_tensor;
    layout_.pipeline = stages.pipeline;
    layout_.data = stages.data;
  }

  /// @param go_on  asked after each micro-batch
  void run(const StageCounts& stages, const std::function<bool()>& go_on) {
    const std::vector<int> sizes = space_.micro_batches(stages);
    for (const ScheduleChoice& choice : space_.schedules(stages.pipeline)) {
      layout_.schedule = choice.schedule;
      layout_.virtual_pipeline = choice.virtual_pipeline;
      for (auto& known : known_) known.clear();
      for (const int size : sizes) {
        if (!space_.takes(choice, stages.pipeline, costs_.scenario().job.global_batch / stages.data / size)) continue;
        layout_.micro_batch = size;
        if (sweep_.request_.feasible_alone && states_exceed_memory()) break;  // whatever the micro-batch
        run_micro_batch();
        if (!go_on()) return;
      }
    }
  }

 private:
  /// Recomputation with its costs.
  struct PassVariant {
    std::vector<StepBound> bounds;  ///< by order of ranks

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
  void run_partial(const PassVariant& none, const PassVariant& full);
  void evaluate(std::size_t order, std::size_t state, const PassVariant& variant, Bytes memory);
  void note(double bound, Bytes memory);
  PassVariant variant(Recompute recompute, int layers);
  PlannedJob planned() const;
  void find_states();
  /// Whether no state leaves any memory to activations.
  bool states_exceed_memory();
  /// Costs of all states with an order of ranks, for the present number of micro-batches.
  std::vector<StateCosts>& states_with(std::size_t order) { return known_[2 * order + (micro_batches_ > 1 ? 1 : 0)]; }
  /// Whether ranks that share state depend on the order of ranks, as groups of a site do.
  bool on_sites() const { return orders_.size() > 1 && site_count(costs_.scenario().cluster) > 1; }
  Bytes memory(std::size_t order, std::size_t state, const PassVariant& variant);

  LayoutSweep& sweep_;
  LayoutSpace& space_;
  LayoutCosts& costs_;
  std::vector<StateChoice> states_;
  std::vector<RankOrder> orders_;
  Bytes capacity_;
  Candidate found_;
  Layout& layout_ = found_.layout;
  Plan plan_;
  int micro_batches_ = 1;
  std::vector<std::vector<StateCosts>> known_;  // by order, for one micro-batch and for several
  std::vector<BufferUse> buffers_;              // by state
};

PlannedJob LayoutSweep::Inner::planned() const {
  const Scenario& s = costs_.scenario();
  return planned_job(s.transformer, s.job, s.stack, plan_, costs_.stages(plan_).layout());
}

/// Costs of the states with every order of ranks, and the buffers of this micro-batch.
void LayoutSweep::Inner::find_states() {
  for (std::size_t order = 0; order < orders_.size(); ++order) {
    std::vector<StateCosts>& known = states_with(order);
    if (!known.empty()) continue;
    plan_.rank_order = orders_[order];
    PlannedJob job = planned();
    for (const StateChoice& choice : states_) {
      set_sharding(costs_.scenario(), choice.sharding, choice.shard_group, plan_);
      job.offload = choice.offload;
      const StageTable& table = costs_.stages(plan_);
      known.push_back({choice, order == 0 || on_sites() ? parameter_uses(job, table) : ParameterUses{},
                       sweep_.request_.memory_only ? std::vector<StageExchanges>{} : costs_.exchanges(job, table)});
    }
  }
  PlannedJob job = planned();
  buffers_.clear();
  for (const StateChoice& choice : states_) {
    set_sharding(costs_.scenario(), choice.sharding, choice.shard_group, plan_);
    job.offload = choice.offload;
    buffers_.push_back(buffer_use(job));
  }
}

bool LayoutSweep::Inner::states_exceed_memory() {
  layout_.recompute = Recompute::none;
  layout_.recomputed_layers = 0;
  plan_ = plan_of(costs_.scenario(), layout_);
  micro_batches_ = plan_.micro_batches;
  find_states();
  return std::ranges::all_of(states_with(0), [&](const StateCosts& state) {
    return worst_total(state.parameters, ActivationUses(state.parameters.size()), {}, costs_.scenario().stack) >
           capacity_;
  });
}

LayoutSweep::Inner::PassVariant LayoutSweep::Inner::variant(Recompute recompute, int layers) {
  layout_.recompute = recompute;
  layout_.recomputed_layers = layers;
  plan_ = plan_of(costs_.scenario(), layout_);
  micro_batches_ = plan_.micro_batches;
  const StageTable& table = costs_.stages(plan_);
  PlannedJob job = planned();
  PassVariant out;
  for (const RankOrder order : orders_) {
    if (sweep_.request_.memory_only) break;
    plan_.rank_order = order;
    const double message = plan_.pipeline > 1 ? costs_.exchanges().message(job) : 0;
    out.bounds.emplace_back(job, table, costs_.passes(plan_), message, costs_.slowest_replica(plan_));
  }
  const auto& instants = costs_.schedules().instants(plan_, table);
  job.offload.activations = MemoryLevel::device;
  out.here = activation_uses(job, table, instants);
  const auto travels = [](const StateChoice& s) { return s.offload.activations != MemoryLevel::device; };
  if (std::any_of(states_.begin(), states_.end(), travels)) {
    job.offload.activations = MemoryLevel::host;
    out.elsewhere = activation_uses(job, table, instants);
    out.copied = layer_activations(job);
  }
  return out;
}

Bytes LayoutSweep::Inner::memory(std::size_t order, std::size_t state, const PassVariant& variant) {
  const bool here = states_[state].offload.activations == MemoryLevel::device;
  return worst_total(states_with(on_sites() ? order : 0)[state].parameters, here ? variant.here : variant.elsewhere,
                     buffers_[state], costs_.scenario().stack);
}

void LayoutSweep::Inner::evaluate(std::size_t order, std::size_t state, const PassVariant& variant, Bytes memory) {
  const StateChoice& choice = states_[state];
  layout_.order = plan_.rank_order = orders_[order];
  layout_.sharding = choice.sharding;
  layout_.shard_group = choice.shard_group;
  layout_.offload = choice.offload;
  if (sweep_.request_.memory_only) return note(0, memory);
  const double copy =
      choice.offload.activations == MemoryLevel::host ? costs_.exchanges().host_copies(plan_, variant.copied) : 0;
  const double seconds = variant.bounds[order].seconds(states_with(order)[state].exchanges, copy);
  const bool energy = sweep_.request_.objective == SearchObjective::energy;
  note(energy ? costs_.least_energy(variant.bounds[order], plan_, seconds) : seconds, memory);
}

void LayoutSweep::Inner::note(double bound, Bytes memory) {
  SweepCounts& counts = sweep_.counts_;
  found_.bound = bound;
  ++counts.evaluated;
  const LayoutFate fate = memory > capacity_              ? LayoutFate::short_of_memory
                          : sweep_.ability_.runs(layout_) ? LayoutFate::fits
                                                          : LayoutFate::beyond_stack;
  sweep_.values_.add(found_, fate, memory.in(byte));
  if (memory.in(byte) < counts.least_memory) {
    counts.least_memory = memory.in(byte);
    counts.leanest = found_;
  }
  switch (fate) {
    case LayoutFate::fits:
      ++counts.feasible;
      return sweep_.candidates_.add(found_);
    case LayoutFate::beyond_stack:
      if (counts.beyond_stack++ == 0 || bound < counts.best_beyond.bound) counts.best_beyond = found_;
      return;
    case LayoutFate::short_of_memory:
      ++counts.short_of_memory;
  }
}

void LayoutSweep::Inner::run_micro_batch() {
  std::map<Recompute, PassVariant> variants;
  sweep_.chunks_ +=
      static_cast<double>(space_.recomputes().size() * orders_.size()) * layout_.pipeline * layout_.virtual_pipeline;
  const int stated = space_.limits().recomputed_layers.value_or(0);
  for (const Recompute recompute : space_.recomputes())
    variants.emplace(recompute, variant(recompute, recompute == Recompute::full ? stated : 0));
  find_states();
  for (const auto& [recompute, passes] : variants) {
    layout_.recompute = recompute;
    layout_.recomputed_layers = recompute == Recompute::full ? stated : 0;
    for (std::size_t state = 0; state < states_.size(); ++state) {
      for (std::size_t order = 0; order < orders_.size(); ++order)
        evaluate(order, state, passes, memory(order, state, passes));
    }
  }
  const LayoutLimits& limits = space_.limits();
  if (!limits.recompute.given() && !limits.recomputed_layers && limits.partly_recomputed)
    run_partial(variants.at(Recompute::none), variants.at(Recompute::full));
}

/// Full recomputation of as few layers as fit. More would take longer, fewer would not fit.
void LayoutSweep::Inner::run_partial(const PassVariant& none, const PassVariant& full) {
  std::map<int, PassVariant> variants;
  const auto with = [&](int layers) -> const PassVariant& {
    const auto found = variants.find(layers);
    return found != variants.end() ? found->second
                                   : variants.emplace(layers, variant(Recompute::full, layers)).first->second;
  };
  const int most = costs_.stages(plan_).layout().most_layers();
  for (std::size_t state = 0; state < states_.size(); ++state) {
    if (memory(0, state, none) <= capacity_ || memory(0, state, full) > capacity_) continue;
    int too_few = 0, enough = most;
    while (enough - too_few > 1) {
      const int middle = (too_few + enough) / 2;
      (memory(0, state, with(middle)) <= capacity_ ? enough : too_few) = middle;
    }
    if (enough == most) continue;
    const PassVariant& passes = with(enough);
    layout_.recompute = Recompute::full;
    layout_.recomputed_layers = enough;
    for (std::size_t order = 0; order < orders_.size(); ++order)
      evaluate(order, state, passes, memory(order, state, passes));
  }
}

LayoutSweep::LayoutSweep(LayoutSpace& space, const SweepRequest& request)
    : space_(space),
      request_(request),
      ability_(space.stack(), space.limits(), space.layers()),
      candidates_(request.kept) {}

LayoutCosts& LayoutSweep::costs_of(const InnerGroups& groups) {
  if (costs_.size() <= groups.cluster) costs_.resize(groups.cluster + 1);
  std::unique_ptr<LayoutCosts>& costs = costs_[groups.cluster];
  if (!costs) costs = std::make_unique<LayoutCosts>(space_.scenario(groups), space_.splits_backward());
  return *costs;
}

bool LayoutSweep::is_worked_out() const {
  SpaceExtent work{static_cast<double>(counts_.evaluated), 0, chunks_};
  for (const auto& costs : costs_) work.rows += costs ? static_cast<double>(costs->rows()) : 0;
  return work.work() >= 2 * static_cast<double>(request_.most_layouts);
}

void LayoutSweep::run(const std::function<bool()>& stop) {
  const auto go_on = [&] {
    if (is_worked_out() || (stop && stop())) counts_.complete = false;
    return counts_.complete && !(request_.memory_only && counts_.feasible > 0);
  };
  for (const InnerGroups& groups : space_.groups()) {
    LayoutCosts& costs = costs_of(groups);
    for (const StageCounts& stages : space_.stages(groups)) {
      Inner(*this, costs, groups, stages).run(stages, go_on);
      if (!go_on()) return;
    }
  }
}

}  // namespace clusterwright
