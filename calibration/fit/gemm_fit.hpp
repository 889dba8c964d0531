// SPDX-License-Identifier: Apache-2.0
/// Fits GemmParameters to measured GEMMs: one number format, or every format of an accelerator.
///
/// The time of a GEMM (models/kernels/gemm_time.hpp) is a sum of work at a share of the peak, losses at the edges of
/// tiles and waves, and a fixed start; ten numbers describe it. The fit minimises log(predicted / measured) over all
/// shapes at once by robust least squares with priors (least_squares.hpp), so a format with few rows stays near its
/// prior: usual values, or those of a related format on the same device ("fp8" for other 8-bit formats with fewer than
/// 50 points).
///
/// Rows that inform each number: large square shapes the efficiency; small M the fixed time and the bandwidth; short K
/// the prologue of a tile; shapes just above a whole number of waves the wave share. Shares are searched in logit and
/// the rest in log, so no value leaves its range.
///
/// Example: 8192 x 8192 x 8192 in bf16 is 1.10 TFLOP, 1.11 ms at 989 TFLOP/s. Measured 1.45 ms is a share of 0.77. The
/// same shape with M = 64 is 1/128 of the work, 8.7 us, but reads 134 MB of weights, 40 us at 3.35 TB/s: that row
/// informs the bandwidth share, and the efficiency hardly at all.
///
/// Folds: every M of one (N, K) together, since neighbours in M would give the answer away; a generation for the
/// generic set, where the efficiency also falls with peak compute per watt (density_loss): the FLOP/s that a watt
/// has to supply grew from A100 to B200 and the share reached fell.
///
/// Formats without rows take the numbers of a relative, with a factor on the efficiency and its doubt. Source of the
/// shape of the model: docs/models/compute.md, "GEMM time"; errors: docs/validation.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/gemm_rows.hpp"
#include "models/kernels/gemm_time.hpp"

namespace clusterwright {

/// Time that the benchmark would show for a row.
Seconds predicted_time(const GemmRow& row, const GemmParameters& parameters);

/// log(predicted / measured).
double gemm_log_error(const GemmRow& row, const GemmParameters& parameters);

/// Prior of the loss by density: relative time that a GEMM gains for each dense 16-bit TFLOP/s per rated watt
/// (`power_density`). It lies between nothing and the third that three generations lose from A100 to B200.
inline constexpr double usual_density_loss = 0.15;

/// Parts whose rows are fitted together: the loss by power density is an unknown where they differ in density.
enum class GemmFitScope { one_part, many_parts };

/// States the power density that a fit holds at, so that parts of another density can be scaled.
/// @param density  power_density of the measured part
void state_density(double density, const std::string& accelerator, GemmParameters& fit);

/// Fit of one format.
/// @param source  origin of the fitted values
/// @param relative  fit of a related format on the same device, the prior where rows are few; null: usual values
GemmParameters fit_gemm(const std::vector<GemmRow>& rows, const std::string& source,
                        const GemmParameters* relative = nullptr, GemmFitScope scope = GemmFitScope::one_part);

/// Parameters of a format without measurements, from a relative.
/// @param factor  ratio of the two efficiencies
/// @param doubt  one standard deviation of that ratio, relative
GemmParameters borrowed_gemm(const GemmParameters& relative, double factor, double doubt, const std::string& source);

/// Fold of a row: rows with the same name are held out together.
using GemmFold = std::function<std::string(const GemmRow&)>;
std::string shape_fold(const GemmRow& row);         ///< every M of one (N, K)
std::string architecture_fold(const GemmRow& row);  ///< one generation

/// Errors of rows predicted by fits to the other folds.
std::vector<double> held_out_gemm_errors(const std::vector<GemmRow>& rows, const GemmFold& fold,
                                         const GemmParameters* relative = nullptr,
                                         GemmFitScope scope = GemmFitScope::one_part);

/// Errors in sample and held out, for M >= 1024 and below.
/// @param what  follows the sizes in the names of the reports: ", generation held out", or empty
std::vector<FitReport> gemm_reports(const std::vector<GemmRow>& rows, const GemmParameters& fitted,
                                    const std::vector<double>& held_out, const std::string& format,
                                    const std::string& what, const std::string& rows_from);

struct GemmSet {
  std::map<std::string, GemmParameters> gemm;  ///< keys: GemmFormat::key
  std::vector<FitReport> fits;
  double longest_teraflop = 0;  ///< longest measured 16-bit call
};

/// Parameters of all formats that `part` has units for, from its own rows and, where they are few, those of the same
/// die. Formats without rows follow the nearest measured format; weight-only kernels follow any accelerator.
/// @param siblings  parts with the same die
GemmSet fit_gemm_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                     const std::vector<const AcceleratorPart*>& siblings, const std::vector<AcceleratorPart>& catalog);

/// One set for accelerators without measurements: rows of all parts relative to their data sheets, every generation
/// with the same weight. Each generation is held out in turn.
GemmSet fit_generic_gemm(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
