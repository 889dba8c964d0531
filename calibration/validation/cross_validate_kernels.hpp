// SPDX-License-Identifier: Apache-2.0
/// Cross-validation of the fits of GEMMs, memory and the host link.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/held_out.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Rows that a fit does without when it predicts a row.
enum class KernelFold {
  shape,        ///< every M of its N and K; its streaming kernel
  accelerator,  ///< its accelerator, where one of the same architecture remains
  generation    ///< its architecture: the prediction comes from the data sheet and measured relatives
};

/// One row predicted by a fit to the other folds.
struct HeldOutRow {
  std::string kernel;       ///< "gemm/bf16", "memory", "host link"
  std::string accelerator;  ///< empty for memory and host link
  std::string architecture;
  bool large = true;  ///< M >= 1024
  double error = 0;   ///< log(predicted / measured)
};

/// Rows predicted with their fold held out; rows without a remaining relative are missing. Takes seconds.
std::vector<HeldOutRow> held_out_kernels(const std::vector<Measurement>& measurements,
                                         const std::vector<AcceleratorPart>& catalog, KernelFold fold);

/// Errors of all folds: GEMMs by architecture, from M of 1024 and below; memory and host link.
std::vector<HeldOutFigures> cross_validate_kernels(const std::vector<Measurement>& measurements,
                                                   const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
