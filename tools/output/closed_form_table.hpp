// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/output/result_table.hpp"
#include "tools/output/validation_report.hpp"

namespace clusterwright {

/// Errors of the simulator, the closed form and the constants on the same training steps: in sample, and with models,
/// sizes and accelerators held out where the report has a cross-validation. Empty without steps.
ResultTable closed_form_table(const ValidationReport& report);

}  // namespace clusterwright
