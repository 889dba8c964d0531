// SPDX-License-Identifier: Apache-2.0
/// Answer of `plan` as one page to forward.
#pragma once

#include <string>

#include "tools/output/plan_answer.hpp"

namespace clusterwright {

/// @param command_line  as typed, for repetition
std::string plan_page(const PlanAnswer& answer, const std::string& command_line);

}  // namespace clusterwright
