// SPDX-License-Identifier: Apache-2.0
#include "models/procurement/machine_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

#include "models/job/scenario_loader.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/training_run.hpp"
#include "models/search/best_plan.hpp"
#include "models/search/layout.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "models/site/sizing/run_cost.hpp"
#include "sim/diagnostic.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

constexpr int most_accelerators = 1 << 20;
constexpr double batch_tolerance = 0.08;
/// A few tenths of a second for each size; mixtures have groups of experts to choose too, and bounds that say less.
constexpr SearchEffort usual_effort{.layouts = 4'000, .replays = 2, .context_space = false};
constexpr SearchEffort effort_of_mixtures{.layouts = 100'000, .replays = 6, .thorough = true};
constexpr double many_times = 2;  // from here on a refusal says how many times too long a run is, not by how much

ScenarioOptions options_of(const PurchaseJob& job, const MachineChoice& machine, int accelerators) {
  ScenarioOptions options;
  options.settings = job.settings;
  options.node = machine.node;
  options.accelerators = accelerators;
  options.catalog = job.catalog;
  options.settings.insert(options.settings.end(), machine.settings.begin(), machine.settings.end());
  if (!machine.precision.empty()) options.settings.push_back("job.precision=" + machine.precision);
  if (machine.cap < 1)
    options.settings.push_back(fmt::format("cluster.node.accelerator_power_limit_share={}", machine.cap));
  return options;
}

/// Accelerators that a layout takes a multiple of, by the degrees that are not open.
std::int64_t stated_ranks(const ParallelSpec& p) {
  return std::int64_t{p.tensor.value_or(1)} * p.context.value_or(1) * p.pipeline.value_or(1) * p.data.value_or(1);
}

/// Smallest machine: one node, or a whole scale-up domain; as many of them as the degrees that the user set fill.
int unit_of(const PurchaseJob& job, const MachineChoice& machine) {
  const auto catalog = job.catalog ? job.catalog : shipped_catalog();
  const NodePart& node = *catalog->find_node(machine.node);
  const int each = node.accelerator_count ? node.accelerator_count->value : 1;
  const Scenario one = scenario_of_document(job.scenario, options_of(job, machine, each));
  const int unit = std::max(each, one.cluster.domain);
  const std::int64_t ranks = stated_ranks(with_unset_layout_open(one).parallel);
  if (ranks > most_accelerators) return unit;  // no machine holds them, which its plan says
  const std::int64_t filled = std::lcm(ranks, std::int64_t{unit});
  return filled > most_accelerators ? unit : static_cast<int>(filled);
}

/// Verdict that does not hold, rather one that no other size changes; null where all hold.
const SiteVerdict* failed_verdict(const SitePlan& plan) {
  const SiteVerdict* out = nullptr;
  for (const SiteVerdict& verdict : plan.verdicts)
    if (!verdict.holds && (!out || (verdict.any_size && !out->any_size))) out = &verdict;
  return out;
}

/// Reason why a size cannot be; nothing where it can.
std::optional<SizedOption> refusal_of(const SizedCluster& sized) {
  if (!sized.step || !sized.step->fits)
    return SizedOption{{}, Obstacle::too_small, sized.step ? sized.step->verdict : "no step"};
  if (const SiteVerdict* failed = failed_verdict(sized.plan))
    return SizedOption{
        {}, failed->any_size ? Obstacle::unsuited : Obstacle::too_large, failed->what + ": " + failed->arithmetic};
  if (!sized.run) return SizedOption{{}, Obstacle::impossible, "the job states no end"};
  return {};
}

/// Refusal of a plan that does not fit, which spares its replay.
std::optional<SizedOption> too_small(const ChosenPlan& chosen) {
  if (chosen.fits()) return {};
  const double residual = memory_residual(chosen.scenario.steps, chosen.scenario.stack);
  return SizedOption{
      {}, Obstacle::too_small, judge_memory(chosen.memory, chosen.capacity, chosen.plan.pipeline, residual).sentence};
}

SizedOption too_slow(int accelerators, Seconds time, const LongestRun& longest) {
  const double times = time / longest.beside;
  const std::string beyond = times < many_times
                                 ? fmt::format("{} % longer than {}", plain_number(100 * (times - 1), 2), longest.what)
                                 : fmt::format("{:.1f} times {}", times, longest.what);
  return {{},
          Obstacle::too_slow,
          fmt::format("even without any wait inside a step {} accelerators take {} days: {}", accelerators,
                      plain_number(time.in(day), 4), beyond),
          time};
}

PurchaseFigures figures_of(const SizedCluster& sized, const MoneyTerms& terms) {
  const RunCost& run = *sized.run;
  const double paid_runs = terms.paid_time ? *terms.paid_time / run.paid.value : 1;
  return {run.paid,
          {sized.cost.low.capex_total, sized.cost.capex_total, sized.cost.high.capex_total},
          sized.plan.rated.facility,
          static_cast<int>(sized.plan.floor.racks.size()),
          run.total.value * paid_runs,
          sized.cost.rented,
          sized.cost.lower_bound(),
          terms.by_run};
}

/// Scenario without a schedule that needs several stages, which a layout of one stage contradicts.
Scenario with_usual_schedule(Scenario scenario) {
  scenario.job.parallel.schedule = PipelineSchedule::one_forward_one_backward;
  return scenario;
}

/// Time that a run is paid for at each second of its step.
double paid_steps(const Scenario& s, const PriceList& prices) {
  const auto steps = stated_steps(s.job, std::int64_t{s.job.global_batch} * s.job.sequence);
  return steps ? static_cast<double>(*steps) / prices.goodput.value : 0;
}

}  // namespace

bool any_rented(const std::vector<MachineChoice>& machines, const Catalog& catalog) {
  return std::ranges::any_of(machines, [&](const MachineChoice& machine) {
    const NodePart* node = catalog.find_node(machine.node);
    return node && node->rented;
  });
}

std::vector<int> usual_sizes(int unit) {
  std::vector<int> out;
  for (int count = 1; count < 8 && count * unit <= most_accelerators; ++count) out.push_back(count * unit);
  for (int power = 1; 8 * power * unit <= most_accelerators; power *= 2)
    for (int count = 8; count < 16 && count * power * unit <= most_accelerators; ++count)
      out.push_back(count * power * unit);
  return out;
}

int fitted_batch(int batch, int accelerators) {
  for (int divisor = accelerators; divisor > 1; divisor /= 2) {
    const int fitted = std::max(1, (batch + divisor / 2) / divisor) * divisor;
    if (std::abs(fitted - batch) <= batch_tolerance * batch) return fitted;
    if (divisor % 2 != 0) break;
  }
  return batch;
}

MachineLine::MachineLine(const PurchaseJob& job, MachineChoice machine, std::vector<int> sizes, RunTimes times)
    : machine_(std::move(machine)), times_(times), money_(job.money), sizes_(std::move(sizes)) {
  usual_sizes_ = sizes_.empty();
  if (usual_sizes_) sizes_ = usual_sizes(unit_of(job, machine_));
  base_ = scenario_of_document(job.scenario, options_of(job, machine_, sizes_.front()));
  schedule_is_set_ = is_set_in_job(base_, "parallel/schedule");
  base_.job = with_unset_layout_open(base_);
  std::vector<InputFile> inputs;
  site_.emplace(base_, inputs);
  prices_ = load_prices(base_.source, site_->catalog(), inputs);
}

std::size_t MachineLine::rung_of(double accelerators) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes_, accelerators) - sizes_.begin());
}

const SizedOption& MachineLine::at(std::size_t rung) {
  {
    const std::lock_guard lock(adding_);
    if (const auto found = known_.find(rung); found != known_.end()) return found->second;
  }
  SizedOption option = option_at(rung);
  const std::lock_guard lock(adding_);
  return known_.try_emplace(rung, std::move(option)).first->second;
}

/// What an earlier search found, unless the price alone refuses it now.
SizedOption MachineLine::option_at(std::size_t rung) const {
  const int accelerators = sizes_.at(rung);
  if (!is_too_dear(accelerators)) {
    const std::lock_guard lock(adding_);
    if (const auto found = earlier_.find(rung); found != earlier_.end()) return found->second;
  }
  return option_of(accelerators);
}

/// Whether a size would be planned, or refused, in the same way under another budget and longest run.
bool MachineLine::is_settled(const SizedOption& option, bool same_longest) const {
  if (option.obstacle == Obstacle::too_dear) return false;
  if (same_longest || !longest_) return same_longest || option.obstacle != Obstacle::too_slow;
  // Layouts beyond the longest run were not looked at: a slower plan may not be the best of its size.
  return option.plan ? option.plan->figures.time.value <= longest_->time : option.obstacle != Obstacle::too_slow;
}

void MachineLine::start_over(std::optional<LongestRun> longest, std::optional<Dollars> budget) {
  const bool same = longest_.has_value() == longest.has_value() && (!longest || longest->time == longest_->time);
  std::erase_if(earlier_, [&](const auto& known) { return !is_settled(known.second, same); });
  for (auto& [rung, option] : known_)
    if (is_settled(option, same)) earlier_.insert_or_assign(rung, std::move(option));
  known_.clear();
  longest_ = std::move(longest);
  budget_ = budget;
}

bool MachineLine::is_planned(std::size_t rung) const {
  const std::lock_guard lock(adding_);
  return known_.contains(rung);
}

void MachineLine::set_longest(std::optional<LongestRun> longest) {
  longest_ = std::move(longest);
  for (auto* options : {&known_, &earlier_})
    std::erase_if(*options, [](const auto& known) { return known.second.obstacle == Obstacle::too_slow; });
}

void MachineLine::set_budget(std::optional<Dollars> budget) {
  budget_ = budget;
  std::erase_if(known_, [](const auto& known) { return known.second.obstacle == Obstacle::too_dear; });
}

std::vector<PurchasePlan> MachineLine::plans() const {
  const std::lock_guard lock(adding_);
  std::vector<PurchasePlan> out;
  for (const auto& [rung, option] : known_)
    if (option.plan) out.push_back(*option.plan);
  return out;
}

std::size_t MachineLine::planned() const {
  const std::lock_guard lock(adding_);
  std::set<std::size_t> rungs;
  for (const auto* options : {&known_, &earlier_})
    for (const auto& [rung, option] : *options)
      if (option.plan) rungs.insert(rung);
  return rungs.size();
}

std::string MachineLine::reason() const {
  const std::lock_guard lock(adding_);
  auto first =
      std::ranges::find_if(known_, [](const auto& known) { return known.second.obstacle == Obstacle::unsuited; });
  if (first == known_.end()) first = std::ranges::find_if(known_, [](const auto& known) { return !known.second.plan; });
  if (first == known_.end()) return {};
  const auto& [obstacle, reason] = std::tie(first->second.obstacle, first->second.reason);
  const auto dear =
      std::ranges::find_if(known_, [](const auto& known) { return known.second.obstacle == Obstacle::too_dear; });
  const bool would_grow = obstacle == Obstacle::too_small || obstacle == Obstacle::too_slow;
  return reason + (would_grow && dear != known_.end() ? "; " + dear->second.reason : "");
}

FlopsPerSecond MachineLine::peak_rate() const {
  return peak(base_.cluster.accelerator, matrix_format(base_.job.precision));
}

std::optional<Dollars> MachineLine::least_price() const {
  const NodePart* part = site_->catalog().find_node(machine_.node);
  if (part && part->rented) return {};
  const auto node = price_of(machine_.node, site_->catalog(), prices_).each;
  return node ? std::optional(*node / static_cast<double>(base_.cluster.node_accelerators)) : std::nullopt;
}

Scenario MachineLine::scenario_of(int accelerators) const {
  Scenario scenario = scenario_at_size(base_, accelerators, true);
  scenario.job.parallel.data = base_.job.parallel.data;  // of the user, which other sizes do not suit
  scenario.job.global_batch = fitted_batch(base_.job.global_batch, accelerators);
  return scenario;
}

PurchasePlan MachineLine::completed(PurchasePlan plan) const {
  if (!plan.decided) return plan;
  const GivenPlan given{*plan.decided, HashedFlows::timed};
  plan.sized = std::make_shared<const SizedCluster>(site_->size(scenario_of(plan.accelerators), prices_, given));
  plan.figures = figures_of(*plan.sized, money_);
  plan.decided.reset();
  return plan;
}

bool MachineLine::is_too_dear(int accelerators) const {
  const std::optional<Dollars> each = least_price();
  return budget_ && each && accelerators * *each > *budget_;
}

/// Layout of a size. A space that was thinned out may have lost every layout that fits, so it is searched once more in
/// full before anything is guessed. A schedule that asks for several stages is kept for layouts that have them, and for
/// all where the user set it.
DecidedPlan MachineLine::decided_plan(const Scenario& scenario, SearchEffort effort) const {
  const bool asks_for_stages = scenario.job.parallel.schedule != PipelineSchedule::one_forward_one_backward;
  if (!asks_for_stages) return site_->decide(scenario, effort);
  std::optional<DecidedPlan> guessed;
  for (const std::int64_t layouts : {effort.layouts, SearchEffort{}.layouts}) {
    effort.layouts = layouts;
    try {
      DecidedPlan decided = site_->decide(scenario, effort);
      if (decided.searched) return decided;
      guessed = std::move(decided);
    } catch (const ConfigError&) {
      // No layout of several stages fits; the guess has one stage, which contradicts the schedule.
    }
  }
  if (guessed && (schedule_is_set_ || guessed->chosen.fits())) return *std::move(guessed);
  return site_->decide(schedule_is_set_ ? scenario : with_usual_schedule(scenario), effort);
}

std::optional<int> MachineLine::with_idle_places(int accelerators) const {
  const int domain = base_.cluster.domain, used = static_cast<int>(std::bit_floor(static_cast<unsigned>(domain)));
  if (!usual_sizes_ || !base_.transformer.experts || used == domain || accelerators % domain != 0) return {};
  return accelerators / domain * used;
}

SizedOption MachineLine::option_of(int accelerators) const {
  SizedOption whole = option_with(accelerators);
  const std::optional<int> fewer = with_idle_places(accelerators);
  if (!fewer || whole.obstacle == Obstacle::too_dear || whole.obstacle == Obstacle::unsuited) return whole;
  SizedOption thinned = option_with(*fewer);
  const bool better =
      thinned.plan && (!whole.plan || thinned.plan->figures.time.value < whole.plan->figures.time.value);
  return better ? thinned : whole;
}

SizedOption MachineLine::option_with(int accelerators) const {
  if (is_too_dear(accelerators))
    return {{}, Obstacle::too_dear, fmt::format("the nodes of {} accelerators alone exceed the budget", accelerators)};
  try {
    const Scenario scenario = scenario_of(accelerators);
    const double steps = paid_steps(scenario, prices_);
    SearchEffort effort = scenario.transformer.experts ? effort_of_mixtures : usual_effort;
    if (longest_ && steps > 0) effort.longest = longest_->time / steps;
    auto decided = std::make_shared<const DecidedPlan>(decided_plan(scenario, effort));
    if (decided->too_slow) return too_slow(accelerators, steps * *decided->too_slow, *longest_);
    if (auto refusal = too_small(decided->chosen)) return *std::move(refusal);
    const GivenPlan given{*decided, times_ == RunTimes::with_intervals ? HashedFlows::timed : HashedFlows::left_out};
    auto sized = std::make_shared<const SizedCluster>(site_->size(scenario, prices_, given));
    if (auto refusal = refusal_of(*sized)) return *std::move(refusal);
    if (times_ == RunTimes::with_intervals) decided.reset();
    PurchasePlan plan{machine_, accelerators, figures_of(*sized, money_), sized, {}, decided, base_.job.global_batch};
    plan.settings = settings_of(scenario, layout_of(sized->step->plan, scenario.job.offload));
    plan.settings.insert(plan.settings.begin(), fmt::format("job.global_batch={}", scenario.job.global_batch));
    std::erase(plan.settings, "job.parallel.stage_layers=[]");  // those of the user stay
    return {std::move(plan)};
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return {{}, first.code == "E0306" ? Obstacle::too_large : Obstacle::impossible, first.message};
  }
}

}  // namespace clusterwright
