// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/memory_fit.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "calibration/fit/gemm_rows.hpp"
#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

/// Start and tail of a kernel, during which memory is idle.
const Seconds usual_ramp = 1.5 * microsecond;

/// Order of the parameter vector.
enum : std::size_t { mixed_share, reading_share };

double log_error(const MemoryRow& row, double share) {
  return std::log(row.data_sheet * share / row.measured);
}

/// @param values  shares, in the order of the parameter vector
double log_error(const MemoryRow& row, const std::vector<double>& values) {
  MemoryParameters trial;
  trial.bandwidth_share.value = values[mixed_share];
  trial.read_share.value = values[reading_share];
  return log_error(row, streaming_share(row.writes, trial));
}

FitResult fit_shares(const std::vector<MemoryRow>& rows) {
  FitProblem problem{
      {{FitScale::share, 0.85, 0.5}, {FitScale::share, 0.91, 0.5}}, std::vector<double>(rows.size(), 1.0), {}};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], values);
  };
  return fit_least_squares(problem);
}

FitResult fit_host(const std::vector<MemoryRow>& rows) {
  FitProblem problem{{{FitScale::share, 0.85, 0.4}}, std::vector<double>(rows.size(), 1.0), {}, 0.03};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], values[0]);
  };
  return fit_least_squares(problem);
}

auto fold_by(bool generation) {
  return [generation](const MemoryRow& row) { return generation ? row.architecture : row.op; };
}

std::string source_of(std::size_t rows, const char* what, const std::string& from, const char* prior) {
  return rows == 0 ? std::string("prior: ") + prior : fmt::format("fit of {} {} of {}", rows, what, from);
}

}  // namespace

double write_share(const std::string& op) {
  constexpr std::array<std::pair<std::string_view, double>, 7> shares = {{{"copy", 1.0 / 2},
                                                                          {"scale", 1.0 / 2},
                                                                          {"add", 1.0 / 3},
                                                                          {"triad", 1.0 / 3},
                                                                          {"dot", 0},
                                                                          {"read", 0},
                                                                          {"write", 1}}};
  for (const auto& [name, share] : shares)
    if (name == op) return share;
  return -1;
}

std::vector<MemoryRow> memory_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part) {
  std::vector<MemoryRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.memory || measurement.hardware.accelerator != part.id) continue;
    const MeasuredMemory& memory = *measurement.memory;
    const double writes = write_share(memory.op);
    const BytesPerSecond sheet = measurement.hardware.memory_bandwidth.value_or(part.memory_bandwidth.value);
    if (memory.path == "device-memory" && writes >= 0)
      out.push_back({memory.op, writes, memory.bandwidth, sheet, architecture_of(part)});
  }
  return out;
}

std::vector<MemoryRow> host_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part) {
  std::vector<MemoryRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.memory || measurement.hardware.accelerator != part.id || !part.host_bandwidth) continue;
    if (measurement.memory->path == "host-to-device")
      out.push_back({measurement.memory->op, 0, measurement.memory->bandwidth, part.host_bandwidth->value,
                     architecture_of(part)});
  }
  return out;
}

MemoryParameters fit_memory(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                            BytesPerSecond data_sheet, const std::string& from) {
  const FitResult fit = fit_shares(rows), link = fit_host(host);
  const std::string source = source_of(rows.size(), "streaming kernels", from, "usual shares of the data sheet");
  const double half_kb = (usual_ramp * data_sheet).in(kilobyte);
  MemoryParameters out;
  out.bandwidth_share = sourced_value(fit.values[mixed_share], fit.std_errors[mixed_share], source);
  out.read_share = sourced_value(fit.values[reading_share], fit.std_errors[reading_share], source);
  out.half_size = sourced_value(
      half_kb, half_kb / 2, kilobyte,
      fmt::format("prior: 1.5 us to start and drain a kernel at {} TB/s", data_sheet.in(terabyte_per_second)));
  out.host_share = sourced_value(link.values[0], link.std_errors[0],
                                 source_of(host.size(), "host copies", from, "usual share of PCI Express"));
  return out;
}

std::vector<double> held_out_memory_errors(const std::vector<MemoryRow>& rows, bool by_generation) {
  const auto error = [](const MemoryRow& row, const FitResult& fit) { return log_error(row, fit.values); };
  return held_out_errors(rows, fold_by(by_generation), fit_shares, error);
}

std::vector<double> held_out_host_errors(const std::vector<MemoryRow>& rows, bool by_generation) {
  const auto error = [](const MemoryRow& row, const FitResult& fit) { return log_error(row, fit.values[0]); };
  return held_out_errors(rows, fold_by(by_generation), fit_host, error);
}

std::vector<FitReport> memory_reports(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                                      const MemoryParameters& fitted, bool by_generation) {
  const std::string what = by_generation ? ", generation held out" : "";
  const std::string held_out =
      by_generation ? "; held out: each generation in turn" : "; held out: each kernel in turn";
  std::vector<double> seen, seen_host;
  for (const MemoryRow& row : rows) seen.push_back(log_error(row, streaming_share(row.writes, fitted)));
  for (const MemoryRow& row : host) seen_host.push_back(log_error(row, fitted.host_share.value));
  return {report("memory" + what, seen, held_out_memory_errors(rows, by_generation),
                 fitted.bandwidth_share.source + held_out),
          report("host link" + what, seen_host, held_out_host_errors(host, by_generation),
                 fitted.host_share.source + held_out)};
}

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
