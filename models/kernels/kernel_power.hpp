// SPDX-License-Identifier: Apache-2.0
/// Power of one accelerator: its range above idle, and that of a running kernel.
#pragma once

#include "models/job/idle_power.hpp"
#include "models/job/parameters.hpp"
#include "sim/step_graph.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Power of the die without the limit of its board: its peak times the watts per FLOP/s of the measured part, and at
/// least the rating.
/// @param density  TFLOP/s per watt of the part that `power` was fitted on; 0: `part` is that part
Watts die_power(const AcceleratorPart& part, const DevicePowerParameters& power, double density = 0);

/// Power above idle that the units of a part can draw.
struct PowerRange {
  Watts die;    ///< multiprocessors: die_power less idle_power
  Watts board;  ///< memory and links, which do not grow with the peak of the matrix units: rating less idle_power
};
PowerRange power_range(const AcceleratorPart& part, const DevicePowerParameters& power, double density = 0);

/// Power of a running kernel above idle, at the reference clock:
///   die * (active_weight + toggling * (tensor_weight - active_weight) * tensor)
///     + board * (memory_weight * memory + link_weight * link)
/// Kernels of collectives hold few multiprocessors, so that `active_weight` is left out where links are active; all
/// others keep the whole die clocked and issuing.
/// @param range     power_range of the part
/// @param toggling  power of the matrix units with these operands over that with random ones
Watts kernel_power(const Activity& activity, const PowerRange& range, const DevicePowerParameters& power,
                   double toggling = 1);

}  // namespace clusterwright
