// SPDX-License-Identifier: Apache-2.0
/// Standard deviation whose 90 % interval holds 90 % of some errors.
#pragma once

#include <vector>

namespace clusterwright {

/// Share of errors that intervals should hold.
inline constexpr double share_of_errors = 0.90;

/// Standard deviation that errors of some rows miss beyond variances that are known.
double width_beyond(const std::vector<double>& errors, const std::vector<double>& known,
                    const std::vector<double>& weights);

/// Standard deviation whose 90 % interval holds 90 % of the errors, by weight.
double error_width(const std::vector<double>& errors, const std::vector<double>& weights);

}  // namespace clusterwright
