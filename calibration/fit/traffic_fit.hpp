// SPDX-License-Identifier: Apache-2.0
/// Streams and copies of known sizes: a share of the data sheet, and what it takes to start.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/sample_rows.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

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
