// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/bottleneck.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace clusterwright {

namespace {

struct Cause {
  const char* name;
  std::vector<StepCharge> charges;
  const char* advice;
  bool elsewhere = false;  ///< the optimizer's charge counts only where states are not with the accelerator
};

const std::vector<Cause>& causes() {
  static const std::vector<Cause> list = {
      {"pipeline bubble", {StepCharge::bubble}, "more micro-batches per replica, more virtual stages or fewer stages"},
      {"tensor-parallel collectives",
       {StepCharge::tp_exposed},
       "a smaller tensor group, or a stack that overlaps them"},
      {"pipeline messages", {StepCharge::pp_exposed}, "fewer virtual stages, or more network per accelerator"},
      {"data-parallel collectives",
       {StepCharge::dp_exposed},
       "a larger batch per replica, or more network per accelerator"},
      {"imbalance between ranks", {StepCharge::imbalance}, "a more even split of layers"},
      {"wait for input data",
       {StepCharge::input_wait},
       "faster storage, more cores that prepare data, or a deeper prefetch"},
      {"kernel launches", {StepCharge::launch}, "larger micro-batches or captured graphs"},
      {"power limit", {StepCharge::throttle}, "a higher power limit or better cooling"},
      {"recomputation",
       {StepCharge::recompute},
       "more memory for activations, by more stages, sharding or a smaller micro-batch"},
      {"memory-bound kernels",
       {StepCharge::compute_other, StepCharge::optimizer},
       "kernel fusion, or a larger tensor group"},
      {"offloaded optimizer",
       {StepCharge::optimizer},
       "states sharded over more ranks, or kept in faster memory",
       true},
  };
  return list;
}

/// Then what the optimizer takes is copies and a host's work, not kernels.
bool optimizer_is_elsewhere(const StepPrediction& step) {
  return std::any_of(step.tiers.begin(), step.tiers.end(),
                     [](const LevelUse& use) { return use.bytes.optimizer > Bytes{}; });
}

double share_of(const Cause& cause, const StepPrediction& step) {
  double share = 0;
  for (const StepCharge charge : cause.charges)
    if (charge != StepCharge::optimizer || cause.elsewhere == optimizer_is_elsewhere(step))
      share += step.breakdown[static_cast<std::size_t>(charge)] / step.step_time;
  return share;
}

}  // namespace

std::string name_bottleneck(const StepPrediction& step) {
  if (!step.fits) return "memory: " + step.verdict;
  const Cause* worst = nullptr;
  double worst_share = 0;
  for (const Cause& cause : causes()) {
    const double share = share_of(cause, step);
    if (share > worst_share) {
      worst = &cause;
      worst_share = share;
    }
  }
  constexpr double negligible = 0.03;
  if (!worst || worst_share < negligible) return "GEMMs: no other cause takes more than 3 % of the step";
  return fmt::format("{} ({:.0f} % of the step): {}", worst->name, 100 * worst_share, worst->advice);
}

}  // namespace clusterwright
