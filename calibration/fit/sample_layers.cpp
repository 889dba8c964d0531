// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sample_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/fit/probe_stack.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/lowering/lowering.hpp"
#include "models/prediction/step_simulation.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

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
