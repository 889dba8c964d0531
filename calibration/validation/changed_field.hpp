// SPDX-License-Identifier: Apache-2.0
/// Errors of what one change does to a job: another accelerator, power limit, number format or release.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"
#include "calibration/validation/ratio_errors.hpp"

namespace clusterwright {

struct ChangedField {
  std::string name;
  RatioFigures figures;
};

/// Ratios over pairs of measured training steps that agree in all that was published but one field: model, layout,
/// batch, number of accelerators, software and machine. Pairs go from the slower measured step to the faster one, those
/// of releases from the earlier to the later. With another accelerator the node and its NICs may differ too. One step
/// of a pair is scored; the other may be a superseded release. Reads fields of model, job and hardware, and no names.
/// @param results  results of `measurements`, in their order
std::vector<ChangedField> changed_fields(const std::vector<Measurement>& measurements,
                                         const std::vector<CaseResult>& results);

}  // namespace clusterwright
