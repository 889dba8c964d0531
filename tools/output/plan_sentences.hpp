// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/output/plan_answer.hpp"

namespace clusterwright {

/// What to buy, what binds, rent against buying, what the answer rests on.
std::vector<std::string> purchase_sentences(const PlanAnswer& answer);

}  // namespace clusterwright
