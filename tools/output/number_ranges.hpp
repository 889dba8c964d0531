// SPDX-License-Identifier: Apache-2.0
/// Whole numbers for people, neighbours as a range.
#pragma once

#include <set>
#include <string>

namespace clusterwright {

/// "0-3, 6"; empty for none.
std::string ranges_text(const std::set<int>& numbers);

}  // namespace clusterwright
