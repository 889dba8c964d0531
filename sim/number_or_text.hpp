// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

namespace clusterwright {

/// Number or words: 1200, "NVLink 3".
using NumberOrText = std::variant<double, std::string>;

}  // namespace clusterwright
