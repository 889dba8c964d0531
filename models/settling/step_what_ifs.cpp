// SPDX-License-Identifier: Apache-2.0
#include "models/settling/step_what_ifs.hpp"

#include <optional>
#include <utility>

#include "models/settling/local_steps.hpp"
#include "models/settling/replica_jitter.hpp"
#include "models/settling/slow_flows.hpp"

namespace clusterwright {

namespace {

/// @param attempt  index of the first of `tries`, and then of the one that is continued; past them: the whole step
/// @param clocks   clocks to begin at, and then those that settled
std::unique_ptr<SettledStep> settled_step(StepLengths& steps, const std::vector<ShortenedStep>& tries,
                                          std::size_t& attempt, Clocks& clocks, Picoseconds of_interest = any_end) {
  const Clocks begin = clocks;
  for (; attempt < tries.size(); ++attempt) {
    if (auto step = continued_step(steps, tries[attempt], clocks, of_interest)) return step;
    steps.forget();
  }
  clocks = begin;
  return full_step(steps, clocks, of_interest);
}

/// With what unequal replicas and unequal flows add. @param end_of  end of the same step under another scenario
template <class Step, class EndOf>
Step jittered(const Scenario& scenario, const Plan& plan, Step step, const EndOf& end_of) {
  const Picoseconds alike = step.end;
  add_jitter(replica_jitter(expected_loss(scenario.steps, plan), step), step);
  add_jitter(lost_to_slow_flows(scenario, alike, end_of), step);
  return step;
}

}  // namespace

StepWhatIfs::StepWhatIfs(const Scenario& scenario, const Plan& plan) : steps_(plan), tries_(shortened_steps(plan)) {
  steps_.ask(scenario);
  Clocks clocks;
  StepTime base = settled_step(steps_, tries_, attempt_, clocks)->time();
  base_ = jittered(scenario, plan, std::move(base), end_of());
  const std::optional<Plan> local = local_plan(plan);
  if (!local) return;
  local_.emplace_back(scenario, *local);
  base_ = mean_step(local_.front().base(), base_, plan.local_steps);
}

StepSummary StepWhatIfs::under(const Scenario& scenario) {
  const StepSummary step = jittered(scenario, steps_.plan(), asked(scenario)->summary(), end_of());
  return local_.empty() ? step : mean_step(local_.front().under(scenario), step, steps_.plan().local_steps);
}

StepTime StepWhatIfs::time_under(const Scenario& scenario) {
  const StepTime step = jittered(scenario, steps_.plan(), asked(scenario)->time(), end_of());
  return local_.empty() ? step : mean_step(local_.front().time_under(scenario), step, steps_.plan().local_steps);
}

std::function<Picoseconds(const Scenario&)> StepWhatIfs::end_of() {
  return [this](const Scenario& scenario) { return asked(scenario)->time().end; };
}

std::unique_ptr<SettledStep> StepWhatIfs::asked(const Scenario& scenario) {
  steps_.ask(scenario);
  std::size_t attempt = attempt_;
  Clocks clocks;  // as a step lowered anew begins: from other clocks the governors may settle elsewhere
  return settled_step(steps_, tries_, attempt, clocks);
}

namespace {

/// @param read  of the step, and of the end of the same step under other scenarios: asked for, they replace the step
template <class Read>
auto read_one(const Scenario& scenario, const Plan& plan, Read read, Picoseconds of_interest) {
  StepLengths steps(plan);
  const std::vector<ShortenedStep> tries = shortened_steps(plan);
  std::size_t attempt = 0;
  const auto settled = [&](const Scenario& asked, Picoseconds interest) {
    steps.ask(asked);
    Clocks clocks;
    return settled_step(steps, tries, attempt, clocks, interest);
  };
  return read(*settled(scenario, of_interest),
              [&](const Scenario& other) { return settled(other, any_end)->time().end; });
}

/// The step, or the mean of its two kinds where groups train apart.
template <class Read>
auto read_step(const Scenario& scenario, const Plan& plan, Read read, Picoseconds of_interest = any_end) {
  const std::optional<Plan> local = local_plan(plan);
  if (!local) return read_one(scenario, plan, read, of_interest);
  auto step = read_one(scenario, plan, read, any_end);
  return mean_step(read_one(scenario, *local, read, any_end), step, plan.local_steps);
}

}  // namespace

StepSummary summarise_step(const Scenario& scenario, const Plan& plan, Picoseconds of_interest) {
  const bool one_kind = !local_plan(plan);  // else neither end is that of the mean
  const auto read = [&](const SettledStep& step, const auto& end_of) {
    StepTime time = step.time();
    add_jitter(replica_jitter(expected_loss(scenario.steps, plan), time), time);
    return one_kind && time.end >= of_interest ? StepSummary{std::move(time), {}, {}, {}, {}}
                                               : jittered(scenario, plan, step.summary(), end_of);
  };
  return read_step(scenario, plan, read, of_interest);
}

void read_whole_step(const Scenario& scenario, const Plan& plan, const std::function<void(const StepView&)>& read) {
  StepLengths steps(plan);
  steps.ask(scenario);
  std::size_t attempt = 0;
  Clocks clocks;
  settled_step(steps, shortened_steps(plan), attempt, clocks);
  RetimedStep& whole = steps.at(plan.micro_batches);
  whole.set_clocks(clocks);
  whole.replay();
  read(whole.view());
}

StepTime time_step(const Scenario& scenario, const Plan& plan) {
  return read_step(scenario, plan, [&](const SettledStep& step, const auto& end_of) {
    return jittered(scenario, plan, step.time(), end_of);
  });
}

}  // namespace clusterwright
