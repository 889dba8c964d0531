// SPDX-License-Identifier: Apache-2.0
/// Power of an idle accelerator, and limits that it leaves room for.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/diagnostic.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Power of an idle accelerator: the measured one, else that of the data sheet, else a tenth of the rating.
Watts idle_power(const AcceleratorPart& part, const DevicePowerParameters& power);

/// Refuses a power limit that an idle accelerator reaches. The rules of parts know the data sheet alone; what was
/// measured may idle at more.
/// @throws ConfigError E0349
void check_power_limit(const AcceleratorPart& part, const DevicePowerParameters& power, const Place& place);

}  // namespace clusterwright
