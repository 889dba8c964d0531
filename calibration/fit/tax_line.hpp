/// What steps lose beyond their kernels, on architectures whose steps nobody measured.
#pragma once

#include <vector>

namespace clusterwright {

/// Kernel tax of one architecture, fitted to its steps.
struct TaxPoint {
  double density = 0;  ///< power_density, mean of its rows
  double log_tax = 0;
};

/// log tax = middle + slope * (density - reference): in a step the whole part works at once, so that the power budget
/// binds more the more FLOPs each watt has to pay for.
struct TaxLine {
  double middle = 0;
  double slope = 0;      ///< per TFLOP/s and watt
  double reference = 0;  ///< mean density of the points
  double spread = 0;     ///< standard deviation of the points around it, and of the belief where they are few
  double slope_error = 0;
  /// Never below 0: no step is faster than its kernels.
  double at(double density) const;
};

/// Every architecture one vote; both numbers shrunk towards what is believed before any step was seen.
TaxLine fit_tax_line(const std::vector<TaxPoint>& points);

}  // namespace clusterwright
