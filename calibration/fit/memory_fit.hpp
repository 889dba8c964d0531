/// Fits MemoryParameters to measured streaming kernels and copies from the host.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// One streaming kernel on device memory.
struct MemoryRow {
  std::string op;
  double writes = 0;  ///< share of its traffic
  BytesPerSecond measured;
  BytesPerSecond data_sheet;
  std::string architecture;  ///< first word
};

/// Share of writes in the traffic of a streaming kernel ("copy", "add", "triad", "dot", ...); negative if unknown.
double write_share(const std::string& op);

std::vector<MemoryRow> memory_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// Copies between host and device; the data sheet is the catalog's, since measurements name no host link.
std::vector<MemoryRow> host_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// The shares are fitted; the half size is a prior, since published runs name no size.
/// @param data_sheet  memory bandwidth of the device
MemoryParameters fit_memory(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                            BytesPerSecond data_sheet, const std::string& from);

/// In sample and left out. "memory" has the streaming kernels, "host link" the copies.
/// @param by_generation  leaves each generation out, else each kernel
std::vector<FitReport> memory_reports(const std::vector<MemoryRow>& rows, const std::vector<MemoryRow>& host,
                                      const MemoryParameters& fitted, bool by_generation);

/// log(predicted / measured) of every streaming kernel and copy when its fold was left out.
std::vector<double> memory_left_out(const std::vector<MemoryRow>& rows, bool by_generation);
std::vector<double> host_left_out(const std::vector<MemoryRow>& rows, bool by_generation);

}  // namespace clusterwright
