// SPDX-License-Identifier: Apache-2.0
/// A text with one part replaced.
#pragma once

#include <string>

#include "support/catch.hpp"

namespace clusterwright::testing {

/// `from` must occur; its first occurrence is replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace clusterwright::testing
