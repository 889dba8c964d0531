// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_prediction.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "calibration/host/loop/part_clock.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/interval.hpp"
#include "sim/unfold.hpp"

namespace clusterwright {

namespace {

constexpr double number_size = 4;  // bytes

StackKernels host_kernels() {
  StackKernels out;
  out.residual = ResidualSum::in_multiply;
  out.rotary = RotaryKernel::in_place;  // there are no positions: no kernel
  out.fused_attention = false;
  out.activation_backward = {1.5, "gelu_backward: input and gradient read, one written"};
  out.loss = {2 * number_size, "cross_entropy: read, the gradient written over it"};
  out.loss_backward = {0, "cross_entropy leaves the gradient"};
  out.weight_gradient = {number_size, "left_transposed writes"};
  out.plain_embedding = true;
  out.update = {7 * number_size, "Adam: parameter, gradient and two moments read, all but the gradient written"};
  out.clips_gradients = false;
  out.clears_gradients = false;
  out.synchronous = true;
  return out;
}

Transformer transformer_of(const HostModel& model) {
  Transformer out;
  out.name = "host loop";
  out.layers = model.layers;
  out.hidden = model.hidden;
  out.heads = model.heads;
  out.ffn = model.ffn;
  out.gated_mlp = false;
  out.vocabulary = model.vocabulary;
  out.positions = PositionEncoding::none;
  return out;
}

/// A ring over loopback as one collective: 2 (n - 1) rounds of an n-th of the message. In a round a core sends one
/// chunk and receives another in turn, so half the rate of a stream; in the first half of the rounds it adds what came,
/// at the speed of the residual kernel.
void describe_ring(const HostTimes& times, Bytes message, int processes, AcceleratorPart& part,
                   CollectiveParameters& ring) {
  const double n = processes;
  const Bytes chunk = message / n;
  const auto adding = times.parameters.kernels->find({StreamingKernel::residual, KernelPass::forward});
  const Seconds sum = adding == times.parameters.kernels->end() ? Seconds{} : adding->second.time(2 * chunk);
  const Bytes sent = 2 * (n - 1) * chunk;
  const Seconds time = sent / (times.loopback.rate / 2) + (n - 1) * sum;
  const std::string source = "loopback of this host";
  part.scale_up_bandwidth = {sent / time, source};
  part.scale_up_domain = {processes, source};
  part.scale_up = {ScaleUpWiring::switched, source};
  ring.rank_latency = {2 * times.loopback.start, source};
  ring.bandwidth_share = {1, source};
  ring.ramp_exponent = {1, source};
}

}  // namespace

SoftwareStack host_stack() {
  SoftwareStack out;
  out.name = "host loop";
  out.source = "calibration/host/loop";
  out.attention = "multiplies";
  out.overlap_gradient_reduce = false;
  out.graph_capture = GraphCapture::all;
  out.kernels_per_op.value = out.kernels_per_message.value = 1;
  out.gradient_size.value = out.reduced_size.value = out.gathered_size.value = number_size;
  out.elementwise_traffic.value = 1;
  out.bucket.value = 1e6 * gigabyte;
  out.kernels = host_kernels();
  return out;
}

Scenario host_scenario(const HostModel& model, int processes, const HostTimes& times) {
  model.check();
  Scenario out;
  out.transformer = transformer_of(model);
  out.job.sequence = static_cast<int>(model.sequence);
  out.job.micro_batch = static_cast<int>(model.sequences);
  out.job.global_batch = static_cast<int>(model.sequences) * processes;
  out.job.precision = Precision::fp32;
  out.job.sharding = Sharding::none;
  out.stack = host_stack();
  out.parameters = times.parameters;
  out.parameters.memory.host_share = {1, "nothing is copied between host and device"};
  AcceleratorPart part = times.part;
  const Bytes message = total_parameters(out.transformer) * number_size * byte;
  if (processes > 1) describe_ring(times, message, processes, part, out.parameters.collectives["all_reduce"]);
  out.cluster = single_node(part, processes);
  return out;
}

Plan host_plan(const HostModel& model, int processes) {
  Plan out;
  out.data = processes;
  out.micro_batch = static_cast<int>(model.sequences);
  out.global_batch = out.micro_batch * processes;
  out.sharding = Sharding::none;
  return out;
}

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

StepParts parts_of(const StepSimulation& simulated) {
  const UnfoldedStep step = unfold(simulated.graph.structure, simulated.graph.timing, simulated.result);
  const StepStructure& s = step.structure;
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
  const double width =
      std::hypot(multiplies / out.step * times.multiply_band(parts.shortest_linear), half_width_90 * repeated);
  out.low = out.step * std::exp(-width);
  out.high = out.step * std::exp(width);
  return out;
}

}  // namespace clusterwright
