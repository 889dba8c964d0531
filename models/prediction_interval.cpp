#include "models/prediction_interval.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace clusterwright {

namespace {

/// Median of |x| over the standard deviation of a normal x.
constexpr double median_over_sigma = 0.6745;

/// The widest left-out residual among the fits of a family, at the sizes that matter in a training step.
double residual_sigma(const ParameterSet& parameters, std::string_view family) {
  double widest = 0;
  for (const FitReport& fit : parameters.fits) {
    const bool small = fit.name.ends_with("below 1 MB") || fit.name.ends_with("M < 1024");
    if (fit.name.starts_with(family) && !small)
      widest = std::max(widest, fit.left_out_median_abs_log / median_over_sigma);
  }
  return widest;
}

}  // namespace

double step_time_sigma(const StepPrediction& step, const ParameterSet& parameters) {
  const auto share = [&](std::vector<StepCharge> charges) {
    double sum = 0;
    for (const StepCharge charge : charges) sum += step.breakdown[static_cast<std::size_t>(charge)] / step.step_time;
    return sum;
  };
  const double gemm =
      share({StepCharge::compute_gemm, StepCharge::recompute, StepCharge::bubble}) * residual_sigma(parameters, "gemm");
  const double attention = share({StepCharge::compute_attention}) * residual_sigma(parameters, "attention");
  const double memory =
      share({StepCharge::compute_other, StepCharge::optimizer}) * residual_sigma(parameters, "memory");
  const double links = share({StepCharge::tp_exposed, StepCharge::pp_exposed, StepCharge::dp_exposed}) *
                       residual_sigma(parameters, "collectives");
  const double structural = parameters.step.structural_error.value;
  return std::sqrt(gemm * gemm + attention * attention + memory * memory + links * links + structural * structural);
}

}  // namespace clusterwright
