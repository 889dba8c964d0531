// SPDX-License-Identifier: Apache-2.0
/// Closed form of the time of a training step: a roofline with a few fitted factors, to hold the simulator against.
///
///   step = m * slowest stage + (sum of stages - slowest) / v + exposed gradient reduction + optimizer
///
/// m micro-batches, v virtual stages. A stage is its layers, the last one with the head. A layer is its GEMMs,
/// attention and element-wise traffic, in a smooth maximum with the time of the host to issue them, plus the exposed
/// part of tensor, context and expert exchanges; layers of sharded weights add what their gathers cost.
///
/// It lowers nothing and replays nothing. It reads dimensions, plan, data sheet, link rates and which overlaps a stack
/// has: no fitted parameter of the simulator.
///
/// Example: a stage of 10 layers of 4 ms each way, no communication, p = 2, m = 8, v = 1. The step is
/// 8 x 80 ms + (160 ms - 80 ms) = 720 ms, of which 80 ms are bubble.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// Factors on the parts of a step.
struct ClosedFormFactors {
  double compute = 1;        ///< kernels of the accelerator
  double communication = 1;  ///< exposed exchanges
  double host = 1;           ///< time to issue a kernel
  double overlap = 1;        ///< what hidden exchanges cost the kernels beside them
};

/// Time of one step.
/// @pre the plan belongs to the job (choose_plan)
Seconds closed_form_step(const Scenario& scenario, const Plan& plan, const ClosedFormFactors& factors);

}  // namespace clusterwright
