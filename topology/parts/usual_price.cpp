// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/usual_price.hpp"

namespace clusterwright {

std::optional<double> usual_price_usd(const std::map<std::string, Sourced<double>>& price_usd) {
  const auto find = [&](const char* key) {
    const auto found = price_usd.find(key);
    return found == price_usd.end() ? std::optional<double>() : found->second.value;
  };
  if (const auto list = find("list")) return list;
  const auto low = find("low"), high = find("high");
  if (low && high) return (*low + *high) / 2;
  return low ? low : high;
}

}  // namespace clusterwright
