// SPDX-License-Identifier: Apache-2.0
#include "models/comparison/price_spread.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "sim/interval.hpp"

namespace clusterwright {

namespace {

/// Parts of each chapter: the same parts have the same price at every buyer.
std::map<std::string, std::set<std::string>> parts_by_chapter(const CostReport& cost) {
  std::map<std::string, std::set<std::string>> out;
  for (const PricedItem& item : cost.items)
    if (!item.item.part.empty())
      out[std::string(bill_chapter_names[static_cast<std::size_t>(item.item.chapter)])].insert(item.item.part);
  return out;
}

double amount_of(const std::vector<CostShare>& shares, const std::string& name) {
  for (const CostShare& share : shares)
    if (share.name == name) return share.amount.in(dollar);
  return 0;
}

}  // namespace

std::map<std::string, double> price_spread(const CostReport& cost) {
  const auto parts = parts_by_chapter(cost);
  const double total = cost.per_hour.total().in(dollar);
  std::map<std::string, double> out;
  for (const CostShare& share : cost.per_hour_shares) {
    const double width =
        amount_of(cost.high.per_hour_shares, share.name) - amount_of(cost.low.per_hour_shares, share.name);
    const auto bought = parts.find(share.name);
    const std::string cause =
        bought == parts.end() ? share.name : fmt::format("{}: {}", share.name, fmt::join(bought->second, ", "));
    if (width > 0 && total > 0) out[cause] = width / (2 * half_width_90 * total);
  }
  return out;
}

double sigma_of_prices(const CostReport& a, const CostReport& b) {
  std::map<std::string, double> difference = price_spread(a);
  for (const auto& [cause, sigma] : price_spread(b)) difference[cause] -= sigma;
  double sum = 0;
  for (const auto& [cause, sigma] : difference) sum += sigma * sigma;
  return std::sqrt(sum);
}

}  // namespace clusterwright
