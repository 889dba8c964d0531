// SPDX-License-Identifier: Apache-2.0
/// A pipeline that schedules can be told apart on.
#pragma once

#include "support/small_scenario.hpp"

namespace clusterwright::testing {

/// Four stages on 16 accelerators. @param layers  of the whole model
inline SmallCase four_stages(PipelineSchedule schedule, int micro_batches, int layers) {
  SmallCase c;
  c.schedule = schedule;
  c.tensor = 2;
  c.pipeline = 4;
  c.data = 2;
  c.micro_batches = micro_batches;
  c.layers = layers;
  return c;
}

}  // namespace clusterwright::testing
