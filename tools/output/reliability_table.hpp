// SPDX-License-Identifier: Apache-2.0
/// Probabilities that one step is faster than another, against how often it was: table and JSON.
#pragma once

#include <vector>

#include "calibration/validation/pair_reliability.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/validation_report.hpp"

namespace clusterwright {

/// `bins`, `axes` and `all`, each line with its figures, which are null without pairs.
JsonValue reliability_json(const PairReliability& reliability);

/// A line for each range of probabilities and each axis that has pairs, then all; empty without pairs. Of several
/// reliabilities the report's held-out ones stand, with what was held out in the title.
std::vector<ResultTable> reliability_tables(const ValidationReport& report);

}  // namespace clusterwright
