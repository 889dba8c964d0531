// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/bottleneck.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

namespace {

struct Cause {
  const char* name;
  const char* advice;
};

namespace causes {

constexpr Cause pipeline_bubble{"pipeline bubble",
                                "more micro-batches per replica, more virtual stages or fewer stages"};
constexpr Cause tensor{"tensor-parallel collectives", "a smaller tensor group, or a stack that overlaps them"};
constexpr Cause context{"context-parallel exchange", "a smaller context group, or another context_exchange"};
constexpr Cause experts{"expert-parallel exchange",
                        "experts over fewer ranks or inside a scale-up domain, or a stack that overlaps the exchange"};
constexpr Cause messages{"pipeline messages", "fewer virtual stages, or more network per accelerator"};
constexpr Cause data{"data-parallel collectives", "a larger batch per replica, or more network per accelerator"};
constexpr Cause uneven_ranks{"imbalance between ranks", "a more even split of layers"};
constexpr Cause uneven_nodes{"ranks that wait for slower nodes",
                             "stages instead of replicas on them (parallel.order), with fewer layers (stage_layers)"};
constexpr Cause uneven_experts{"imbalance of experts",
                               "a router that balances better, a capacity factor, or more experts per rank"};
constexpr Cause input{"wait for input data",
                      "a faster store or way to it, more cores that prepare data, or a deeper prefetch"};
constexpr Cause launch{"kernel launches", "larger micro-batches or captured graphs"};
constexpr Cause throttle{"power limit", "a higher power limit or better cooling"};
constexpr Cause recompute{"recomputation",
                          "more memory for activations, by more stages, sharding or a smaller micro-batch"};
constexpr Cause memory{"memory-bound kernels", "kernel fusion, or a larger tensor group"};
constexpr Cause elsewhere{"offloaded optimizer", "states sharded over more ranks, or kept in faster memory"};
constexpr Cause jitter{"jitter", "hosts and links that disturb the job less"};

}  // namespace causes

/// What the optimizer takes where its states are not on the device is copies and a host's work, not kernels.
bool optimizer_is_elsewhere(const StepPrediction& step) {
  return std::any_of(step.tiers.begin(), step.tiers.end(),
                     [](const LevelUse& use) { return use.bytes.optimizer > Bytes{}; });
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
      return &causes::pipeline_bubble;
    case StepCharge::imbalance:
      return step.mixed ? &causes::uneven_nodes : &causes::uneven_ranks;
    case StepCharge::ep_imbalance:
      return &causes::uneven_experts;
    case StepCharge::input_wait:
      return &causes::input;
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
      return {"stragglers", share, "replace " + accelerator_names(step.stragglers->accelerators)};
  }
  if (worst->second < negligible) return {"GEMMs and attention", useful, ""};
  return {worst->first->name, worst->second, worst->first->advice};
}

std::string name_bottleneck(const StepPrediction& step) {
  if (!step.fits) return step.remedy.empty() ? "memory: " + step.verdict : "memory: " + step.remedy;
  const StepLoss loss = largest_loss(step);
  if (loss.advice.empty()) return loss.name + ": no other cause takes more than 3 % of the step";
  return fmt::format("{} ({:.0f} % of the step): {}", loss.name, 100 * loss.share, loss.advice);
}

}  // namespace clusterwright
