// SPDX-License-Identifier: Apache-2.0
#include "models/job/idle_power.hpp"
#include "sim/plain_number.hpp"

#include <fmt/format.h>

namespace clusterwright {

Watts idle_power(const AcceleratorPart& part, const DevicePowerParameters& power) {
  return power.idle ? power.idle->value : stated_idle_power(part);
}

void check_power_limit(const AcceleratorPart& part, const DevicePowerParameters& power, const Place& place) {
  const Watts idle = idle_power(part, power);
  if (!part.power_limit || *part.power_limit > idle) return;
  throw ConfigError({Diagnostic{"E0349",
                                fmt::format("the power limit of {} W is not above what {} draws when idle",
                                            plain_number(part.power_limit->in(watt)), part.id),
                                {place},
                                plain_number(idle.in(watt)) + " W, by its parameters",
                                "raise it, or leave nodes out instead"}});
}

}  // namespace clusterwright
