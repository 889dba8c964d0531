// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/bottleneck.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

struct Cause {
  const char* name;
  const char* advice;
  const char* beyond_layout;  ///< advice where layouts were tried
};

namespace causes {

constexpr Cause pipeline_bubble{
    "pipeline bubble", "more micro-batches per replica, more virtual stages or fewer stages", "a larger global batch"};
constexpr Cause uneven_stages{"uneven pipeline stages",
                              "a more even split of layers (stage_layers), with fewer beside the output head",
                              "a more even split of layers (stage_layers), with fewer beside the output head"};
constexpr Cause tensor{"tensor-parallel collectives", "a smaller tensor group, or a stack that overlaps them",
                       "a stack that overlaps them"};
constexpr Cause context{"context-parallel exchange", "a smaller context group, or another context_exchange",
                        "another context_exchange"};
constexpr Cause experts{"expert-parallel exchange",
                        "experts over fewer ranks or inside a scale-up domain, or a stack that overlaps the exchange",
                        "a stack that overlaps the exchange"};
constexpr Cause messages{"pipeline messages", "fewer virtual stages, or more network per accelerator",
                         "more network per accelerator"};
constexpr Cause data{"data-parallel collectives", "a larger batch per replica, or more network per accelerator",
                     "a larger batch per replica, or more network per accelerator"};
constexpr Cause uneven_ranks{"imbalance between ranks", "a more even split of layers", "a more even split of layers"};
constexpr Cause uneven_nodes{"ranks that wait for slower nodes",
                             "stages instead of replicas on them (parallel.order), with fewer layers (stage_layers)",
                             "fewer layers on them (stage_layers)"};
constexpr Cause uneven_experts{"imbalance of experts",
                               "a router that balances better, a capacity factor, or more experts per rank",
                               "a router that balances better, or a capacity factor"};
constexpr Cause input{"wait for input data",
                      "a faster store or way to it, more cores that prepare data, or a deeper prefetch",
                      "a faster store or way to it, more cores that prepare data, or a deeper prefetch"};
constexpr Cause launch{"kernel launches", "larger micro-batches or captured graphs", "captured graphs"};
constexpr Cause throttle{"power limit", "a higher power limit or better cooling",
                         "a higher power limit or better cooling"};
constexpr Cause recompute{"recomputation",
                          "more memory for activations, by more stages, sharding or a smaller micro-batch",
                          "more memory per accelerator"};
constexpr Cause memory{"memory-bound kernels", "kernel fusion, or a larger tensor group", "kernel fusion"};
constexpr Cause elsewhere{"offloaded optimizer", "states sharded over more ranks, or kept in faster memory",
                          "states kept in faster memory"};
constexpr Cause activations{"offloaded activations", "a faster level of memory for them, or recomputation instead",
                            "a faster level of memory for them, or recomputation instead"};
constexpr Cause jitter{"jitter", "hosts and links that disturb the job less",
                       "hosts and links that disturb the job less"};

}  // namespace causes

/// What the optimizer takes where its states are not on the device is copies and a host's work, not kernels.
bool optimizer_is_elsewhere(const StepPrediction& step) {
  return std::any_of(step.tiers.begin(), step.tiers.end(),
                     [](const LevelUse& use) { return use.bytes.optimizer > Bytes{}; });
}

/// Whether stages wait longer for those with more work than for the pipeline to fill and drain, which takes
/// (p - 1) / (m v + p - 1) of a step of equal stages. Schedules that fill bubbles have no such share.
bool stages_are_uneven(const StepPrediction& step) {
  const Plan& plan = step.plan;
  if (plan.pipeline == 1 || plan.schedule != PipelineSchedule::one_forward_one_backward || step.step_time <= Seconds{})
    return false;
  const double waits = step.breakdown[static_cast<std::size_t>(StepCharge::bubble)] / step.step_time;
  const double filling = plan.pipeline - 1, passes = static_cast<double>(plan.micro_batches) * plan.virtual_pipeline;
  return waits > 2 * filling / (passes + filling);
}

/// Loss that a charge belongs to; nullptr: useful work. The compiler refuses a charge without a case (-Wswitch).
const Cause* cause_of(StepCharge charge, const StepPrediction& step) {
  switch (charge) {
    case StepCharge::compute_gemm:
    case StepCharge::compute_attention:
      return nullptr;
    case StepCharge::compute_other:
      return &causes::memory;
    case StepCharge::optimizer:
      return optimizer_is_elsewhere(step) ? &causes::elsewhere : &causes::memory;
    case StepCharge::recompute:
      return &causes::recompute;
    case StepCharge::tp_exposed:
      return &causes::tensor;
    case StepCharge::cp_exposed:
      return &causes::context;
    case StepCharge::ep_exposed:
      return &causes::experts;
    case StepCharge::pp_exposed:
      return &causes::messages;
    case StepCharge::dp_exposed:
      return &causes::data;
    case StepCharge::bubble:
      return stages_are_uneven(step) ? &causes::uneven_stages : &causes::pipeline_bubble;
    case StepCharge::imbalance:
      return step.mixed ? &causes::uneven_nodes : &causes::uneven_ranks;
    case StepCharge::ep_imbalance:
      return &causes::uneven_experts;
    case StepCharge::input_wait:
      return &causes::input;
    case StepCharge::offload:
      return &causes::activations;
    case StepCharge::launch:
      return &causes::launch;
    case StepCharge::throttle:
      return &causes::throttle;
    case StepCharge::jitter:
      return &causes::jitter;
  }
  return nullptr;
}

}  // namespace

std::string accelerator_names(std::vector<int> accelerators) {
  constexpr std::size_t most_spans = 6;
  std::sort(accelerators.begin(), accelerators.end());
  std::vector<std::string> spans;
  std::size_t next = 0;
  while (next < accelerators.size() && spans.size() < most_spans) {
    const std::size_t first = next++;
    while (next < accelerators.size() && accelerators[next] == accelerators[next - 1] + 1) ++next;
    spans.push_back(next - first == 1 ? fmt::format("{}", accelerators[first])
                                      : fmt::format("{} to {}", accelerators[first], accelerators[next - 1]));
  }
  if (next < accelerators.size()) spans.push_back(fmt::format("{} more", accelerators.size() - next));
  const std::string last = spans.back();
  spans.pop_back();
  const std::string all = spans.empty() ? last : fmt::format("{} and {}", fmt::join(spans, ", "), last);
  return fmt::format("{} {}", accelerators.size() == 1 ? "accelerator" : "accelerators", all);
}

StepLoss largest_loss(const StepPrediction& step) {
  // Without its stragglers a step has the charges of the step of healthy accelerators, and the rest is theirs.
  const auto& charges = step.stragglers ? step.stragglers->healthy : step.breakdown;
  std::vector<std::pair<const Cause*, double>> shares;
  double useful = 0;
  for (std::size_t i = 0; i < step_charge_count; ++i) {
    const double share = step.step_time > Seconds{} ? charges[i] / step.step_time : 0;
    const Cause* const cause = cause_of(static_cast<StepCharge>(i), step);
    const auto same = std::find_if(shares.begin(), shares.end(), [&](const auto& s) { return s.first == cause; });
    if (!cause)
      useful += share;
    else if (same != shares.end())
      same->second += share;
    else
      shares.emplace_back(cause, share);
  }
  const auto worst =
      std::max_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  constexpr double negligible = 0.03;
  if (step.stragglers) {
    const double share = step.stragglers->loss / step.step_time;
    if (share >= std::max(worst->second, negligible))
      return {"stragglers", share, "replace " + accelerator_names(step.stragglers->accelerators), true};
  }
  if (worst->second < negligible) return {"GEMMs and attention", useful, "", false};
  const Cause& cause = *worst->first;
  return {cause.name, worst->second, step.layout_advice ? cause.beyond_layout : cause.advice, false};
}

namespace {

/// What other layouts do to a step: "with job.micro_batch=2 it takes 6.21 s, 4.2 % less (faster with 84 %
/// probability)".
std::string tried_text(const LayoutAdvice& advice, Seconds step_time) {
  if (advice.settings.empty()) return fmt::format("none of {} layouts near this one saves 1 %", advice.evaluated);
  return fmt::format("with {} it takes {} s, {} % less (faster with {:.0f} % probability)",
                     fmt::join(advice.settings, " and "), plain_number(advice.step_time.in(second), 3),
                     plain_number(100 * (1 - advice.step_time / step_time), 2), 100 * advice.probability_faster);
}

}  // namespace

std::string name_bottleneck(const StepPrediction& step) {
  if (!step.fits) return step.remedy.empty() ? "memory: " + step.verdict : "memory: " + step.remedy;
  const StepLoss loss = largest_loss(step);
  const std::string tried = step.layout_advice ? tried_text(*step.layout_advice, step.step_time) + "; " : std::string();
  if (loss.advice.empty()) return fmt::format("{}: {}no other cause takes more than 3 % of the step", loss.name, tried);
  return fmt::format("{} ({:.0f} % of the step): {}{}{}", loss.name, 100 * loss.share, tried,
                     loss.tried ? "" : "untried: ", loss.advice);
}

}  // namespace clusterwright
