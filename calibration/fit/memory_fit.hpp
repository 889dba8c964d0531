// SPDX-License-Identifier: Apache-2.0
/// Fits MemoryParameters to measured streaming kernels and copies from the host: a share of the data sheet, and the
/// time to start.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/sample_rows.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// One streaming kernel on device memory.
struct MemoryRow {
  std::string op;
  double writes = 0;  ///< share of writes in its traffic
  BytesPerSecond measured;
  BytesPerSecond data_sheet;
  std::string architecture;  ///< first word of the data sheet
};

/// Share of writes in the traffic of a streaming kernel ("copy", "add", "triad", "dot", ...); negative if unknown.
double write_share(const std::string& op);

std::vector<MemoryRow> memory_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// Copies between host and device, over the catalog's host link, since measurements name none.
std::vector<MemoryRow> host_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// Fit of both shares. The half size is a prior, since published runs name no size.
/// @param data_sheet  memory bandwidth of the device
MemoryParameters fit_memory(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                            BytesPerSecond data_sheet, const std::string& from);

/// Errors in sample and held out: "memory" for streaming kernels, "host link" for copies.
/// @param by_generation  holds out each generation, else each kernel
std::vector<FitReport> memory_reports(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                                      const MemoryParameters& fitted, bool by_generation);

/// Held-out errors of every streaming kernel and copy.
std::vector<double> held_out_memory_errors(const std::vector<MemoryRow>& rows, bool by_generation);
std::vector<double> held_out_host_errors(const std::vector<MemoryRow>& rows, bool by_generation);

/// Fits the parameters of streaming_time.
class StreamFit {
 public:
  /// @param believed  before the first sample; its half size too, which published runs do not tell
  StreamFit(BytesPerSecond data_sheet, const MemoryParameters& believed);

  /// `host_share` stays as believed.
  MemoryParameters fit(const std::vector<TrafficRow>& rows, const std::string& source) const;
  double log_error(const TrafficRow& row, const MemoryParameters& parameters) const;

 private:
  BytesPerSecond data_sheet_;
  const MemoryParameters& believed_;
};

/// Copies over the link to the host: time = start + traffic / (data sheet * share).
struct HostCopies {
  Sourced<double> share;
  Seconds start;
};

class HostCopyFit {
 public:
  HostCopyFit(BytesPerSecond data_sheet, const MemoryParameters& believed);

  HostCopies fit(const std::vector<TrafficRow>& rows, const std::string& source) const;
  double log_error(const TrafficRow& row, const HostCopies& copies) const;

 private:
  BytesPerSecond data_sheet_;
  const MemoryParameters& believed_;
};

}  // namespace clusterwright
