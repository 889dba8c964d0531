#include "models/step_sensitivity.hpp"

#include <algorithm>
#include <functional>

#include "models/steady_state.hpp"

namespace clusterwright {

namespace {

constexpr double more = 1.1;

struct Resource {
  const char* name;
  std::function<void(Scenario&)> raise;
};

const std::vector<Resource>& resources() {
  static const std::vector<Resource> list = {
      {"matrix rate at the same power",
       [](Scenario& s) {
         for (auto& [format, rate] : s.cluster.accelerator.peak_dense_tflops) rate.value *= more;
       }},
      {"power limit of the accelerator",
       [](Scenario& s) {
         // What a kernel draws at the reference clock stays as it is: only the limit moves.
         const Watts idle = s.cluster.accelerator.idle_power ? s.cluster.accelerator.idle_power->value
                                                             : 0.1 * s.cluster.accelerator.power.value;
         const double range =
             (s.cluster.accelerator.power.value * more - idle) / (s.cluster.accelerator.power.value - idle);
         s.cluster.accelerator.power.value *= more;
         auto& p = s.parameters.power;
         for (auto* weight : {&p.tensor_weight, &p.memory_weight, &p.link_weight, &p.waiting_share})
           weight->value /= range;
       }},
      {"device memory bandwidth", [](Scenario& s) { s.cluster.accelerator.memory_bandwidth.value *= more; }},
      {"scale-up bandwidth", [](Scenario& s) { s.cluster.scale_up_bandwidth *= more; }},
      {"network bandwidth", [](Scenario& s) { s.cluster.nic_bandwidth *= more; }},
      {"speed of the host", [](Scenario& s) { s.stack.kernel_launch.value *= 1 / more; }},
  };
  return list;
}

}  // namespace

std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step) {
  std::vector<StepSensitivity> out;
  for (const Resource& resource : resources()) {
    Scenario changed = scenario;
    resource.raise(changed);
    const Seconds time = to_seconds(summarise_step(changed, step.plan).end);
    out.push_back({resource.name, time / step.step_time - 1});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step_change < b.step_change; });
  return out;
}

}  // namespace clusterwright
