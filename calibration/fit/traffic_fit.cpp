// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/traffic_fit.hpp"

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vectors.
enum : std::size_t { mixed, reading, half_kb };
enum : std::size_t { copy_share, start_us };

/// A belief at a bound of its scale would leave the search no way to go.
double inside(double share) {
  return std::min(0.99, std::max(0.01, share));
}

}  // namespace

StreamFit::StreamFit(BytesPerSecond data_sheet, const MemoryParameters& believed)
    : data_sheet_(data_sheet), believed_(believed) {}

double StreamFit::log_error(const TrafficRow& row, const MemoryParameters& parameters) const {
  return std::log(streaming_time(row.traffic, row.writes, data_sheet_, parameters) / row.time);
}

MemoryParameters StreamFit::fit(const std::vector<TrafficRow>& rows, const std::string& source) const {
  FitProblem problem{{{FitScale::share, inside(believed_.bandwidth_share.value), 0.7},
                      {FitScale::share, inside(believed_.read_share.value), 0.7},
                      {FitScale::positive, believed_.half_size.value.in(kilobyte), 1.0}},
                     std::vector<double>(rows.size(), 1.0),
                     {}};
  MemoryParameters trial = believed_;
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    trial.bandwidth_share.value = values[mixed];
    trial.read_share.value = values[reading];
    trial.half_size.value = values[half_kb] * kilobyte;
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], trial);
  };
  const FitResult fit = fit_least_squares(problem);
  trial.bandwidth_share = sourced_value(fit.values[mixed], fit.std_errors[mixed], source);
  trial.read_share = sourced_value(fit.values[reading], fit.std_errors[reading], source);
  trial.half_size = sourced_value(fit.values[half_kb], fit.std_errors[half_kb], kilobyte, source);
  return trial;
}

HostCopyFit::HostCopyFit(BytesPerSecond data_sheet, const MemoryParameters& believed)
    : data_sheet_(data_sheet), believed_(believed) {}

double HostCopyFit::log_error(const TrafficRow& row, const HostCopies& copies) const {
  return std::log((copies.start + row.traffic / (data_sheet_ * copies.share.value)) / row.time);
}

HostCopies HostCopyFit::fit(const std::vector<TrafficRow>& rows, const std::string& source) const {
  FitProblem problem{{{FitScale::share, inside(believed_.host_share.value), 0.7}, {FitScale::positive, 10, 1.0}},
                     std::vector<double>(rows.size(), 1.0),
                     {}};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    HostCopies trial;
    trial.share.value = values[copy_share];
    trial.start = values[start_us] * microsecond;
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], trial);
  };
  const FitResult fit = fit_least_squares(problem);
  return {sourced_value(fit.values[copy_share], fit.std_errors[copy_share], source),
          fit.values[start_us] * microsecond};
}

}  // namespace clusterwright
