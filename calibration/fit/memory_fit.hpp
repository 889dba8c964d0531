/// Fits MemoryParameters to measured streaming kernels.
#pragma once

#include <string>
#include <vector>

#include "calibration/measurement.hpp"
#include "models/parameters.hpp"

namespace clusterwright {

/// One streaming kernel that reads and writes device memory, as element-wise kernels do.
struct MemoryRow {
  std::string op;
  BytesPerSecond measured;
  BytesPerSecond data_sheet;
};

std::vector<MemoryRow> memory_rows(const std::vector<Measurement>& measurements, const std::string& accelerator);

/// The share is fitted; the half size is a prior, since published runs name no size.
/// @param data_sheet  memory bandwidth of the device
MemoryParameters fit_memory(const std::vector<MemoryRow>& rows, BytesPerSecond data_sheet, const std::string& source);

/// In sample, and with every kernel left out in turn.
FitReport memory_report(const std::vector<MemoryRow>& rows, const MemoryParameters& fitted);

}  // namespace clusterwright
