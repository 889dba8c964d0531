// SPDX-License-Identifier: Apache-2.0
#include "sim/plain_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

std::string plain_number(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{:g}", value);
  constexpr int most_decimals = 12;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const int decimals = std::clamp(digits - 1 - exponent, 0, most_decimals);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string bound_text(double bound) {
  const double size = std::abs(bound);
  constexpr double most = 1e21, least = 1e-6;
  return size > most || (size < least && size > 0) ? fmt::format("{}", bound) : plain_number(bound, 12);
}

}  // namespace clusterwright
