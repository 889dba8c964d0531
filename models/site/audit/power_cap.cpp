#include "models/site/audit/power_cap.hpp"

#include "models/kernels/kernel_power.hpp"
#include "models/prediction/clock_settling.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/steady_state.hpp"

namespace clusterwright {

namespace {

/// A second of multiplies that do nothing but keep the matrix units busy.
ClockDemand gemm_demand(const Scenario& s) {
  const double above_idle =
      power_range(s.cluster.accelerator, s.parameters.power, s.parameters.gemm.at("bf16").density_reference.value)
          .in(watt)*s.parameters.power.tensor_weight.value;
  ClockDemand demand;
  demand.clocked = above_idle;
  demand.clocked_time = 1;
  demand.busy = 1;
  return demand;
}

double gemm_clock(const Scenario& s, Watts limit) {
  const Watts headroom = limit - idle_power(s.cluster.accelerator, s.parameters.power);
  return allowed_clock(gemm_demand(s), headroom.in(watt), s.parameters.power.clock_exponent.value);
}

}  // namespace

std::optional<CappedSpeed> speed_at_cap(const Scenario& scenario, const StepPrediction& step, Watts cap) {
  const AcceleratorPart& part = scenario.cluster.accelerator;
  const Watts least = part.min_power_limit ? part.min_power_limit->value : idle_power(part, scenario.parameters.power);
  if (cap <= least) return {};
  Scenario capped = scenario;
  capped.cluster.accelerator.power.value = cap;
  // What kernels draw stays that of the die: without this a part without a reference would shrink with its cap.
  if (!capped.parameters.power.reference_power) capped.parameters.power.reference_power = part.power;
  const Seconds time = to_seconds(summarise_step(capped, step.plan).end);
  return CappedSpeed{gemm_clock(scenario, cap) / gemm_clock(scenario, part.power.value), step.step_time / time};
}

}  // namespace clusterwright
