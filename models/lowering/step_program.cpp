// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_program.hpp"

#include "models/lowering/outer_step.hpp"
#include "models/plan/stage_schedule.hpp"

#include <optional>

namespace clusterwright {

namespace {

void run(ChunkPasses& passes, const std::vector<PipelineSlot>& slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].with_next) {
      passes.run_side_by_side(slots[i], slots[i + 1]);
      ++i;
    } else {
      passes.run(slots[i]);
    }
  }
}

}  // namespace

StepProgram::StepProgram(const StepParts& parts, RankClassId rank_class)
    : parts_(parts),
      lanes_(add_rank_lanes(parts.builder, parts.step, rank_class)),
      writer_(parts.builder, rank_class, lanes_.compute),
      stamper_(writer_, parts.passes, parts.step, parts.machine.links(), parts.meetings, lanes_,
               parts.recipes.host_issue),
      ops_(writer_, stamper_) {}

void StepProgram::write_layer(LayerKind kind, bool backward) {
  const LayerPasses& layer = parts_.recipes.layers[static_cast<std::size_t>(kind)];
  ops_.stamp(layer.forward, 0);
  if (backward) ops_.stamp(layer.backward, 0);
  stamper_.write();
}

void StepProgram::write_rows(const std::vector<PassRow>& rows) {
  RowWriter(parts_.builder, writer_, ops_, parts_.step, parts_.recipes).write(rows);
}

void StepProgram::write() {
  const PlannedStep& step = parts_.step;
  const StepRecipes& recipes = parts_.recipes;
  StepMachine& machine = parts_.machine;
  const int stage = step.stage_of(ops_.rank_class());
  const StageWeights weights = stage_weights(step.job, stage);

  LevelCopies copies(ops_, machine.levels(), parts_.meetings.host, lanes_, recipes.host_copy);
  ParameterExchange exchange(ops_, step, machine.links(), parts_.meetings, lanes_.data, recipes);
  WeightTraffic traffic(ops_, step, weights, exchange, copies, stage);
  std::optional<InputLane> input;
  if (machine.input()) input.emplace(ops_, step, *machine.input(), parts_.meetings.reads, lanes_.input);
  PipelineMessages messages(ops_, step, machine.links(), parts_.meetings, lanes_, recipes.message);
  ActivationCopies activations(ops_, copies, step.job, stage);
  ChunkPasses passes(step, recipes, {ops_, messages, traffic, activations, input ? &*input : nullptr});

  traffic.begin_step();
  if (input) input->begin_step();
  run(passes, stage_schedule(step.plan(), stage));
  traffic.reduce_rest();
  exchange.reduce_tied_table(ops_.last_kernel());
  const OpId norm = exchange.norm(parts_.norm, ops_.last_kernel());
  OptimizerStep optimizer(parts_.builder, parts_.kernels, step.job, ops_, copies, weights,
                          step.layout().layers_on(stage), parts_.log);
  const OpId updated = optimizer.write(norm);
  if (synchronises_groups(step.job))
    OuterStep(parts_.builder, parts_.kernels, step.job, ops_, copies, exchange, parts_.log)
        .write(weights.trained, updated);
}

}  // namespace clusterwright
