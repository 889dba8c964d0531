// SPDX-License-Identifier: Apache-2.0
// Order of the loops, outermost first: groups inside a stage; stages and replicas; chunks and schedule; micro-batch;
// recomputation; order of ranks; sharding and offload. Each level computes what the levels below share.
#include "models/search/layout_sweep.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "models/plan/site_crossing.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/plan/stage_schedule.hpp"
#include "models/search/recomputed_counts.hpp"

namespace clusterwright {

namespace {

bool offloads_activations(const StateChoice& state) {
  return state.offload.activations != MemoryLevel::device;
}

}  // namespace

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
  };

  /// Sharding and offload with their costs, for one order of ranks.
  struct StateCosts {
    StateChoice choice;
    ParameterUses parameters;
    std::vector<StageExchanges> exchanges;
  };

  void run_micro_batch();
  void run_partial();
  void run_further_counts(std::size_t state, int least);
  std::optional<int> balanced(std::size_t state);
  void pass_over(std::size_t state, int fewest, int beyond);
  std::optional<int> least_that_fits(std::size_t state);
  int count_that_ends_offload(std::size_t state);
  void evaluate_partial(std::size_t state, int layers);
  const PassVariant& with(int layers);
  int most_layers() { return costs_.stages(plan_).layout().most_layers(); }
  void evaluate(std::size_t order, std::size_t state, const PassVariant& variant, Bytes memory);
  void note(double bound, Bytes memory);
  void set_state(std::size_t state);
  double objective(const StepBound& bound, double seconds) const;
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
  std::map<int, PassVariant> by_count_;         // of this micro-batch, by number of recomputed layers
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
  if (std::ranges::any_of(states_, offloads_activations)) {
    job.offload.activations = MemoryLevel::host;
    out.elsewhere = activation_uses(job, table, instants);
  }
  return out;
}

Bytes LayoutSweep::Inner::memory(std::size_t order, std::size_t state, const PassVariant& variant) {
  const ActivationUses& uses = offloads_activations(states_[state]) ? variant.elsewhere : variant.here;
  return worst_total(states_with(on_sites() ? order : 0)[state].parameters, uses, buffers_[state],
                     costs_.scenario().stack);
}

void LayoutSweep::Inner::set_state(std::size_t state) {
  const StateChoice& choice = states_[state];
  layout_.sharding = choice.sharding;
  layout_.shard_group = choice.shard_group;
  layout_.offload = choice.offload;
}

/// Least value of the objective of a step that takes so many seconds at least.
double LayoutSweep::Inner::objective(const StepBound& bound, double seconds) const {
  const bool energy = sweep_.request_.objective == SearchObjective::energy;
  return energy ? costs_.least_energy(bound, plan_, seconds) : seconds;
}

void LayoutSweep::Inner::evaluate(std::size_t order, std::size_t state, const PassVariant& variant, Bytes memory) {
  set_state(state);
  layout_.order = plan_.rank_order = orders_[order];
  if (sweep_.request_.memory_only) return note(0, memory);
  const double copy = costs_.exchanges().activation_copy(plan_, layout_.offload);
  const double seconds = variant.bounds[order].seconds(states_with(order)[state].exchanges, copy);
  note(objective(variant.bounds[order], seconds), memory);
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
  if (limits.recompute.given() || limits.recomputed_layers || !limits.partly_recomputed) return;
  by_count_.clear();
  by_count_.emplace(0, std::move(variants.at(Recompute::none)));
  by_count_.emplace(most_layers(), std::move(variants.at(Recompute::full)));
  run_partial();
}

/// Full recomputation of some layers of each stage. With activations on the device, that of as few as fit: more would
/// take longer, fewer would not fit.
void LayoutSweep::Inner::run_partial() {
  for (std::size_t state = 0; state < states_.size(); ++state) {
    const std::optional<int> least = least_that_fits(state);
    if (!least) continue;
    evaluate_partial(state, *least);
    if (offloads_activations(states_[state]) && !sweep_.request_.memory_only) run_further_counts(state, *least);
  }
}

/// Passes with the first layers of each stage recomputed: none of them, some, or all.
const LayoutSweep::Inner::PassVariant& LayoutSweep::Inner::with(int layers) {
  const auto found = by_count_.find(layers);
  return found != by_count_.end() ? found->second
                                  : by_count_.emplace(layers, variant(Recompute::full, layers)).first->second;
}

std::optional<int> LayoutSweep::Inner::least_that_fits(std::size_t state) {
  return least_count(most_layers(), [&](int layers) { return memory(0, state, with(layers)) <= capacity_; });
}

/// Layouts without recomputation and with that of all layers are evaluated anyway.
void LayoutSweep::Inner::evaluate_partial(std::size_t state, int layers) {
  if (layers == 0 || layers == most_layers()) return;
  const PassVariant& passes = with(layers);
  layout_.recompute = Recompute::full;
  layout_.recomputed_layers = layers;
  for (std::size_t order = 0; order < orders_.size(); ++order)
    evaluate(order, state, passes, memory(order, state, passes));
}

/// Activations that travel take time on their links, and a recomputed layer takes most of its bytes off them. The best
/// number of recomputed layers may then be any that fits, also where none is needed. A few are evaluated. The others
/// have a bound in common, which keeps a search from a proof that it does not have.
void LayoutSweep::Inner::run_further_counts(std::size_t state, int least) {
  const int end = count_that_ends_offload(state);
  int before = least;
  for (const int count : further_counts(most_layers(), least, end, balanced(state))) {
    evaluate_partial(state, count);
    pass_over(state, before + 1, count);
    before = count;
  }
  pass_over(state, before + 1, end);
}

/// Number of recomputed layers from which on the same layout fits with activations on the device. Its step is then not
/// longer: it has the same passes and no copies. All layers if it never does.
int LayoutSweep::Inner::count_that_ends_offload(std::size_t state) {
  StateChoice resident = states_[state];
  resident.offload.activations = MemoryLevel::device;
  const auto same = [&](const StateChoice& s) {
    return s.sharding == resident.sharding && s.shard_group == resident.shard_group && s.offload == resident.offload;
  };
  const auto found = std::ranges::find_if(states_, same);
  if (found == states_.end()) return most_layers();
  return least_that_fits(static_cast<std::size_t>(found - states_.begin())).value_or(most_layers());
}

/// Number of recomputed layers at which copies take as long as passes, for the first order of ranks.
std::optional<int> LayoutSweep::Inner::balanced(std::size_t state) {
  plan_.rank_order = orders_.front();
  const double copy = costs_.exchanges().activation_copy(plan_, states_[state].offload);
  const std::vector<StageExchanges>& exchanges = states_with(0)[state].exchanges;
  const auto lead_of_copies = [&](int layers) {
    const StepBound& bound = with(layers).bounds.front();
    return bound.seconds_of_copies(exchanges, copy) - bound.seconds(exchanges);
  };
  return balanced_count(most_layers(), lead_of_copies(0), lead_of_copies(most_layers()));
}

/// Layouts with `fewest` recomputed layers or more, but fewer than `beyond`. Their passes take at least as long as with
/// one recomputed layer less than `fewest`, their copies as with `beyond`.
void LayoutSweep::Inner::pass_over(std::size_t state, int fewest, int beyond) {
  if (fewest >= beyond) return;
  const PassVariant &passes = with(fewest - 1), &copies = with(beyond);
  set_state(state);
  layout_.recompute = Recompute::full;
  layout_.recomputed_layers = fewest;
  if (!sweep_.ability_.runs(layout_)) return;
  for (std::size_t order = 0; order < orders_.size(); ++order) {
    plan_.rank_order = orders_[order];
    const double copy = costs_.exchanges().activation_copy(plan_, layout_.offload);
    const std::vector<StageExchanges>& exchanges = states_with(order)[state].exchanges;
    const double seconds =
        std::max(passes.bounds[order].seconds(exchanges), copies.bounds[order].seconds_of_copies(exchanges, copy));
    sweep_.candidates_.pass_over(objective(passes.bounds[order], seconds));
  }
}

LayoutSweep::LayoutSweep(LayoutSpace& space, const SweepRequest& request)
    : space_(space),
      request_(request),
      ability_(space.stack(), request_.asked.value_or(space.limits()), space.layers()),
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
