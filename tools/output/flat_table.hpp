// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/prediction/prediction.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Every number of every size on one line, for spreadsheets; columns are the keys of the JSON result.
ResultTable flat_table(const ScaleCurve& curve);

}  // namespace clusterwright
