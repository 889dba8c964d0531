// SPDX-License-Identifier: Apache-2.0
#include "models/settling/retimed_step.hpp"

#include <utility>

namespace clusterwright {

RetimedStep::RetimedStep(const Scenario& scenario, const Plan& plan) : plan_(plan) {
  lower(scenario);
}

RetimedStep::RetimedStep(const RetimedStep& other)
    : plan_(other.plan_), lowered_(other.lowered_), timing_(other.timing_) {
  replayer_.emplace(lowered_->structure());
}

void RetimedStep::lower(const Scenario& scenario) {
  replayer_.reset();
  lowered_ = std::make_shared<const LoweredStep>(scenario, plan_, Folding::folded);
  replayer_.emplace(lowered_->structure());
  timing_ = lowered_->timing();
}

void RetimedStep::ask(const Scenario& scenario) {
  auto timing = lowered_->timing(scenario);
  if (!timing) return lower(scenario);
  timing_ = *std::move(timing);
}

void RetimedStep::set_clocks(const Clocks& clocks) {
  if (clocks.size() == timing_.clock.size()) timing_.clock = clocks;
}

void RetimedStep::replay() {
  result_ = replayer_->run(timing_, std::move(result_));
  breakdown_ = charge_time(replayer_->structure(), timing_, result_);
}

StepLengths::StepLengths(const StepLengths& other) : plan_(other.plan_), question_(other.question_) {
  for (const auto& [micro_batches, kept] : other.kept_)
    kept_[micro_batches] = {std::make_unique<RetimedStep>(*kept.step), kept.question};
}

void StepLengths::ask(const Scenario& scenario) {
  scenario_ = &scenario;
  ++question_;
}

namespace {

Plan with_micro_batches(Plan plan, int micro_batches) {
  plan.global_batch -= (plan.micro_batches - micro_batches) * plan.micro_batch * plan.data;
  plan.micro_batches = micro_batches;
  return plan;
}

}  // namespace

RetimedStep& StepLengths::at(int micro_batches) {
  Kept& kept = kept_[micro_batches];
  if (!kept.step)
    kept.step = std::make_unique<RetimedStep>(*scenario_, with_micro_batches(plan_, micro_batches));
  else if (kept.question != question_)
    kept.step->ask(*scenario_);
  kept.question = question_;
  return *kept.step;
}

}  // namespace clusterwright
