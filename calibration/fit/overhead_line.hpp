// SPDX-License-Identifier: Apache-2.0
/// Kernel overhead factor of architectures without measured steps, from those of the fitted ones.
#pragma once

#include <vector>

namespace clusterwright {

/// Kernel overhead factor of one architecture, fitted to its steps.
struct OverheadPoint {
  double density = 0;  ///< power_density, mean of its rows
  double log_overhead = 0;
};

/// log(overhead) = middle + slope * (density - reference): in a step the whole part works at once, so the power budget
/// binds harder the more FLOP/s each watt has to supply.
struct OverheadLine {
  double middle = 0;
  double slope = 0;      ///< per TFLOP/s and watt
  double reference = 0;  ///< mean density of the points
  double spread = 0;     ///< standard deviation of the points around the line, mixed with the prior scatter
  double slope_error = 0;
  /// Logarithm of the overhead; never below 0, since no step is faster than its kernels.
  double at(double density) const;
};

/// Every architecture counts once; middle and slope are shrunk towards their priors.
OverheadLine fit_overhead_line(const std::vector<OverheadPoint>& points);

}  // namespace clusterwright
