// SPDX-License-Identifier: Apache-2.0
/// Bytes and time of kernels that device memory limits.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

inline constexpr double bytes_16bit = 2;
inline constexpr double bytes_32bit = 4;
inline constexpr double bytes_accumulated = 2 * bytes_32bit;  ///< traffic of a 32-bit sum, read and written
/// Traffic of element-wise kernels of the backward pass over that of the forward pass: the gradient joins the input.
inline constexpr double backward_over_forward = 1.5;

/// Tensors of one MLP width that an activation function reads and writes; unfused kernels go twice over the result.
constexpr double activation_passes(bool gated, bool fused) {
  return (gated ? 3.0 : 2.0) + (fused ? 0 : 2);
}

/// Share of writes in the traffic of a usual element-wise kernel, at which MemoryParameters::bandwidth_share holds.
inline constexpr double usual_writes = 0.4;

/// Bandwidth of large transfers over that of the data sheet: the line through `read_share` at no writes and
/// `bandwidth_share` at four tenths, as memory loses time to turn between reads and writes.
/// @param writes  share of the traffic, 0..1
double streaming_share(double writes, const MemoryParameters& parameters);

/// Bandwidth of large transfers. @param data_sheet  bandwidth of device memory
BytesPerSecond streaming_rate(double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters);

/// Time of a kernel: (traffic + half_size) / (share * data sheet). @param traffic  bytes read and written
/// @source docs/models.md, "Kernels limited by memory"
Seconds streaming_time(Bytes traffic, double writes, BytesPerSecond data_sheet, const MemoryParameters& parameters);

}  // namespace clusterwright
