/// Fits the matrix multiplies of every number format, of one accelerator or of all together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/gemm_fit.hpp"

namespace clusterwright {

struct GemmSet {
  std::map<std::string, GemmParameters> gemm;  ///< by GemmFormat::key
  std::vector<FitReport> fits;
  double longest_teraflop = 0;  ///< of the measured 16-bit calls
};

/// Formats that `part` multiplies in. Its own rows, with those of the same die where they are few; formats that nobody
/// measured on it follow its nearest measured format, kernels that widen their weights those of any accelerator.
/// @param siblings  parts with the same die
GemmSet fit_gemm_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                     const std::vector<const AcceleratorPart*>& siblings, const std::vector<AcceleratorPart>& catalog);

/// One set for accelerators that nobody measured: rows of all of them relative to their data sheets, every generation
/// one vote. Its reports leave each generation out in turn.
GemmSet fit_gemm_transfer(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
