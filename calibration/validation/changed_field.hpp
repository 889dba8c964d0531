// SPDX-License-Identifier: Apache-2.0
/// Errors of what one change does to a job: another accelerator, number format or release.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"
#include "calibration/validation/ratio_errors.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct ChangedField {
  std::string name;
  RatioFigures figures;
};

/// Ratios over pairs of steps that differ in one thing, and in what follows it (step_pairs.hpp), with their weights.
/// Ties count, and so do superseded releases beside a scored step: most releases of a job are superseded. Pairs go from
/// the slower measured step to the faster one, those of releases from the earlier to the later.
/// @param results  results of `measurements`, in their order
std::vector<ChangedField> changed_fields(const std::vector<Measurement>& measurements,
                                         const std::vector<CaseResult>& results, const Catalog& catalog);

}  // namespace clusterwright
