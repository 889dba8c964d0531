// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/output/validation_report.hpp"

namespace clusterwright {

/// One self-contained page: verdict, predicted against measured by unit, errors and intervals by family, tables,
/// inputs.
/// @param command_line  as typed
std::string validation_page(const ValidationReport& report, const std::string& command_line);

}  // namespace clusterwright
