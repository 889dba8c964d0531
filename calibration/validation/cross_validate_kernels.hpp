/// Judges the fits of matrix multiplies, memory and the host link by what they did not see.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/held_out.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// What the fit did not see of the row that it predicts.
enum class KernelFold {
  shape,        ///< every M of its N and K; its streaming kernel
  accelerator,  ///< its accelerator, where one of the same architecture remains
  generation    ///< its architecture: the prediction comes from the data sheet and measured relatives
};

/// One row predicted by a fit that did not see its fold.
struct LeftOutRow {
  std::string kernel;       ///< "gemm/bf16", "memory", "host link"
  std::string accelerator;  ///< empty for memory and host link
  std::string architecture;
  bool large = true;  ///< M >= 1024
  double error = 0;   ///< log(predicted / measured)
};

/// Rows that cannot be left out that way (no relative remains) are missing. Seconds of computing.
std::vector<LeftOutRow> left_out_kernels(const std::vector<Measurement>& measurements,
                                         const std::vector<AcceleratorPart>& catalog, KernelFold fold);

/// In the terms of the targets: matrix multiplies by architecture, from M of 1024 and below; memory and host link.
std::vector<LeftOutFigures> cross_validate_kernels(const std::vector<Measurement>& measurements,
                                                   const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
