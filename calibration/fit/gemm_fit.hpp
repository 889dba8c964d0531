/// Fits GemmParameters to measured matrix multiplies of one number format.
#pragma once

#include <string>
#include <vector>

#include "calibration/measurement.hpp"
#include "models/gemm_time.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// One measured call, ready to be predicted.
struct GemmRow {
  GemmShape shape;
  GemmDevice device;
  Bytes element;
  bool quantises = false;  ///< the library takes 16-bit activations and narrows them inside the call
  Seconds time;
  double weight = 1;
};

/// The rows of one accelerator and format, dense problems only and no best-of-search ends.
/// @param format  of the catalog: "bf16", "fp16", "fp8" (one scale per tensor)
/// Every case weighs the same; in it, training shapes (M >= 1024) weigh more.
std::vector<GemmRow> gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                               const std::string& format);

/// What the benchmark would show for a row.
Seconds predicted_time(const GemmRow& row, const GemmParameters& parameters);

/// @param source  of the fitted values
GemmParameters fit_gemm(const std::vector<GemmRow>& rows, const std::string& source);

/// In sample, and with every (N, K) left out in turn; for M >= 1024 and below.
std::vector<FitReport> gemm_reports(const std::vector<GemmRow>& rows, const GemmParameters& fitted,
                                    const std::string& format);

}  // namespace clusterwright
