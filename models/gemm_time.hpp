/// Time of one dense matrix multiply.
#pragma once

#include <cstdint>

#include "models/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// C[m,n] = A[m,k] B[k,n].
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  Flops flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * flop; }
};

/// What the data sheet says of the device.
struct GemmDevice {
  FlopsPerSecond peak;  ///< dense, in the format of the operands
  BytesPerSecond memory_bandwidth;
  int multiprocessors = 1;  ///< that the kernel may use; `peak` is of these
};

struct GemmCost {
  Seconds time;             ///< without the per-call cost
  Seconds fixed;            ///< per call, as a microbenchmark sees it
  Seconds memory_time;      ///< what operand traffic alone would take
  double tensor_share = 0;  ///< FLOPs over (time * peak), 0..1
};

/// Best of the tile sizes that a library would try: tile and wave quantisation, K prologue, a roofline on operand
/// traffic, and the clock loss of long kernels.
///   compute = waves * 2 tile_m tile_n (k / splits + k_overhead) / rate of one multiprocessor
///   time    = (compute^4 + memory^4)^(1/4) * (1 + long_kernel_loss * decades of FLOPs above 1e12 / 2, at most 1)
/// An empty shape costs nothing but `fixed`.
/// @param element, output  storage of the operands and of the result
/// @param long_kernel_share  of GemmParameters::long_kernel_loss to apply: 1 in a microbenchmark
/// @source docs/models.md, "Matrix multiply"
GemmCost gemm_cost(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters, Bytes element,
                   Bytes output, double long_kernel_share);

/// What a call adds that takes A in 16 bit and quantises it first, as inference libraries do. Not part of gemm_cost.
Seconds quantisation_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters);

}  // namespace clusterwright
