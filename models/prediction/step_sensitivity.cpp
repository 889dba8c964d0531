// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_sensitivity.hpp"

#include <algorithm>
#include <functional>

#include "models/prediction/prediction.hpp"
#include "models/prediction/steady_state.hpp"

namespace clusterwright {

namespace {

constexpr double more = 1.1;

struct Resource {
  const char* name;
  std::function<void(Scenario&)> raise;
  std::function<bool(const Scenario&)> used = [](const Scenario&) { return true; };
};

/// What kernels draw stays as it is: only the limit moves.
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
