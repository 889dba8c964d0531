/// Fits GemmParameters to measured GEMMs: of one number format, and of every format of an accelerator.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/gemm_rows.hpp"
#include "models/kernels/gemm_time.hpp"

namespace clusterwright {

/// What the benchmark would show for a row.
Seconds predicted_time(const GemmRow& row, const GemmParameters& parameters);

/// log(predicted / measured).
double gemm_log_error(const GemmRow& row, const GemmParameters& parameters);

/// How much longer a multiply takes for each dense 16-bit TFLOP/s per rated watt (models/power_density.hpp), before any
/// measurement: between nothing and the third that three generations lose from A100 to B200.
inline constexpr double usual_density_loss = 0.15;

/// Rows of parts that differ in power density tell what density costs; those of one part, or of equal ones, do not.
enum class GemmFitScope { one_part, many_parts };

/// @param source    of the fitted values
/// @param relative  what a related format showed on the same device: where few rows exist, they move it and do not
///                  replace it; null: usual values
GemmParameters fit_gemm(const std::vector<GemmRow>& rows, const std::string& source,
                        const GemmParameters* relative = nullptr, GemmFitScope scope = GemmFitScope::one_part);

/// What nobody measured takes the values of a relative.
/// @param factor  by which its efficiency changes
/// @param doubt   one standard deviation of that, relative
GemmParameters borrowed_gemm(const GemmParameters& relative, double factor, double doubt, const std::string& source);

/// Rows with the same answer are left out together.
using GemmFold = std::function<std::string(const GemmRow&)>;
std::string shape_fold(const GemmRow& row);         ///< every M of one (N, K)
std::string architecture_fold(const GemmRow& row);  ///< a generation

/// Errors of rows predicted by fits that did not see their fold.
std::vector<double> gemm_left_out(const std::vector<GemmRow>& rows, const GemmFold& fold,
                                  const GemmParameters* relative = nullptr,
                                  GemmFitScope scope = GemmFitScope::one_part);

/// In sample and left out, for M >= 1024 and below.
/// @param what  follows the sizes in the names of the reports: ", generation left out", or empty
std::vector<FitReport> gemm_reports(const std::vector<GemmRow>& rows, const GemmParameters& fitted,
                                    const std::vector<double>& left_out, const std::string& format,
                                    const std::string& what, const std::string& rows_from);

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
