/// One measurement of any kind, predicted.
#pragma once

#include <vector>

#include "calibration/measured/measurement_schema.hpp"
#include "calibration/validation/validation_context.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Reads hardware and question of the case, its answer for `measured` only; never its id, source or family to choose a
/// number. Whatever goes wrong stays in this case, as status error with what was said.
CaseResult validate_case(const Measurement& measurement, const ValidationContext& context);

/// The same of a case that may be broken.
CaseResult validate_case(const ReadCase& read, const ValidationContext& context);

}  // namespace clusterwright
