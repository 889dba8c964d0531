#include "calibration/fit/gemm_fit.hpp"

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_values.hpp"

namespace clusterwright {

namespace {

constexpr std::int64_t training_rows = 1024;  // M of the smallest matrix multiply in a usual training step
constexpr double small_m_weight = 0.15;       // keeps decode shapes sane without bending training shapes

/// Order of the parameter vector; the last two only where the format needs a quantisation.
enum : std::size_t { efficiency, tile_penalty, k_overhead, fixed_us, bandwidth_share, long_loss, cast_bytes, cast_us };

std::vector<FitParameter> priors(bool with_cast) {
  std::vector<FitParameter> out(with_cast ? 8 : 6);
  out[efficiency] = {FitScale::share, 0.8, 0.7};
  out[tile_penalty] = {FitScale::positive, 0.05, 1.0};
  out[k_overhead] = {FitScale::positive, 100, 1.0};
  out[fixed_us] = {FitScale::positive, 4, 0.7};
  out[bandwidth_share] = {FitScale::share, 0.8, 0.5};
  out[long_loss] = {FitScale::positive, 0.2, 0.7};
  if (with_cast) out[cast_bytes] = {FitScale::positive, 6, 0.7};
  if (with_cast) out[cast_us] = {FitScale::positive, 5, 1.0};
  return out;
}

GemmParameters parameters_of(const std::vector<double>& value, const std::vector<double>& error,
                             const std::string& source) {
  GemmParameters out;
  out.efficiency = sourced(value[efficiency], error[efficiency], source);
  out.tile_penalty = sourced(value[tile_penalty], error[tile_penalty], source);
  out.k_overhead = sourced(value[k_overhead], error[k_overhead], source);
  out.fixed = sourced(value[fixed_us], error[fixed_us], microsecond, source);
  out.bandwidth_share = sourced(value[bandwidth_share], error[bandwidth_share], source);
  out.long_kernel_loss = sourced(value[long_loss], error[long_loss], source);
  const bool with_cast = value.size() > cast_bytes;
  const std::string no_cast = "definition: 16-bit operands are not quantised";
  out.cast_bytes = with_cast ? sourced(value[cast_bytes], error[cast_bytes], source) : sourced(0, 0, no_cast);
  out.cast_fixed =
      with_cast ? sourced(value[cast_us], error[cast_us], microsecond, source) : sourced(0, 0, microsecond, no_cast);
  return out;
}

/// Values without their origin, cheap enough for the inside of a fit.
void assign(const std::vector<double>& value, GemmParameters& out) {
  out.efficiency.value = value[efficiency];
  out.tile_penalty.value = value[tile_penalty];
  out.k_overhead.value = value[k_overhead];
  out.fixed.value = value[fixed_us] * microsecond;
  out.bandwidth_share.value = value[bandwidth_share];
  out.long_kernel_loss.value = value[long_loss];
  if (value.size() <= cast_bytes) return;
  out.cast_bytes.value = value[cast_bytes];
  out.cast_fixed.value = value[cast_us] * microsecond;
}

std::string dtype_of(const std::string& format) {
  return format == "fp8" ? "fp8-tensor" : format;
}

/// Sheets that give only one 16-bit rate mean both formats.
FlopsPerSecond peak_of(const MeasuredHardware& hardware, const std::string& format) {
  const auto found = hardware.peak_dense.find(format);
  return found != hardware.peak_dense.end() ? found->second : hardware.peak_dense.at("bf16");
}

void add_rows(const Measurement& measurement, const AcceleratorPart& part, const std::string& format,
              std::vector<GemmRow>& out) {
  const MeasuredGemm& gemm = *measurement.gemm;
  const GemmDevice device{peak_of(measurement.hardware, format), *measurement.hardware.memory_bandwidth,
                          part.multiprocessors->value};
  const bool narrow = format == "fp8";
  double total = 0;
  for (const auto& point : gemm.points) total += point.m >= training_rows ? 1 : small_m_weight;
  for (const auto& point : gemm.points) {
    const double weight = (point.m >= training_rows ? 1 : small_m_weight) / std::sqrt(total);
    out.push_back({{point.m, point.n, point.k},
                   device,
                   (narrow ? 1.0 : 2.0) * byte,
                   narrow && gemm.library == "tensorrt-llm",
                   point.time,
                   weight});
  }
}

double log_error(const GemmRow& row, const GemmParameters& parameters) {
  return std::log(predicted_time(row, parameters) / row.time);
}

}  // namespace

std::vector<GemmRow> gemm_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                               const std::string& format) {
  std::vector<GemmRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.gemm || measurement.hardware.accelerator != part.id) continue;
    const MeasuredGemm& gemm = *measurement.gemm;
    if (gemm.dtype == dtype_of(format) && gemm.groups == 1 && !gemm.best_of_search)
      add_rows(measurement, part, format, out);
  }
  return out;
}

Seconds predicted_time(const GemmRow& row, const GemmParameters& parameters) {
  const GemmCost cost = gemm_cost(row.shape, row.device, parameters, row.element, 2 * byte, 1);
  const Seconds quantisation = row.quantises ? quantisation_time(row.shape, row.device, parameters) : Seconds{};
  return cost.time + cost.fixed + quantisation;
}

GemmParameters fit_gemm(const std::vector<GemmRow>& rows, const std::string& source) {
  const bool with_cast = !rows.empty() && rows.front().element < 2 * byte;
  FitProblem problem;
  problem.parameters = priors(with_cast);
  for (const GemmRow& row : rows) problem.weights.push_back(row.weight);
  GemmParameters trial;
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    assign(values, trial);
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], trial);
  };
  const FitResult fit = fit_least_squares(problem);
  return parameters_of(fit.values, fit.std_errors, source);
}

std::vector<FitReport> gemm_reports(const std::vector<GemmRow>& rows, const GemmParameters& fitted,
                                    const std::string& format) {
  const auto fold = [](const GemmRow& row) { return std::pair(row.shape.n, row.shape.k); };
  const auto refit = [](const std::vector<GemmRow>& kept) { return fit_gemm(kept, ""); };
  const std::vector<double> left_out = left_out_errors(rows, fold, refit, log_error);
  std::vector<double> seen[2], unseen[2];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t small = rows[i].shape.m < training_rows;
    seen[small].push_back(log_error(rows[i], fitted));
    unseen[small].push_back(left_out[i]);
  }
  const std::string rows_from = fitted.efficiency.source + "; left out: each N and K in turn";
  return {report("gemm/" + format + ", M >= 1024", seen[0], unseen[0], rows_from),
          report("gemm/" + format + ", M < 1024", seen[1], unseen[1], rows_from)};
}

}  // namespace clusterwright
