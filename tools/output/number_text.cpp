// SPDX-License-Identifier: Apache-2.0
#include "tools/output/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Commas between groups of three digits before the point.
std::string grouped(std::string text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > begin + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.starts_with('-')) text.erase(0, 1);  // -0.00
  return grouped(std::move(text));
}

std::string significant_text(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fixed_text(value, 0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fixed_text(value, std::clamp(digits - 1 - magnitude, 0, 12));
}

std::string count_text(long long value) {
  return grouped(std::to_string(value));
}

std::string percent_text(double share, int decimals) {
  return fixed_text(100 * share, decimals) + " %";
}

std::string exact_text(double value) {
  return fmt::format("{}", value);
}

std::string power_text(Watts power) {
  if (power >= megawatt) return significant_text(power.in(megawatt), 3) + " MW";
  if (power >= kilowatt) return significant_text(power.in(kilowatt), 3) + " kW";
  return significant_text(power.in(watt), 3) + " W";
}

std::string money_text(Dollars money) {
  const double usd = money.in(dollar);
  const std::string sign = usd < 0 ? "-$" : "$";
  const double size = std::abs(usd);
  if (size >= 1e9) return sign + significant_text(size / 1e9, 3) + " bn";
  if (size >= 1e6) return sign + significant_text(size / 1e6, 3) + " M";
  return sign + fixed_text(size, size >= 1000 || size == 0 ? 0 : 2);
}

}  // namespace clusterwright
