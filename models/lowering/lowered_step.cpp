// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/lowered_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/lowering/kind_prices.hpp"
#include "models/lowering/price_log.hpp"
#include "models/lowering/step_length.hpp"
#include "models/lowering/step_program.hpp"
#include "models/lowering/step_shape.hpp"

namespace clusterwright {

namespace {

StepGraphBuilder make_builder() {
  return {std::vector<std::string>(step_charge_names.begin(), step_charge_names.end()),
          {charge_id(StepCharge::launch), charge_id(StepCharge::throttle), charge_id(StepCharge::bubble)}};
}

/// Only a governor lets power overshoot for the length of a kernel. How far is a matter of the board, by its rating,
/// whatever lower limit its governor holds in the mean.
PowerControl power_control(const DevicePowerParameters& power, const KernelTimes& kernels, Watts limit) {
  if (!kernels.has_governor()) return {power.voltage(), false, 1, power.governor_window.value};
  const double of_limit = std::max(1.0, (limit - kernels.idle_power()).in(watt));
  const double of_rating = std::max(of_limit, (kernels.rated_power() - kernels.idle_power()).in(watt));
  return {power.voltage(), true, power.short_term_power.value * of_rating / of_limit, power.governor_window.value};
}

/// A step on its way into a builder: what comes before the programs, which add to it.
class StepBase {
 public:
  /// @param log  of what the programs add; nullptr: not kept
  StepBase(const Scenario& s, const StepRanks& ranks, PriceLog* log)
      : prices_(s),
        job_(planned_job(s.transformer, s.job, s.stack, ranks.plan(), ranks.layout)),
        experts_(placed_expert_work(job_, ranks.placement)),
        step_{s, job_, ranks.placement, ranks.classes, ranks.groups, experts_},
        builder_(make_builder()),
        machine_(builder_, step_, prices_, log),
        log_(log) {
    for (int kind = 0; kind < prices_.kinds(); ++kind)
      recipes_.push_back(write_recipes(builder_, prices_.kernels(kind), job_, experts_));
    norm_ = s.stack.kernels.clips_gradients ? machine_.links().everywhere() : machine_.links().nothing();
    builder_.prepare_passes();
    add_ranks();
  }
  StepBase(const StepBase&) = delete;
  StepBase& operator=(const StepBase&) = delete;

  const IndexedVector<UplinkId, ResourceId>& uplinks() const { return machine_.ports().uplinks(); }
  PriceSheet sheet() { return {builder_, step_, prices_, machine_}; }

  StepGraph write(const WriteProgram& write_program) && {
    StepMeetings meetings(builder_, step_.classes.count(), step_.plan().pipeline);
    PassBook passes(builder_);
    for (const RankClassId c : step_.classes.ids()) {
      const int kind = step_.classes.kind(c);
      const StepRecipes& recipes = recipes_[static_cast<std::size_t>(kind)];
      const StepParts parts{builder_, step_, prices_.kernels(kind), recipes, machine_, meetings, passes, norm_, log_};
      StepProgram program(parts, c);
      write_program(program);
      if (c.value == 0) builder_.reserve_classes(1, step_.classes.count());
    }
    return std::move(builder_).build();
  }
  StepGraph without_programs() && { return std::move(builder_).build(); }

 private:
  void add_ranks() {
    const PowerDomainId domain = builder_.add_power_domain("accelerators and hosts");
    for (const RankClassId c : step_.classes.ids()) add_ranks(c, domain);
  }

  void add_ranks(RankClassId c, PowerDomainId domain) {
    const RankClasses& classes = step_.classes;
    const KernelTimes& kernels = prices_.kernels(classes.kind(c));
    const Scenario& s = prices_.scenario(classes.kind(c));
    const Watts beside = power_beside(s.cluster, kernels.idle_power());
    builder_.set_kind(static_cast<std::uint32_t>(classes.kind(c)));
    const Watts limit = power_limit(c, kernels);
    builder_.set_power_control(power_control(s.parameters.power, kernels, limit));
    builder_.add_rank_class(fmt::format("stage {}", step_.stage_of(c)),
                            static_cast<std::uint32_t>(classes.multiplicity(c)), domain, kernels.idle_power() + beside,
                            limit + beside, classes.clock(c).highest, classes.clock(c).relative);
  }

  /// Lowest limit of the node, the stage and the single accelerator.
  Watts power_limit(RankClassId c, const KernelTimes& kernels) const {
    Watts limit = kernels.power_limit();
    if (const Watts own = step_.classes.clock(c).limit; own > Watts()) limit = std::min(limit, own);
    const std::vector<Watts>& stages = step_.scenario.job.parallel.stage_power_limits;
    return stages.empty() ? limit : std::min(limit, stages.at(static_cast<std::size_t>(step_.stage_of(c))));
  }

  KindPrices prices_;
  PlannedJob job_;
  ExpertWork experts_;
  PlannedStep step_;
  StepGraphBuilder builder_;
  StepMachine machine_;
  std::vector<StepRecipes> recipes_;  // by kind of nodes
  ChainId norm_;
  PriceLog* log_;
};

/// Whether times made without programs belong to a structure.
bool belongs(const StepStructure& times, const StepStructure& whole) {
  return times.work_names == whole.work_names && times.chain_begin == whole.chain_begin &&
         times.use_begin == whole.use_begin && times.uses == whole.uses && times.resource_names == whole.resource_names;
}

}  // namespace

struct LoweredStep::Parts {
  Parts(const Scenario& s, const Plan& plan, Folding folding, const WriteProgram& write,
        const std::vector<LaidStream>* others = nullptr)
      : shape(s), ranks(s, plan, folding, others) {
    StepBase base(s, ranks, &log);
    uplinks = base.uplinks();
    graph = std::move(base).write(write);
  }

  StepShape shape;
  StepRanks ranks;
  PriceLog log;
  IndexedVector<UplinkId, ResourceId> uplinks;
  StepGraph graph;
};

namespace {

void write_all(StepProgram& program) {
  program.write();
}

}  // namespace

LoweredStep::LoweredStep(const Scenario& scenario, const Plan& plan, Folding folding)
    : LoweredStep(scenario, plan, folding, write_all) {
  check_length(structure(), timing());
}

LoweredStep::LoweredStep(const Scenario& scenario, const Plan& plan, const std::vector<LaidStream>& others)
    : parts_(std::make_unique<Parts>(scenario, plan, Folding::folded, write_all, &others)) {
  check_length(structure(), timing());
}

LoweredStep::LoweredStep(const Scenario& scenario, const Plan& plan, Folding folding, const WriteProgram& write)
    : parts_(std::make_unique<Parts>(scenario, plan, folding, write)) {}

LoweredStep::LoweredStep(LoweredStep&&) noexcept = default;
LoweredStep& LoweredStep::operator=(LoweredStep&&) noexcept = default;
LoweredStep::~LoweredStep() = default;

const StepStructure& LoweredStep::structure() const {
  return parts_->graph.structure;
}

const StepTiming& LoweredStep::timing() const {
  return parts_->graph.timing;
}

std::optional<StepTiming> LoweredStep::timing(const Scenario& s) const {
  if (!parts_->shape.is_of(s)) return {};
  StepBase base(s, parts_->ranks, nullptr);
  PriceSheet sheet = base.sheet();
  parts_->log.repeat(sheet);
  StepGraph times = std::move(base).without_programs();
  if (!belongs(times.structure, structure())) return {};
  check_length(structure(), times.timing);
  return std::move(times.timing);
}

const StepRanks& LoweredStep::ranks() const {
  return parts_->ranks;
}

const IndexedVector<UplinkId, ResourceId>& LoweredStep::uplinks() const {
  return parts_->uplinks;
}

const std::vector<ChainTraffic>& LoweredStep::traffic() const {
  return parts_->log.traffic();
}

StepGraph LoweredStep::take() && {
  return std::move(parts_->graph);
}

}  // namespace clusterwright
