// SPDX-License-Identifier: Apache-2.0
/// How often one text stands in another.
#pragma once

#include <string>

namespace clusterwright {

inline std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace clusterwright
