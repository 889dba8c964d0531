// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/steady_state.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/clock_settling.hpp"
#include "models/prediction/step_drift.hpp"

namespace clusterwright {

namespace {

/// By which a continued step and its charges may be off, as shares of it. Bounds: most are exact, docs/speed.md.
constexpr double accepted_error = 1e-3;
constexpr double accepted_charge_error = 2e-3;

/// Of a period: too little to change what waits are charged to, if it goes on at all.
constexpr double negligible_drift = 1e-5;

/// Of the full step's micro-batches: simulating more in shortened steps is not worth it.
constexpr double worthwhile = 0.75;

/// Longer steps are left to the full simulation, which refuses what it cannot simulate.
constexpr Seconds longest_continued = 1 * day;

constexpr ChargeId bubble(static_cast<std::size_t>(StepCharge::bubble));

Plan with_micro_batches(Plan plan, int micro_batches) {
  plan.global_batch -= (plan.micro_batches - micro_batches) * plan.micro_batch * plan.data;
  plan.micro_batches = micro_batches;
  return plan;
}

/// A step with fewer micro-batches, replayed at one clock after another.
struct ShortStep {
  ShortStep(const Scenario& scenario, const Plan& plan, int micro_batches)
      : simulation{lower_training_step(scenario, with_micro_batches(plan, micro_batches), Folding::folded), {}, {}},
        replayer(simulation.graph.structure) {}
  ShortStep(const ShortStep&) = delete;  // the replayer holds on to the structure

  void replay() { replay_step(simulation, replayer); }
  IndexedVector<RankClassId, ClockDemand> demands() const {
    return clock_demands(simulation.graph, simulation.result, simulation.breakdown, bubble);
  }

  StepSimulation simulation;
  Replayer replayer;
};

double continued(double shorter, double longer, double repeats) {
  return longer + repeats * (longer - shorter);
}

Picoseconds continued(Picoseconds shorter, Picoseconds longer, std::int64_t repeats) {
  return {longer.count + repeats * (longer.count - shorter.count)};
}

Seconds largest_difference(const std::vector<Seconds>& a, const std::vector<Seconds>& b) {
  Seconds largest;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max({largest, a[i] - b[i], b[i] - a[i]});
  return largest;
}

/// Lets the largest charge pay for those below zero. @return what it paid
Picoseconds forgive_overdrawn(ChargedTime& charged) {
  Picoseconds paid;
  for (Picoseconds& time : charged) {
    if (time.count >= 0) continue;
    paid = paid - time;
    time = {};
  }
  Picoseconds& largest = *std::max_element(charged.begin(), charged.end());
  largest = largest - paid;
  return paid;
}

/// A step and the same one a period longer, at the same clocks.
class StepPair {
 public:
  StepPair(const Scenario& scenario, const Plan& plan, const ShortenedStep& few)
      : scenario_(scenario),
        plan_(plan),
        few_(few),
        shorter_(std::make_unique<ShortStep>(scenario, plan, few.micro_batches)),
        longer_(std::make_unique<ShortStep>(scenario, plan, few.micro_batches + few.period)),
        repeats_((plan.micro_batches - few.micro_batches) / few.period - 1) {}

  /// Nothing where the step does not repeat itself.
  std::optional<StepSummary> summary();

 private:
  const StepSimulation& shorter() const { return shorter_->simulation; }
  const StepSimulation& longer() const { return longer_->simulation; }
  void settle();
  bool continues();
  Seconds period_time() const { return to_seconds(longer().result.end - shorter().result.end); }
  std::vector<Seconds> period_charges() const;
  void lengthen();
  Seconds end() const;
  StepDrift drift() const;
  IndexedVector<RankClassId, ClockDemand> demands() const;
  std::optional<Breakdown> breakdown() const;
  std::optional<StepSummary> continued_summary() const;

  const Scenario& scenario_;
  const Plan& plan_;
  ShortenedStep few_;
  std::unique_ptr<ShortStep> shorter_, longer_;
  std::int64_t repeats_;
};

std::optional<StepSummary> StepPair::summary() {
  settle();
  if (end() > longest_continued || !continues()) return {};
  return continued_summary();
}

void StepPair::settle() {
  for (int round = 0; round < most_clock_rounds; ++round) {
    shorter_->replay();
    longer_->replay();
    const double change = settle_clocks(longer_->simulation.graph.timing, demands());
    shorter_->simulation.graph.timing.clock = longer().graph.timing.clock;
    if (change < clock_tolerance) break;
  }
}

/// As good as no drift; or one that decays, as a third step tells. It then also tells whether charges have settled: two
/// causes of a wait that are over at nearly the same time may change places with the smallest drift.
bool StepPair::continues() {
  const auto repeats = static_cast<double>(repeats_);
  const StepDrift first = drift();
  if (first.host <= Seconds() && first.ops <= negligible_drift * period_time()) return true;
  if (3 * (few_.micro_batches + few_.period) > worthwhile * plan_.micro_batches) return false;
  const std::vector<Seconds> charged = period_charges();
  lengthen();
  const StepDrift next = drift();
  const double decay = next.ops / first.ops;
  constexpr double fast = 0.7;
  if (!(decay < fast)) return false;
  return std::max(decay / (1 - decay) * next.ops, next.host) <= accepted_error * end() &&
         repeats * largest_difference(charged, period_charges()) <= accepted_charge_error * end();
}

/// Mean over ranks.
std::vector<Seconds> StepPair::period_charges() const {
  std::vector<Seconds> charges = longer().breakdown.mean;
  for (std::size_t i = 0; i < charges.size(); ++i) charges[i] -= shorter().breakdown.mean[i];
  return charges;
}

/// Goes on by a period, at the clocks that were settled.
void StepPair::lengthen() {
  few_.micro_batches += few_.period;
  --repeats_;
  std::swap(shorter_, longer_);
  longer_ = std::make_unique<ShortStep>(scenario_, plan_, few_.micro_batches + few_.period);
  longer_->simulation.graph.timing.clock = shorter().graph.timing.clock;
  shorter_->replay();
  longer_->replay();
}

StepDrift StepPair::drift() const {
  return step_drift(shorter(), longer(), few_.period, plan_.pipeline, static_cast<double>(repeats_));
}

Seconds StepPair::end() const {
  return to_seconds(longer().result.end) + static_cast<double>(repeats_) * period_time();
}

IndexedVector<RankClassId, ClockDemand> StepPair::demands() const {
  const auto few = shorter_->demands();
  auto many = longer_->demands();
  const auto repeats = static_cast<double>(repeats_);
  using Sum = double ClockDemand::*;
  constexpr Sum sums[] = {&ClockDemand::clocked, &ClockDemand::crossed, &ClockDemand::fixed, &ClockDemand::clocked_time,
                          &ClockDemand::busy};
  for (const RankClassId rank : many.ids())
    for (const Sum sum : sums) many[rank].*sum = continued(few[rank].*sum, many[rank].*sum, repeats);
  return many;
}

/// Nothing where a charge would become clearly negative: then the two steps differ in more than a period.
std::optional<Breakdown> StepPair::breakdown() const {
  Breakdown breakdown = longer().breakdown;
  for (const RankClassId rank : breakdown.by_rank.ids()) {
    const ChargedTime& few = shorter().breakdown.by_rank[rank];
    ChargedTime& charged = breakdown.by_rank[rank];
    for (std::size_t charge = 0; charge < charged.size(); ++charge)
      charged[charge] = continued(few[charge], charged[charge], repeats_);
    if (to_seconds(forgive_overdrawn(charged)) > accepted_error * end()) return {};
  }
  breakdown.mean = mean_over_ranks(longer().graph.structure, breakdown);
  return breakdown;
}

std::optional<StepSummary> StepPair::continued_summary() const {
  const auto charged = breakdown();
  if (!charged) return {};
  const StepSummary few = summarise(shorter()), many = summarise(longer());
  const auto repeats = static_cast<double>(repeats_);
  StepSummary out;
  out.end = continued(few.end, many.end, repeats_);
  out.breakdown = charged->mean;
  out.energy = continued(few.energy.in(joule), many.energy.in(joule), repeats) * joule;
  out.mean_power = out.energy / to_seconds(out.end);
  out.peak_power = std::max(few.peak_power, many.peak_power);
  out.wave = {std::min(few.wave.low, many.wave.low), std::max(few.wave.high, many.wave.high)};
  return out;
}

}  // namespace

std::vector<ShortenedStep> shortened_steps(const Plan& plan) {
  const int stages = plan.pipeline;
  std::vector<ShortenedStep> tries;
  const auto add = [&](int at_least, int period) {
    const int micro_batches = at_least + (plan.micro_batches - at_least) % period;
    if (2 * micro_batches + period <= worthwhile * plan.micro_batches) tries.push_back({micro_batches, period});
  };
  if (plan.schedule == PipelineSchedule::dualpipe) {
    for (const int rounds : {3, 6}) add(rounds * stages, 2);  // one from each end
    return tries;
  }
  if (plan.virtual_pipeline == 1) add(5 * stages / 2 + std::min(stages - 1, 3), 1);
  const int group = plan.virtual_pipeline > 1 ? plan.interleaving_group() : stages;
  for (const int rounds : {3, 6}) add(rounds * group, group);
  return tries;
}

StepSummary summarise_step(const Scenario& scenario, const Plan& plan) {
  for (const ShortenedStep& few : shortened_steps(plan))
    if (const auto summary = StepPair(scenario, plan, few).summary()) return *summary;
  return summarise(simulate_step(scenario, plan));
}

}  // namespace clusterwright
