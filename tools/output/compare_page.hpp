// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/output/compare_answer.hpp"

namespace clusterwright {

/// Answer of `compare` as a page to forward. @param command_line  as typed
std::string compare_page(const CompareAnswer& answer, const std::string& title, const std::string& command_line);

}  // namespace clusterwright
