// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kernel_power.hpp"

#include <algorithm>

namespace clusterwright {

Watts die_power(const AcceleratorPart& part, const DevicePowerParameters& power, double density) {
  if (!power.reference_power) return part.power.value;
  const Watts as_measured =
      density > 0 ? power_density(part) / density * part.power.value : power.reference_power->value;
  return std::max(part.power.value, as_measured);
}

PowerRange power_range(const AcceleratorPart& part, const DevicePowerParameters& power, double density) {
  const Watts idle = idle_power(part, power);
  return {die_power(part, power, density) - idle, part.power.value - idle};
}

Watts kernel_power(const Activity& activity, const PowerRange& range, const DevicePowerParameters& power,
                   double toggling) {
  const double active = activity.link > 0 ? 0 : power.active_weight.value;
  const double tensor = toggling * (power.tensor_weight.value - active) * activity.tensor;
  return range.die * (active + tensor) +
         range.board * (power.memory_weight.value * activity.memory + power.link_weight.value * activity.link);
}

}  // namespace clusterwright
