// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_prediction.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "calibration/host/loop/host_stack.hpp"
#include "calibration/host/loop/part_clock.hpp"
#include "models/prediction/step_simulation.hpp"

namespace clusterwright {

namespace {

/// Repeats of whole steps on a machine that does other things too.
constexpr double repeated = 0.03;
/// Op that ends the forward pass.
constexpr std::string_view last_forward = "loss";

/// Part that a charge of the simulator counts for; multiplies count by their pass.
std::optional<StepPart> part_of(StepCharge charge, bool forward) {
  switch (charge) {
    case StepCharge::compute_gemm:
      return forward ? StepPart::gemm_forward : StepPart::gemm_backward;
    case StepCharge::compute_attention:
      return StepPart::attention;
    case StepCharge::compute_other:
      return StepPart::elementwise;
    case StepCharge::optimizer:
      return StepPart::optimizer;
    case StepCharge::dp_exposed:
      return StepPart::all_reduce;
    default:
      return std::nullopt;
  }
}

/// Ops of one process, in their order, and what each took.
struct StepParts {
  std::map<std::string, Seconds> parts;
  Seconds shortest_linear;  ///< multiply of a linear layer
};

StepParts parts_of(const StepSimulation& step) {
  const StepStructure& s = step.graph.structure;
  StepParts out;
  for (const char* name : step_part_names) out.parts[name] = {};
  bool forward = true;
  for (std::size_t i = 0; i < s.op_count(); ++i) {
    const OpId op(i);
    if (s.lanes[s.op_lane[op]].rank != RankClassId(0)) continue;
    const Seconds time = to_seconds(step.result.ops[op].end - step.result.ops[op].start);
    const auto charge = static_cast<StepCharge>(s.op_charge[op].value);
    if (const auto part = part_of(charge, forward)) out.parts[step_part_names[static_cast<std::size_t>(*part)]] += time;
    // Small multiplies of attention are another class, and little of a step.
    const bool linear = charge == StepCharge::compute_gemm;
    if (linear && (out.shortest_linear <= Seconds{} || time < out.shortest_linear)) out.shortest_linear = time;
    if (s.work_names[s.op_work[op]] == last_forward) forward = false;
  }
  return out;
}

}  // namespace

HostStepPrediction predict_host_step(const HostModel& model, int processes, const HostTimes& times) {
  if (processes < 1) throw std::invalid_argument("a step needs a process");
  const StepSimulation step = simulate_step(host_scenario(model, processes, times), host_plan(model, processes));
  StepParts parts = parts_of(step);
  HostStepPrediction out;
  out.step = to_seconds(step.result.end);
  out.parts = std::move(parts.parts);
  const Seconds multiplies = out.parts["gemm_forward"] + out.parts["gemm_backward"];
  // Multiplies of one step may all err alike, so their band does not shrink with their number.
  const double width = std::hypot(multiplies / out.step * times.multiply_band(parts.shortest_linear), 1.645 * repeated);
  out.low = out.step * std::exp(-width);
  out.high = out.step * std::exp(width);
  return out;
}

}  // namespace clusterwright
