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
//     longer again, must show that charges have settled to 0.2 %, and that the drift is small: over all repeats at most
//     0.1 % of the step if it stayed as it is, or as much if it decays fast, or if slowly at most 0.2 % of a period,
//     too little for another cause of a wait. Otherwise larger m are tried (shortened_steps), and then the full step.
//   - Continued charges of a rank below zero sum to at most 0.1 % of the step; its largest charge pays for them.
//
// Example: 1F1B on P = 4 stages with M = 64 micro-batches of 30 ms (forward and backward pass). m = 5 P / 2 + 3 = 13
// and p = 1. The replays end at (13 + 3) 30 ms = 480 ms and at 510 ms, so the step ends at 510 ms + 50 x 30 ms = 2,010
// ms, which is (64 + 3) 30 ms. Its bubbles are (P - 1) 30 ms = 90 ms in both replays, and stay 90 ms.
//
// Source: docs/speed.md, "Steps with many micro-batches", with the errors that were measured against full simulations.
#include "models/settling/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/device_work.hpp"
#include "models/settling/retimed_step.hpp"
#include "models/settling/step_drift.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/parallel_points.hpp"

namespace clusterwright {

namespace {

/// Bounds on the error of a continued step and of its charges, as shares of it. Most are exact: docs/speed.md.
constexpr double accepted_error = 1e-3;
constexpr double accepted_charge_error = 2e-3;

/// Drift, as a share of a period, that is too small to change the charges of waits.
constexpr double negligible_drift = 1e-5;

/// Most micro-batches to simulate in shortened steps together, as a share of those of the full step; of the try with
/// long periods alone.
constexpr double worthwhile = 0.75;

/// Periods of the last try, in which a step that repeats itself late, or not to the pass, does so on average.
constexpr int long_periods = 12;

/// Longest continued step; the full simulation takes longer ones, and refuses those that it cannot simulate.
constexpr Seconds longest_continued = 1 * day;

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
class StepPair : public SettledStep {
 public:
  StepPair(StepLengths& steps, const ShortenedStep& few)
      : steps_(steps),
        few_(few),
        shorter_(&steps.at(few.micro_batches)),
        longer_(&steps.at(few.micro_batches + few.period)),
        repeats_((steps.plan().micro_batches - few.micro_batches) / few.period - 1) {}

  /// Replays until clocks have settled, unless the step is far beyond what is of interest at the highest clocks.
  void settle(Clocks& clocks, Picoseconds of_interest);
  /// Continues to the full step. @return whether that repeats the short ones, or is far beyond what is of interest
  bool continues();
  StepTime time() const override;
  StepSummary summary() const override;

 private:
  bool repeats();
  bool is_small(const StepDrift& first, const StepDrift& next) const;
  Seconds period_time() const { return to_seconds(longer_->view().result.end - shorter_->view().result.end); }
  std::vector<Seconds> period_charges() const;
  void lengthen();
  void replay();
  Seconds end() const;
  StepDrift drift() const;
  IndexedVector<RankClassId, GovernedTime> times() const;
  bool continue_breakdown();

  StepLengths& steps_;
  ShortenedStep few_;
  RetimedStep *shorter_, *longer_;
  std::int64_t repeats_;
  bool beyond_interest_ = false;
  Breakdown breakdown_;
};

bool StepPair::continues() {
  return end() <= longest_continued && (beyond_interest_ || repeats()) && continue_breakdown();
}

void StepPair::settle(Clocks& clocks, Picoseconds of_interest) {
  longer_->set_clocks(clocks);
  ClockSearch search;
  replay();
  constexpr double spare = 1.1;  // far more than a continuation has been found to be off
  beyond_interest_ = clocks.empty() && end() >= spare * to_seconds(of_interest);
  if (!beyond_interest_)
    while (!longer_->settled(search, times())) replay();
  clocks = longer_->clocks();
}

/// Replays both at the clocks of the longer step, side by side where that pays.
void StepPair::replay() {
  shorter_->set_clocks(longer_->clocks());
  constexpr std::size_t long_enough = 20'000;  // ops, some milliseconds
  RetimedStep* const both[] = {longer_, shorter_};
  if (longer_->view().structure.op_count() >= long_enough)
    for_each_point({0, 1}, [&](std::size_t i) { both[i]->replay(); });
  else
    for (RetimedStep* const step : both) step->replay();
}

/// Whether the drift is negligible, or small as a third step shows. The third step also shows whether charges have
/// settled: two causes of a wait that end at nearly the same time may change places with the smallest drift.
bool StepPair::repeats() {
  const StepDrift first = drift();
  if (first.host <= Seconds() && first.ops <= negligible_drift * period_time()) return true;
  const std::vector<Seconds> charged = period_charges();
  lengthen();
  const StepDrift next = drift();
  return is_small(first, next) && next.host <= accepted_error * end() &&
         static_cast<double>(repeats_) * largest_difference(charged, period_charges()) <= accepted_charge_error * end();
}

/// Whether what is left of a drift is small. One that stays adds up over all repeats.
bool StepPair::is_small(const StepDrift& first, const StepDrift& next) const {
  constexpr double spare = 1.25;  // a drift that stays goes up and down a little
  const Seconds lasting = spare * static_cast<double>(repeats_) * std::max(first.ops, next.ops);
  if (lasting <= accepted_error * end()) return true;
  const double decay = next.ops / first.ops;
  if (!(decay < 1)) return false;
  const Seconds total = decay / (1 - decay) * next.ops;
  constexpr double fast = 0.7;
  return total <= (decay < fast ? accepted_error * end() : accepted_charge_error * period_time());
}

/// Charges of one period, mean over ranks.
std::vector<Seconds> StepPair::period_charges() const {
  std::vector<Seconds> charges = longer_->view().breakdown.mean;
  for (std::size_t i = 0; i < charges.size(); ++i) charges[i] -= shorter_->view().breakdown.mean[i];
  return charges;
}

/// Goes on by a period, at the clocks that were settled.
void StepPair::lengthen() {
  few_.micro_batches += few_.period;
  --repeats_;
  shorter_ = longer_;
  longer_ = &steps_.at(few_.micro_batches + few_.period);
  longer_->set_clocks(shorter_->clocks());
  longer_->replay();
}

StepDrift StepPair::drift() const {
  return step_drift(shorter_->view(), longer_->view(), few_.period, steps_.plan().pipeline,
                    static_cast<double>(repeats_));
}

Seconds StepPair::end() const {
  return to_seconds(longer_->view().result.end) + static_cast<double>(repeats_) * period_time();
}

IndexedVector<RankClassId, GovernedTime> StepPair::times() const {
  return governed_times(shorter_->view(), longer_->view(), static_cast<double>(repeats_));
}

/// @return false if a charge would become clearly negative, as the steps then differ in more than a period
bool StepPair::continue_breakdown() {
  breakdown_ = longer_->view().breakdown;
  for (const RankClassId rank : breakdown_.by_rank.ids()) {
    const ChargedTime& few = shorter_->view().breakdown.by_rank[rank];
    ChargedTime& charged = breakdown_.by_rank[rank];
    for (std::size_t charge = 0; charge < charged.size(); ++charge)
      charged[charge] = continued(few[charge], charged[charge], repeats_);
    if (to_seconds(forgive_overdrawn(charged)) > accepted_error * end()) return false;
  }
  breakdown_.mean = mean_over_ranks(longer_->view().structure, breakdown_);
  return true;
}

StepTime StepPair::time() const {
  StepTime out = time_of(longer_->view());
  out.end = continued(shorter_->view().result.end, out.end, repeats_);
  out.breakdown = breakdown_.mean;
  if (!out.busy.empty()) out.busy = busy_by_kind(longer_->view().structure, breakdown_);
  return out;
}

StepSummary StepPair::summary() const {
  const StepSummary few = summarise(shorter_->view()), many = summarise(longer_->view());
  StepSummary out{time(), {}, {}, {}, {}, many.beyond_limit};
  out.energy = continued(few.energy.in(joule), many.energy.in(joule), static_cast<double>(repeats_)) * joule;
  out.mean_power = out.energy / to_seconds(out.end);
  out.peak_power = std::max(few.peak_power, many.peak_power);
  out.wave = enclosing(few.wave, many.wave);
  return governed(std::move(out), longer_->view().structure, longer_->view().timing);
}

/// The step itself.
class WholeStep : public SettledStep {
 public:
  explicit WholeStep(const RetimedStep& step) : step_(step) {}
  StepTime time() const override { return time_of(step_.view()); }
  StepSummary summary() const override { return summarise(step_.view()); }

 private:
  const RetimedStep& step_;
};

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
  const int rounds = tries.empty() ? 3 : 6;
  for (int more = rounds; add(more * group, period); more *= 4) {
  }
  if (tries.empty()) return tries;
  const int long_period = plan.micro_batches / period / long_periods * period;
  if (long_period > period) {
    const int least = rounds * group, micro_batches = least + (plan.micro_batches - least) % long_period;
    // Both are replayed twice until clocks settle, a third step once; the full step is replayed twice.
    if (2.5 * micro_batches + 2 * long_period <= worthwhile * plan.micro_batches)
      tries.push_back({micro_batches, long_period});
  }
  return tries;
}

std::unique_ptr<SettledStep> continued_step(StepLengths& steps, const ShortenedStep& few, Clocks& clocks,
                                            Picoseconds of_interest) {
  auto pair = std::make_unique<StepPair>(steps, few);
  pair->settle(clocks, of_interest);
  return pair->continues() ? std::move(pair) : nullptr;
}

std::unique_ptr<SettledStep> full_step(StepLengths& steps, Clocks& clocks, Picoseconds of_interest) {
  RetimedStep& step = steps.at(steps.plan().micro_batches);
  step.set_clocks(clocks);
  ClockSearch search;
  step.replay();
  if (step.view().result.end < of_interest)
    while (!step.settled(search, governed_times(step.view()))) step.replay();
  clocks = step.clocks();
  return std::make_unique<WholeStep>(step);
}

}  // namespace clusterwright
