#include "calibration/fit/memory_fit.hpp"

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_values.hpp"

namespace clusterwright {

namespace {

/// Start and tail of a kernel, in which memory is not busy.
const Seconds usual_ramp = 1.5 * microsecond;

double log_error(const MemoryRow& row, double share) {
  return std::log(row.data_sheet * share / row.measured);
}

FitResult fit_share(const std::vector<MemoryRow>& rows) {
  FitProblem problem{{{FitScale::share, 0.85, 0.5}}, std::vector<double>(rows.size(), 1.0), {}};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], values[0]);
  };
  return fit_least_squares(problem);
}

}  // namespace

std::vector<MemoryRow> memory_rows(const std::vector<Measurement>& measurements, const std::string& accelerator) {
  std::vector<MemoryRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.memory || measurement.hardware.accelerator != accelerator) continue;
    const MeasuredMemory& memory = *measurement.memory;
    const bool reads_and_writes = memory.op == "copy" || memory.op == "add" || memory.op == "triad";
    if (memory.path == "device-memory" && reads_and_writes)
      out.push_back({memory.op, memory.bandwidth, *measurement.hardware.memory_bandwidth});
  }
  return out;
}

MemoryParameters fit_memory(const std::vector<MemoryRow>& rows, BytesPerSecond data_sheet, const std::string& source) {
  const FitResult fit = fit_share(rows);
  const double half_kb = (usual_ramp * data_sheet).in(kilobyte);
  MemoryParameters out;
  out.bandwidth_share = sourced(fit.values[0], fit.std_errors[0], source);
  out.half_size = sourced(half_kb, half_kb / 2, kilobyte, "prior: 1.5 us to start and drain a kernel");
  return out;
}

FitReport memory_report(const std::vector<MemoryRow>& rows, const MemoryParameters& fitted) {
  const auto fold = [](const MemoryRow& row) { return row.op; };
  const auto refit = [](const std::vector<MemoryRow>& kept) { return fit_share(kept).values[0]; };
  const std::vector<double> left_out = left_out_errors(rows, fold, refit, log_error);
  std::vector<double> seen;
  for (const MemoryRow& row : rows) seen.push_back(log_error(row, fitted.bandwidth_share.value));
  return report("memory", seen, left_out, fitted.bandwidth_share.source + "; left out: each kernel in turn");
}

}  // namespace clusterwright
