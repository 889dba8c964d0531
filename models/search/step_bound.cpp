// SPDX-License-Identifier: Apache-2.0
#include "models/search/step_bound.hpp"

#include <algorithm>
#include <cmath>

#include "models/memory/activation_memory.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/governor.hpp"

namespace clusterwright {

namespace {

bool mirrored(const Plan& plan) {
  return plan.schedule == PipelineSchedule::dualpipe;
}

double largest_update(const std::vector<StageExchanges>& exchanges) {
  double update = 0;
  for (const StageExchanges& e : exchanges) update = std::max(update, e.update);
  return update;
}

/// Adds up the rows of each stage.
class WorkBuilder {
 public:
  WorkBuilder(const PlannedJob& planned, const StageTable& stages, const PassCosts& costs, double message)
      : planned_(planned), stages_(stages), costs_(costs), message_(message) {
    for (int c = 0; c < stages.classes(); ++c)
      copied_.push_back(copied_activations(planned, stages.first_of(c)).in(byte));
  }

  std::vector<StageWork> build() {
    work_.reserve(static_cast<std::size_t>(stages_.stages()));
    for (int stage = 0; stage < stages_.stages(); ++stage) add_stage(stage);
    const Plan& plan = planned_.plan;
    if (!mirrored(plan) && plan.virtual_pipeline == 1 && !plan.paired) add_round_trips();
    return std::move(work_);
  }

 private:
  RowCost chunk_cost(int stage, int chunk, RowPass pass) const;
  RowCost layers_cost(const ChunkContents& chunk, int first, int count, RowPass pass) const;
  void add_stage(int stage);
  void add_whole_passes(int stage, StageWork& out);
  void add_split_passes(int stage, StageWork& out);
  void add_both_ends(int stage, StageWork& out);
  void add_messages(int stage, StageWork& out);
  static void lengthen(StageWork& stage, double least);
  void add_round_trips();

  const PlannedJob& planned_;
  const StageTable& stages_;
  const PassCosts& costs_;
  double message_;
  std::vector<double> copied_;  // bytes of activations of one micro-batch, by class of stages
  std::vector<StageWork> work_;
};

RowCost WorkBuilder::layers_cost(const ChunkContents& chunk, int first, int count, RowPass pass) const {
  RowCost sum;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (const auto n = static_cast<int>(planned_.model.layers_of(kind, chunk.first_layer + first, count)); n > 0)
      sum += costs_.layers(kind, pass, n);
  return sum;
}

RowCost WorkBuilder::chunk_cost(int stage, int chunk, RowPass pass) const {
  const ChunkContents& at = stages_.layout().at(stage, chunk);
  RowCost sum;
  if (at.embedding && pass != RowPass::weight_gradients) sum += costs_.embedding(pass);
  if (at.head) sum += costs_.head(pass);
  const Plan& plan = planned_.plan;
  int again = plan.recompute == Recompute::full ? at.layers : 0;
  if (plan.recomputed_layers)
    again = std::clamp(*plan.recomputed_layers - stages_.layout().layers_before(stage, chunk), 0, at.layers);
  if (pass == RowPass::backward && again > 0) {
    sum += layers_cost(at, 0, again, RowPass::repeated_backward);
  } else if (again > 0) {
    sum += layers_cost(at, 0, again, pass);
    if (pass == RowPass::input_gradients) {
      // Kernels that run again; what the two hide of each other is left out.
      RowCost repeated =
          layers_cost(at, 0, again, RowPass::repeated_backward) - layers_cost(at, 0, again, RowPass::backward);
      repeated.time = repeated.kernels;
      repeated.slope = repeated.clocked;
      sum += repeated;
    }
  }
  if (again < at.layers) sum += layers_cost(at, again, at.layers - again, pass);
  return sum;
}

void WorkBuilder::add_stage(int stage) {
  StageWork out;
  out.stage_class = stages_.class_of(stage);
  out.copied = copied_[static_cast<std::size_t>(out.stage_class)];
  if (mirrored(planned_.plan))
    add_both_ends(stage, out);
  else if (planned_.plan.schedule == PipelineSchedule::zero_bubble)
    add_split_passes(stage, out);
  else
    add_whole_passes(stage, out);
  work_.push_back(out);
}

void WorkBuilder::add_whole_passes(int stage, StageWork& out) {
  const Plan& plan = planned_.plan;
  RowCost all;
  double longest = 0;
  for (int chunk = 0; chunk < stages_.chunks(); ++chunk) {
    const RowCost forward = chunk_cost(stage, chunk, RowPass::forward);
    const RowCost backward = chunk_cost(stage, chunk, RowPass::backward);
    if (chunk == 0) out.fill = forward.behind_wait(), out.drain = backward.behind_wait();
    longest = std::max(longest, forward.time + backward.time);
    all += forward + backward;
  }
  const auto count = static_cast<double>(plan.micro_batches);
  out.lead = all.lead;
  out.middle = count * (plan.paired ? all.kernels : all.time);
  out.slope = count * (plan.paired ? all.clocked : all.slope);
  add_messages(stage, out);
  out.computing = count * all.computing;
  out.launch = count * std::max(all.launch, all.issue);
  out.energy = (count * all).energy;
  out.rest = longest + (plan.virtual_pipeline - 1) * plan.interleaving_group() * longest;
}

/// Sends that the device waits for, without the last one back, which is on the way through the stages in front.
void WorkBuilder::add_messages(int stage, StageWork& out) {
  const Plan& plan = planned_.plan;
  if (planned_.stack.overlap_pipeline_messages || plan.paired || plan.pipeline == 1) return;
  const int sends = 2 * plan.virtual_pipeline - (stage == 0 ? 1 : 0) - (stage == plan.pipeline - 1 ? 1 : 0);
  out.middle += (plan.micro_batches * sends - (stage == 0 ? 0 : 1)) * std::max(0.0, message_ - out.lead);
}

void WorkBuilder::lengthen(StageWork& stage, double least) {
  if (least <= stage.middle) return;
  stage.slack += least - stage.middle;
  stage.middle = least;
}

/// Weight gradients of up to as many micro-batches as the stage's number come behind its last input gradients.
void WorkBuilder::add_split_passes(int stage, StageWork& out) {
  const int count = planned_.plan.micro_batches, put_off = std::min(count, stage + 1);
  const RowCost forward = chunk_cost(stage, 0, RowPass::forward);
  const RowCost input = chunk_cost(stage, 0, RowPass::input_gradients);
  const RowCost weight = chunk_cost(stage, 0, RowPass::weight_gradients);
  const RowCost middle = count * (forward + input) + (count - put_off) * weight;
  out.fill = forward.behind_wait();
  out.drain = input.behind_wait();
  out.lead = (middle + weight).lead;
  out.middle = middle.time;
  out.slope = middle.slope;
  add_messages(stage, out);
  out.own = put_off * weight.time - weight.lead;
  const RowCost all = middle + put_off * weight;
  out.computing = all.computing;
  out.launch = std::max(all.launch, all.issue);
  out.energy = all.energy;
  out.rest = weight.time;
}

/// DualPipe: half of the micro-batches through the stage's own chunk, half through that of its mirror stage. Kernels of
/// pairs hide each other's waits; how many passes pair up follows from the place of the stage (stage_schedule.cpp).
void WorkBuilder::add_both_ends(int stage, StageWork& out) {
  const int half = planned_.plan.micro_batches / 2, stages = stages_.stages();
  const int from_end = std::min(stage, stages - 1 - stage), to_middle = stages / 2 - 1 - from_end;
  const int pairs = half - stages + from_end + 1, own = 2 * stage < stages ? 0 : 1;
  const int own_ahead = pairs - (to_middle == 0 ? 1 : 0), other_ahead = pairs + to_middle;
  RowCost all;
  for (const bool is_own : {true, false}) {
    const int chunk = is_own ? own : 1 - own, paired = is_own ? own_ahead : other_ahead;
    const RowCost forward = chunk_cost(stage, chunk, RowPass::forward);
    const RowCost beside = chunk_cost(stage, 1 - chunk, RowPass::backward);
    const RowCost parts = chunk_cost(stage, 1 - chunk, RowPass::input_gradients) +
                          chunk_cost(stage, 1 - chunk, RowPass::weight_gradients);
    const double side_by_side = std::max({forward.kernels + beside.kernels, forward.time, beside.time});
    const double apart = forward.behind_wait() + std::min(beside.behind_wait(), parts.time - 2 * parts.lead);
    out.middle += paired * side_by_side + (half - paired) * std::max(apart, forward.kernels + parts.kernels);
    if (chunk == 0) out.fill = forward.behind_wait();
    all += half * (forward + parts);
  }
  out.slope = all.clocked;
  out.energy = all.energy;
  out.computing = all.computing;
  out.launch = std::max(all.launch, all.issue);
  out.rest = out.middle;
}

/// A micro-batch enters stage s when the one that entered P - s before it has left it again.
void WorkBuilder::add_round_trips() {
  const int count = planned_.plan.micro_batches, last = stages_.stages() - 1;
  double round = 0;
  for (int stage = last; stage >= 0; --stage) {
    StageWork& at = work_[static_cast<std::size_t>(stage)];
    round += at.fill + at.drain + (stage < last ? 2 * message_ : 0);
    const int beyond = std::min(count, last - stage + 1), rounds = (count - 1) / beyond;
    lengthen(at, (rounds + 1) * round + (count - 1 - rounds * beyond) * at.drain);
  }
}

double mean_computing(const std::vector<StageWork>& work) {
  double sum = 0;
  for (const StageWork& stage : work) sum += stage.computing;
  return sum / static_cast<double>(work.size());
}

}  // namespace

PowerHeadroom power_headroom(const Scenario& s, const StepPrices& prices) {
  return {prices.kernels.has_governor(), (prices.kernels.power_limit() - prices.kernels.idle_power()).in(watt),
          s.parameters.power.voltage()};
}

StepBound::StepBound(const PlannedJob& planned, const StageTable& stages, const PassCosts& costs, double message,
                     double slowest)
    : micro_batches_(planned.plan.micro_batches),
      copies_(planned.plan.weight_copies()),
      message_(message),
      work_(WorkBuilder(planned, stages, costs, message).build()),
      jitter_(slowest * mean_computing(work_)) {}

double StepBound::arrival(std::size_t stage, const std::vector<StageExchanges>& exchanges, double before) const {
  const double own = exchanges[static_cast<std::size_t>(work_[stage].stage_class)].before;
  return stage == 0 ? own : std::max(own, before + work_[stage - 1].fill + message_);
}

/// Forward passes of the stages between an end and this one. Those from the far end hold the same parts of the model.
double StepBound::from_nearest_end(std::size_t stage) const {
  double sum = 0;
  for (std::size_t before = 0; before < std::min(stage, work_.size() - 1 - stage); ++before)
    sum += work_[before].fill + message_;
  return sum;
}

StepBound::Reach StepBound::reach(const std::vector<StageExchanges>& exchanges, double copy) const {
  const double count = micro_batches_;
  const bool both_ends = copies_ > 1;
  Reach most;
  double arrived = 0, tail = 0;
  for (std::size_t stage = 0; stage < work_.size(); ++stage) {
    const StageWork& at = work_[stage];
    const StageExchanges& e = exchanges[static_cast<std::size_t>(at.stage_class)];
    arrived = both_ends ? e.before + from_nearest_end(stage) : arrival(stage, exchanges, arrived);
    const double own = at.own + e.behind;
    // Nobody waits for gradients that come to frozen embeddings.
    const bool passed_on = stage > 0 && !both_ends && work_[stage - 1].drain > 0;
    tail = passed_on ? std::max(own, message_ + work_[stage - 1].drain + tail) : own;
    const double waits = at.middle + (count - 1) * std::max(0.0, e.each_waits - at.lead);
    const double lane = std::max({e.lane_before + count * e.each, count * e.copies_each, copies_of(at, copy)});
    const double time =
        std::max({arrived + waits + tail, arrived + waits + at.own - at.rest + e.lane_behind, lane, at.launch});
    if (time > most.seconds) most = {time, stage};
  }
  return most;
}

double StepBound::seconds(const std::vector<StageExchanges>& exchanges, double copy) const {
  return reach(exchanges, copy).seconds + largest_update(exchanges) + jitter_;
}

double StepBound::seconds_of_copies(const std::vector<StageExchanges>& exchanges, double copy) const {
  double most = 0;
  for (const StageWork& stage : work_) most = std::max(most, copies_of(stage, copy));
  return most + largest_update(exchanges);
}

double StepBound::least_energy(const VoltageCurve& voltage) const {
  double sum = 0;
  for (const StageWork& stage : work_) sum += stage.energy.least(lowest_clock, voltage);
  return sum;
}

double StepBound::with_power(std::size_t stage, double seconds, const PowerHeadroom& power) const {
  const StageWork& at = work_[stage];
  const auto time = [&](double clock) { return seconds + std::max(0.0, at.slope * (1 / clock - 1) - at.slack); };
  const auto enough = [&](double clock) { return at.energy.at(clock, power.voltage) <= power.watts * time(clock); };
  if (enough(1)) return seconds;
  double low = lowest_clock, high = 1;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? low : high) = middle;
  }
  return time(high);
}

double StepBound::seconds(const std::vector<StageExchanges>& exchanges, double copy, const PowerHeadroom& power) const {
  // Clocks settle to a few parts in ten thousand.
  constexpr double tolerance = 1e-3;
  const Reach most = reach(exchanges, copy);
  const double update = largest_update(exchanges), plain = most.seconds + update;
  if (!power.governed) return plain + jitter_;
  return std::max(plain, (1 - tolerance) * with_power(most.stage, plain, power)) + jitter_;
}

}  // namespace clusterwright
