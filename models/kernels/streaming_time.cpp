// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/streaming_time.hpp"

#include <cmath>

namespace clusterwright {

double streaming_share(double writes, const MemoryParameters& parameters) {
  return std::lerp(parameters.read_share.value, parameters.bandwidth_share.value, writes / usual_writes);
}

BytesPerSecond streaming_rate(double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters) {
  return data_sheet * streaming_share(writes, parameters);
}

Seconds streaming_time(Bytes traffic, double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters) {
  return (traffic + parameters.half_size.value) / streaming_rate(writes, data_sheet, parameters);
}

}  // namespace clusterwright
