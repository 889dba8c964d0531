// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/steady_state.hpp"

namespace clusterwright {

namespace {

struct Cause {
  const char* name;
  std::vector<StepCharge> charges;
  const char* advice;
  bool elsewhere = false;  ///< counts only if the optimizer's states are not on the device
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

namespace {

constexpr double more = 1.1;

struct Resource {
  const char* name;
  std::function<void(Scenario&)> raise;
  std::function<bool(const Scenario&)> used = [](const Scenario&) { return true; };
};

/// Keeps the power of kernels, so that only the limit moves.
void raise_power_limit(Scenario& s) {
  AcceleratorPart& part = s.cluster.accelerator;
  DevicePowerParameters& p = s.parameters.power;
  const Watts idle = part.idle_power ? part.idle_power->value : 0.1 * part.power.value;
  const Watts reference = p.reference_power ? p.reference_power->value : Watts{};
  const Watts before = std::max(part.power.value, reference) - idle;
  part.power.value *= more;
  const double range = (std::max(part.power.value, reference) - idle) / before;
  for (auto* weight : {&p.tensor_weight, &p.memory_weight, &p.link_weight, &p.waiting_share, &p.active_weight})
    weight->value /= range;
}

template <class... Rates>
void raise_rates(Rates&... rates) {
  const auto raise = [](auto& rate) {
    if (rate) *rate *= more;
  };
  (raise(rates), ...);
}

void raise_input(Scenario& s) {
  StorageSpec& shared = s.cluster.spec.storage;
  InputSpec& input = *s.job.input;
  raise_rates(input.tokens_per_core, input.storage.read, input.storage.host_read, shared.read, shared.host_read);
  if (input.from == Store::local) raise_rates(s.cluster.spec.node.host.nvme_read);
}

void raise_tiers(Scenario& s) {
  HostSpec& host = s.cluster.spec.node.host;
  raise_rates(host.memory_bandwidth, host.nvme_read, host.nvme_write);
  if (auto& pool = s.cluster.spec.pool) raise_rates(pool->accelerator, pool->total);
}

const std::vector<Resource>& resources() {
  static const std::vector<Resource> list = {
      {"GEMM rate at the same power",
       [](Scenario& s) {
         for (auto& [format, rate] : s.cluster.accelerator.peak_dense_tflops) rate.value *= more;
       }},
      {"power limit of the accelerator", raise_power_limit},
      {"device memory bandwidth", [](Scenario& s) { s.cluster.accelerator.memory_bandwidth.value *= more; }},
      {"scale-up bandwidth", [](Scenario& s) { s.cluster.scale_up_bandwidth *= more; }},
      {"network bandwidth", [](Scenario& s) { s.cluster.nic_bandwidth *= more; }},
      {"speed of the host", [](Scenario& s) { s.stack.kernel_launch.value *= 1 / more; }},
      {"storage and preparation of data", raise_input, [](const Scenario& s) { return s.job.input.has_value(); }},
      {"host memory, drives and pool", raise_tiers, [](const Scenario& s) { return s.job.offload.any(); }},
  };
  return list;
}

}  // namespace

std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step) {
  std::vector<StepSensitivity> out;
  for (const Resource& resource : resources()) {
    if (!resource.used(scenario)) continue;
    Scenario changed = scenario;
    resource.raise(changed);
    const Seconds time = to_seconds(summarise_step(changed, step.plan).end);
    out.push_back({resource.name, time / step.step_time - 1});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step_change < b.step_change; });
  return out;
}

}  // namespace clusterwright
