// SPDX-License-Identifier: Apache-2.0
/// How far the device memory of training steps lies from published peaks.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/memory/memory_use.hpp"
#include "models/search/choose_plan.hpp"

namespace clusterwright {

/// Memory of the fullest rank as it was reported: without what lies outside the allocator where only that was, as the
/// case says, or else as its framework does.
MemoryUse reported_memory(const ChosenPlan& chosen, const MeasuredStep& step);

/// Published peak of one training step, beside what the models say.
struct PeakRow {
  std::string series;  ///< stack and accelerator
  bool known = true;   ///< the stack has an entry of its own in the step calibration
  Bytes measured;
  MemoryUse use;
};

/// Scored steps with a published peak that the models can describe.
std::vector<PeakRow> peak_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Widths of the peaks' errors beyond counted bytes, each pair of stack and accelerator counting once. Rows whose peak
/// is below what is counted stand for a tenth of what is not.
MemoryResiduals memory_residuals(const std::vector<PeakRow>& rows);

}  // namespace clusterwright
