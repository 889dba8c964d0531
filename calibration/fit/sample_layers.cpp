#include "calibration/fit/sample_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/fit/probe_stack.hpp"
#include "calibration/sample_files/sample_statistics.hpp"
#include "models/lowering/lowering.hpp"
#include "models/prediction/step_simulation.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

namespace {

constexpr double limit = 0.05;  // of the median: pieces that add up

bool can_be_predicted(const ProbeSample& sample, const ParameterSet& set) {
  return !sample.repetitions.empty() && sample.what.dtype == "bf16" && sample.what.causal &&
         set.gemm.contains("bf16") && set.attention.contains(sample.what.attention);
}

std::string words_of(const ProbeWhat& what) {
  std::string text = fmt::format("{} {}, {} x {} tokens", what.model, what.pass, what.batch, what.sequence);
  if (what.tensor_split > 1) text += fmt::format(", split {}", what.tensor_split);
  if (what.layers > 0) text += fmt::format(", {} layers{}", what.layers, what.graph ? ", a graph" : "");
  return text;
}

}  // namespace

Seconds predicted_layers(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& set) {
  const Scenario scenario = probe_scenario(sample.what, part, set);
  const Plan plan = probe_plan(sample.what);
  StepGraph graph = sample.probe == "model"
                        ? lower_training_step(scenario, plan, Folding::folded)
                        : lower_layer(scenario, plan, LayerKind::dense, sample.what.pass != "forward");
  // Clock governors average over more than a burst, which keeps the clock that the bursts of single kernels had.
  if (sample.mode != "sustained") return to_seconds(replay(graph.structure, graph.price).end);
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
        if (sample.probe != probe || !can_be_predicted(sample, set)) continue;
        const Seconds measured = statistics_of(sample.repetitions).median;
        const double error = std::log(predicted_layers(sample, part, set) / measured);
        const std::string what = words_of(sample.what);
        residuals.push_back({probe, what, what, true, measured, error, error, 0});
      }
    if (!residuals.empty()) out.push_back(checked({probe, 1, 1, limit, "", ""}, std::move(residuals)));
  }
  return out;
}

}  // namespace clusterwright
