// SPDX-License-Identifier: Apache-2.0
/// Kernel overhead factor of architectures without measured steps, from those of the fitted ones.
///
///   log(overhead) = middle + slope * (density - reference) + effect of the vendor + scatter
///
/// Slope: in a step the whole part works at once, so the power budget binds harder the more FLOP/s each watt has to
/// supply. Effect of the vendor: libraries and compilers of one vendor serve all its architectures, and steps of two
/// architectures of one vendor miss their data sheets alike where those of two vendors do not. Each number has a prior,
/// so one architecture moves its vendor nearly as far as itself lies from the line, and none leaves it on the line.
///
/// Example: on the line 0.06, an architecture at 0.46 whose kernels were measured. Its vendor is 0.25^2 / (0.25^2 +
/// 0.05^2) = 96 % of 0.40 above the line, so another architecture of that vendor gets about 0.44: a factor of 1.55.
///
/// Source: best linear unbiased prediction of random effects (Henderson, "Best linear unbiased estimation and
/// prediction under a selection model", 1975).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace clusterwright {

/// What vendors differ by, as a standard deviation of the logarithm of a step: prior of their effects on the line, and
/// least residual of one without measurements.
inline constexpr double unmeasured_vendor = 0.25;

/// Kernel overhead factor of one architecture, fitted to its steps.
struct OverheadPoint {
  double density = 0;  ///< power_density, mean of its rows
  double log_overhead = 0;
  std::string vendor;
  bool own_kernels = true;  ///< fitted over kernels that were measured on it or a sibling, not over generic ones
};

/// What the architectures of one vendor have in common.
struct VendorOverhead {
  double effect = 0;  ///< logarithm, beyond the line
  double error = 0;   ///< standard deviation of the logarithm of the overhead of another architecture of this vendor
};

struct OverheadLine {
  double middle = 0;
  double slope = 0;      ///< per TFLOP/s and watt
  double reference = 0;  ///< mean density of the points
  double spread = 0;     ///< standard deviation of an architecture around the line, without what vendors differ by
  double slope_error = 0;
  std::map<std::string, VendorOverhead> vendors;  ///< of the points
  /// Logarithm of the overhead; never below 0, since no step is faster than its kernels. A vendor without points has
  /// the line alone.
  double at(double density, const std::string& vendor) const;
};

/// Every architecture counts once.
OverheadLine fit_overhead_line(const std::vector<OverheadPoint>& points);

}  // namespace clusterwright
