// SPDX-License-Identifier: Apache-2.0
#include "tools/output/number_ranges.hpp"

#include <fmt/format.h>

namespace clusterwright {

std::string ranges_text(const std::set<int>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int first = *at;
    int last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

}  // namespace clusterwright
