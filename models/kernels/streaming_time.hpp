// SPDX-License-Identifier: Apache-2.0
/// Time of kernels that device memory limits.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Share of writes in the traffic of a usual element-wise kernel, at which MemoryParameters::bandwidth_share holds.
inline constexpr double usual_writes = 0.4;

/// Bandwidth of large transfers over that of the data sheet. Memory that turns between reads and writes loses time: the
/// line through `read_share` at no writes and `bandwidth_share` at four tenths, both met exactly.
/// @param writes  share of the traffic, 0..1
double streaming_share(double writes, const MemoryParameters& parameters);

/// Bandwidth of large transfers. @param data_sheet  bandwidth of device memory
BytesPerSecond streaming_rate(double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters);

/// (traffic + half_size) / (share * data sheet). @param traffic  bytes read and written
/// @source docs/models.md, "Kernels limited by memory"
Seconds streaming_time(Bytes traffic, double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters);

}  // namespace clusterwright
