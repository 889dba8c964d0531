// SPDX-License-Identifier: Apache-2.0
// Continuation of a step: a step of m micro-batches and one of m + p are replayed, and every further p micro-batches
// add their difference. With M micro-batches in the full step and r = (M - m) / p - 1 further periods,
//   x(M) = x(m + p) + r (x(m + p) - x(m))     for the end, each charge of each rank class, and the energy.
//
// Invariants
//   - Ends and charges are whole picoseconds, so the charges of a rank sum to the end of the step exactly.
//   - Both steps run at the clocks that the continued step settles at: power is judged on its continued energy.
//   - The two steps agree in the last P micro-batches (P stages): no op moves against the end of the step by more than
//     1e-5 of a period, and no host falls back so far that it reaches its device. Otherwise a third step, a period
//     longer again, must show that the drift decays: fast, to at most 0.1 % of the step, or slowly, to at most 0.2 % of
//     a period, too little for another cause of a wait; and that charges have settled to 0.2 %. Otherwise larger m are
//     tried (shortened_steps), and then the full step.
//   - Continued charges of a rank below zero sum to at most 0.1 % of the step; its largest charge pays for them.
//
// Example: 1F1B on P = 4 stages with M = 64 micro-batches of 30 ms (forward and backward pass). m = 5 P / 2 + 3 = 13
// and p = 1. The replays end at (13 + 3) 30 ms = 480 ms and at 510 ms, so the step ends at 510 ms + 50 x 30 ms = 2,010
// ms, which is (64 + 3) 30 ms. Its bubbles are (P - 1) 30 ms = 90 ms in both replays, and stay 90 ms.
//
// Source: docs/speed.md, "Steps with many micro-batches", with the errors that were measured against full simulations.
#include "models/prediction/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/step_simulation.hpp"
#include "sim/pass_traces.hpp"

namespace clusterwright {

namespace {

/// Ops of a step, counted from its end.
struct BackwardsView {
  explicit BackwardsView(const StepSimulation& simulated);

  /// Time from the issue of an op by the host to its start; of a pass the least of its ops.
  Picoseconds launch_slack(OpId op);
  Picoseconds before_end(OpId op) const { return step.result.end - step.result.ops[op].end; }

  const StepSimulation& step;
  PassTraces passes;
  IndexedVector<LaneId, std::vector<OpId>> lanes;  // ops of each lane, last first
  IndexedVector<OpId, Picoseconds> begun;          // when the host begins to issue
};

BackwardsView::BackwardsView(const StepSimulation& simulated)
    : step(simulated), passes(step.graph.structure, step.graph.timing, step.result) {
  const StepStructure& s = step.graph.structure;
  lanes.resize(s.lanes.size());
  begun.resize(s.op_count());
  IndexedVector<RankClassId, Picoseconds> host(s.ranks.size());
  const auto launch = [&](WorkId work) { return step.graph.timing.works[work].launch; };
  for (const OpId op : s.op_lane.ids()) {
    Picoseconds& time = host[s.lanes[s.op_lane[op]].rank];
    begun[op] = time;
    const PassId pass = s.op_pass[op];
    if (!pass.exists()) time += launch(s.op_work[op]);
    if (pass.exists())
      for (const PassOp& inner : s.passes[pass].ops) time += launch(inner.work);
  }
  for (std::size_t i = s.op_count(); i-- > 0;) lanes[s.op_lane[OpId(i)]].push_back(OpId(i));
}

Picoseconds BackwardsView::launch_slack(OpId op) {
  const StepStructure& s = step.graph.structure;
  const auto launch = [&](WorkId work) { return step.graph.timing.works[work].launch; };
  const PassId pass = s.op_pass[op];
  if (!pass.exists()) return step.result.ops[op].start - begun[op] - launch(s.op_work[op]);
  const PassTrace trace = passes.of(op);
  Picoseconds issued = begun[op], least = step.result.end;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    issued += launch(s.passes[pass].ops[i].work);
    least = std::min(least, trace.from + trace.ops[i].start - issued);
  }
  return least;
}

double picoseconds(Picoseconds time) {
  return static_cast<double>(time.count);
}

}  // namespace

StepDrift step_drift(const StepSimulation& shorter, const StepSimulation& longer, int period, int micro_batches,
                     double repeats) {
  BackwardsView few(shorter), many(longer);
  double ops = 0, host = 0;
  for (const LaneId lane : many.lanes.ids()) {
    const std::size_t per_period = many.lanes[lane].size() - few.lanes[lane].size();
    const std::size_t wanted = per_period * static_cast<std::size_t>(micro_batches) / static_cast<std::size_t>(period);
    for (std::size_t i = 0; i < std::min(wanted, few.lanes[lane].size()); ++i) {
      const OpId a = few.lanes[lane][i], b = many.lanes[lane][i];
      ops = std::max(ops, std::abs(picoseconds(many.before_end(b) - few.before_end(a))));
      const double slack = picoseconds(many.launch_slack(b));
      host = std::max(host, repeats * (picoseconds(few.launch_slack(a)) - slack) - slack);
    }
  }
  return {ops * 1e-12 * second, host * 1e-12 * second};
}

namespace {

/// Bounds on the error of a continued step and of its charges, as shares of it. Most are exact: docs/speed.md.
constexpr double accepted_error = 1e-3;
constexpr double accepted_charge_error = 2e-3;

/// Drift, as a share of a period, that is too small to change the charges of waits.
constexpr double negligible_drift = 1e-5;

/// Most micro-batches to simulate in shortened steps together, as a share of those of the full step.
constexpr double worthwhile = 0.75;

/// Longest continued step; the full simulation takes longer ones, and refuses those that it cannot simulate.
constexpr Seconds longest_continued = 1 * day;

constexpr ChargeId bubble(static_cast<std::size_t>(StepCharge::bubble));

Plan with_micro_batches(Plan plan, int micro_batches) {
  plan.global_batch -= (plan.micro_batches - micro_batches) * plan.micro_batch * plan.data;
  plan.micro_batches = micro_batches;
  return plan;
}

/// Step with fewer micro-batches, replayed at one clock after another.
struct ShortStep {
  ShortStep(const Scenario& scenario, const Plan& plan, int micro_batches)
      : simulation{lower(scenario, with_micro_batches(plan, micro_batches)), {}, {}},
        replayer(simulation.graph.structure) {}
  ShortStep(const ShortStep&) = delete;  // the replayer holds on to the structure

  static StepGraph lower(const Scenario& scenario, const Plan& plan) {
    StepGraph graph = lower_training_step(scenario, plan, Folding::folded);
    graph.structure = with_closed_passes(std::move(graph.structure), graph.timing);
    return graph;
  }
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

/// Lets the largest charge pay for those below zero. @return the time that it paid
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

/// Step and the same step a period longer, at the same clocks.
class StepPair {
 public:
  StepPair(const Scenario& scenario, const Plan& plan, const ShortenedStep& few)
      : scenario_(scenario),
        plan_(plan),
        few_(few),
        shorter_(std::make_unique<ShortStep>(scenario, plan, few.micro_batches)),
        longer_(std::make_unique<ShortStep>(scenario, plan, few.micro_batches + few.period)),
        repeats_((plan.micro_batches - few.micro_batches) / few.period - 1) {}

  /// Summary of the full step; nothing if the step does not repeat itself yet.
  /// @param before  pair of shorter steps of the same kind, at whose clocks to begin; may not exist
  std::optional<StepSummary> summary(const StepPair* before);

 private:
  const StepSimulation& shorter() const { return shorter_->simulation; }
  const StepSimulation& longer() const { return longer_->simulation; }
  void settle(const StepPair* before);
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

std::optional<StepSummary> StepPair::summary(const StepPair* before) {
  settle(before);
  if (end() > longest_continued || !continues()) return {};
  return continued_summary();
}

void StepPair::settle(const StepPair* before) {
  if (before)
    for (const auto& step : {shorter_.get(), longer_.get()})
      step->simulation.graph.timing.clock = before->longer().graph.timing.clock;
  for (int round = 0; round < most_clock_rounds; ++round) {
    shorter_->replay();
    longer_->replay();
    if (settle_clocks(longer_->simulation.graph.timing, demands())) return;
    shorter_->simulation.graph.timing.clock = longer().graph.timing.clock;
  }
  shorter_->replay();
  longer_->replay();
}

/// Whether the drift is negligible, or small as a third step shows. The third step also shows whether charges have
/// settled: two causes of a wait that end at nearly the same time may change places with the smallest drift.
bool StepPair::continues() {
  const StepDrift first = drift();
  if (first.host <= Seconds() && first.ops <= negligible_drift * period_time()) return true;
  const std::vector<Seconds> charged = period_charges();
  lengthen();
  const StepDrift next = drift();
  const auto repeats = static_cast<double>(repeats_);
  const double decay = next.ops / first.ops;
  if (!(decay < 1)) return false;
  const Seconds total = decay / (1 - decay) * next.ops;
  constexpr double fast = 0.7;
  const Seconds accepted = decay < fast ? accepted_error * end() : accepted_charge_error * period_time();
  return total <= accepted && next.host <= accepted_error * end() &&
         repeats * largest_difference(charged, period_charges()) <= accepted_charge_error * end();
}

/// Charges of one period, mean over ranks.
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

/// Continued breakdown; nothing if a charge would become clearly negative, as the steps then differ in more than a
/// period.
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
  out.capped = many.capped;
  return governed(std::move(out), longer().graph);
}

}  // namespace

std::vector<ShortenedStep> shortened_steps(const Plan& plan) {
  const int stages = plan.pipeline;
  std::vector<ShortenedStep> tries;
  int simulated = 0;  // micro-batches of all tries
  const auto add = [&](int at_least, int period) {
    const int micro_batches = at_least + (plan.micro_batches - at_least) % period;
    simulated += 3 * (micro_batches + period);  // a third step, if it comes to that
    const bool pays = simulated <= worthwhile * plan.micro_batches;
    if (pays) tries.push_back({micro_batches, period});
    return pays;
  };
  const bool mirrored = plan.schedule == PipelineSchedule::dualpipe;
  if (plan.virtual_pipeline == 1 && !mirrored) add(5 * stages / 2 + std::min(stages - 1, 3), 1);
  const int group = plan.virtual_pipeline > 1 ? plan.interleaving_group() : stages;
  const int period = mirrored ? 2 : group;  // one from each end
  for (int rounds = tries.empty() ? 3 : 6; add(rounds * group, period); rounds *= 4) {
  }
  return tries;
}

StepSummary summarise_step(const Scenario& scenario, const Plan& plan) {
  std::optional<StepPair> before;
  for (const ShortenedStep& few : shortened_steps(plan)) {
    StepPair pair(scenario, plan, few);
    if (const auto summary = pair.summary(before ? &*before : nullptr)) return *summary;
    before.emplace(std::move(pair));
  }
  return summarise(simulate_step(scenario, plan));
}

}  // namespace clusterwright
