// SPDX-License-Identifier: Apache-2.0
/// Numbers as people read them. Files carry numbers in full; only tables, reports and sentences come through here.
#pragma once

#include <string>

#include "sim/quantity.hpp"

namespace clusterwright {

/// A fixed number of digits behind the point, thousands grouped: 1,234,567.8.
std::string fixed_text(double value, int decimals);

/// About `digits` significant digits, never in powers of ten, thousands grouped: 0.0312, 4.57, 1,235.
std::string significant_text(double value, int digits = 4);

/// 16,384.
std::string count_text(long long value);

/// 12.3 %.
std::string percent_text(double share, int decimals = 1);

/// The shortest text that reads back as the same number, for machines.
std::string exact_text(double value);

/// "1.23 MW", "812 kW", "1.72 kW", "98 W".
std::string power_text(Watts power);
/// "$43.2 M", "$25,000", "$2.31".
std::string money_text(Dollars money);

}  // namespace clusterwright
