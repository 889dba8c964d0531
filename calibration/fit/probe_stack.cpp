// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/probe_stack.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/measured/measured_cluster.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/lowering/lowering.hpp"
#include "models/settling/step_simulation.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

/// layer_kernels.hpp and the kernels behind it.
StackKernels probe_kernels(bool gated) {
  StackKernels out;
  out.residual = ResidualSum::own_kernel;
  out.rotary = RotaryKernel::in_place;
  // Gate, up and the gradient read, gradients of both written; without a gate, input and gradient read, one written.
  out.activation_backward =
      gated ? Sourced<double>{5.0 / 3, "enqueue_swiglu_backward"} : Sourced<double>{3.0 / 2, "enqueue_gelu_backward"};
  out.loss = {4, "enqueue_cross_entropy: read from device memory once, the gradient written over it"};
  out.loss_backward = {0, "enqueue_cross_entropy leaves the gradient"};
  out.weight_gradient = {2, "LinearLayer: written in 16 bit"};
  out.plain_embedding = true;
  out.update = {28, "enqueue_adam: three 32-bit states read and written, a 16-bit gradient read, a weight written"};
  out.update_clocks = {0, "enqueue_adam: each thread has eight parameters, as many threads as there are"};
  out.clips_gradients = false;
  out.clears_gradients = false;
  return out;
}

Transformer probe_transformer(const ProbeWhat& sample) {
  const ProbedTransformer& what = *probed_transformer(sample);
  const auto* model = std::get_if<ProbedModel>(&sample);
  Transformer out;
  out.name = what.model;
  out.layers = model ? model->layers : 1;
  out.hidden = what.hidden;
  out.heads = what.heads;
  out.kv_heads = what.kv_heads;
  out.head_width = what.head_width;
  out.ffn = what.ffn;
  out.gated_mlp = what.gated;
  out.vocabulary = model ? model->vocabulary : 1;
  return out;
}

}  // namespace

const ProbedTransformer* probed_transformer(const ProbeWhat& what) {
  if (const auto* layer = std::get_if<ProbedLayer>(&what)) return layer;
  return std::get_if<ProbedModel>(&what);
}

SoftwareStack probe_stack(const ProbedTransformer& what) {
  SoftwareStack out;
  out.name = "gpu probe";
  out.source = "calibration/probes";
  out.attention = what.attention;
  out.graph_capture = GraphCapture::all;
  out.kernels_per_op.value = out.kernels_per_message.value = 1;
  out.gradient_size.value = out.reduced_size.value = out.gathered_size.value = 2;
  out.elementwise_traffic.value = 1;
  out.bucket.value = 1 * gigabyte;
  out.kernels = probe_kernels(what.gated);
  return out;
}

Scenario probe_scenario(const ProbeWhat& sample, const AcceleratorPart& part, const ParameterSet& set) {
  const ProbedTransformer& what = *probed_transformer(sample);
  Scenario out;
  out.cluster = single_node(part, 1);
  out.transformer = probe_transformer(sample);
  out.job.sequence = static_cast<int>(what.sequence);
  out.job.global_batch = static_cast<int>(what.batch);
  out.job.micro_batch = static_cast<int>(what.batch);
  out.job.sharding = Sharding::none;
  out.stack = probe_stack(what);
  out.parameters = set;
  return out;
}

Plan probe_plan(const ProbeWhat& what) {
  Plan out;
  out.micro_batch = out.global_batch = static_cast<int>(probed_transformer(what)->batch);
  out.sharding = Sharding::none;
  return out;
}

namespace {

constexpr double limit = 0.05;  // of the median: pieces that add up

bool can_be_predicted(const ProbeSample& sample, const ParameterSet& set) {
  const ProbedTransformer* what = probed_transformer(sample.what);
  return what && !sample.repetitions.empty() && what->dtype == "bf16" && what->causal && set.gemm.contains("bf16") &&
         set.attention.contains(what->attention);
}

std::string words_of(const ProbeSample& sample) {
  const ProbedTransformer& what = *probed_transformer(sample.what);
  const auto* layer = std::get_if<ProbedLayer>(&sample.what);
  const std::string_view pass = layer ? enum_name(layer->pass) : enum_name(ModelPass::step);
  std::string text = fmt::format("{} {}, {} x {} tokens", what.model, pass, what.batch, what.sequence);
  if (what.tensor_split > 1) text += fmt::format(", split {}", what.tensor_split);
  if (const auto* model = std::get_if<ProbedModel>(&sample.what))
    text += fmt::format(", {} layers{}", model->layers, model->graph ? ", a graph" : "");
  return text;
}

}  // namespace

Seconds predicted_layers(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& set) {
  const Scenario scenario = probe_scenario(sample.what, part, set);
  const Plan plan = probe_plan(sample.what);
  const auto* layer = std::get_if<ProbedLayer>(&sample.what);
  StepGraph graph = layer ? lower_layer(scenario, plan, LayerKind::dense, layer->pass != ProbedPass::forward)
                          : lower_training_step(scenario, plan, Folding::folded);
  // Clock governors average over more than a burst, which keeps the clock that the bursts of single kernels had.
  if (sample.mode != "sustained") return to_seconds(replay(graph.structure, graph.timing).end);
  return to_seconds(simulate_graph(std::move(graph)).result.end);
}

std::vector<SectionFit> check_layers(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                     const ParameterSet& set) {
  std::vector<SectionFit> out;
  if (peak(part, NumberFormat::bf16) <= FlopsPerSecond{}) return out;
  for (const char* probe : {"layer", "model"}) {
    std::vector<SampleResidual> residuals;
    for (const ProbeSamples& document : all)
      for (const ProbeSample& sample : document.samples) {
        if (probe_name(sample.what) != probe || !can_be_predicted(sample, set)) continue;
        const Seconds measured = statistics_of(sample.repetitions).median;
        const double error = std::log(predicted_layers(sample, part, set) / measured);
        const std::string what = words_of(sample);
        residuals.push_back({probe, what, what, true, measured, error, error, 0});
      }
    if (!residuals.empty()) out.push_back(checked({probe, 1, 1, limit, "", ""}, std::move(residuals)));
  }
  return out;
}

}  // namespace clusterwright
