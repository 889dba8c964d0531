// SPDX-License-Identifier: Apache-2.0
// A run is many equal steps:
//   steps = ceil(tokens / tokens per step),  time = steps x (step + pause for checkpoints per step)
//   accelerator-hours = accelerators x time,  energy = mean power x time
//   paid time = max(steps x step / goodput, time)
// Example: 15.6e12 tokens in steps of 2,048 x 8,192 = 16,777,216 are 929,833 steps. At 6.5 s they take 6.04e6 s = 69.95
// days; on 16,384 accelerators 27.5 million hours, and at a goodput of 0.9 those of 30.6 million are paid.
#include "models/prediction/training_run.hpp"

#include <algorithm>

#include "models/prediction/prediction.hpp"

namespace clusterwright {

std::int64_t steps_for(std::int64_t tokens, std::int64_t tokens_per_step) {
  return tokens / tokens_per_step + (tokens % tokens_per_step > 0 ? 1 : 0);
}

std::optional<std::int64_t> stated_steps(const Job& job, std::int64_t tokens_per_step) {
  if (job.steps) return job.steps;
  if (job.tokens) return steps_for(*job.tokens, tokens_per_step);
  return {};
}

TrainingRun training_run(const StepPrediction& step, int sequence, std::int64_t steps) {
  const auto count = static_cast<double>(steps);
  const Seconds pause = step.checkpoint ? step.checkpoint->per_step() : Seconds{};
  TrainingRun run;
  run.steps = steps;
  run.tokens = count * step.plan.global_batch * sequence;
  run.accelerators = step.accelerators + step.idle_accelerators;
  run.checkpoints = count * pause;
  const Seconds contended = step.checkpoint ? step.checkpoint->contended / step.checkpoint->every_steps : Seconds{};
  run.time = {count * (step.low + pause), count * (step.step_time + pause), count * (step.high + pause + contended)};
  run.accelerator_hours = hours_of(run.accelerators, run.time);
  run.nodes_energy = run.time.times(step.power.nodes_mean);
  return run;
}

void add_site_energy(TrainingRun& run, const SitePower& site) {
  run.it_energy = run.time.times(site.it_mean);
  run.facility_energy = run.time.times(site.facility_mean);
}

Interval<double> hours_of(int accelerators, const Interval<Seconds>& time) {
  return {accelerators * time.low.in(hour), accelerators * time.value.in(hour), accelerators * time.high.in(hour)};
}

Interval<Seconds> paid_time(const TrainingRun& run, double goodput) {
  const auto paid = [&](Seconds time) { return std::max(time, (time - run.checkpoints) / goodput); };
  return {paid(run.time.low), paid(run.time.value), paid(run.time.high)};
}

double goodput_of(const TrainingRun& run, const Interval<Seconds>& paid) {
  return (run.time.value - run.checkpoints) / paid.value;
}

RunRent rent_of(const TrainingRun& run, const Ranged<DollarsPerSecond>& rent, double goodput) {
  const Interval<Seconds> paid = paid_time(run, goodput);
  const DollarsPerSecond each = rent.value;
  return {each, goodput_of(run, paid), paid.times(run.accelerators * each)};
}

}  // namespace clusterwright
