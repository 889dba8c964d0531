// SPDX-License-Identifier: Apache-2.0
/// Time of one GEMM, or of several in one launch.
#pragma once

#include <cstdint>

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Dimension that each operand is contiguous along, row-major: "plain" is A[m,k] B[k,n]. C is contiguous along n.
///
/// A linear layer holds activations as [tokens, in] or [tokens, out] and weights as [in, out] or [out, in], so none of
/// its operands is contiguous along tokens:
///   forward          y[tokens, out] = x[tokens, in] W       transposed_b for weights [out, in], plain for [in, out]
///   data gradient    dx[tokens, in] = dy[tokens, out] W     plain, or transposed_b
///   weight gradient  dW[in, out]    = x[tokens, in] dy      transposed_a: A along in, B along out
enum class GemmLayout {
  plain,         ///< A along k, B along n
  transposed_a,  ///< A[k,m]: A along m, B along n
  transposed_b,  ///< B[n,k]: both along k
};

/// C[m,n] = A[m,k] B[k,n], `groups` times in one launch, each with operands of its own.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t groups = 1;
  GemmLayout layout = GemmLayout::plain;
  double row_deviation = 0;  ///< standard deviation of m over the groups, whose mean is `m`
  bool one_launch = false;   ///< groups of unequal m (or k, if transposed_a) share one kernel and so one size of tile

  Flops flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(groups) * flop;
  }
};

/// Storage of one element of each matrix in device memory.
struct GemmStorage {
  Bytes input;    ///< A
  Bytes weights;  ///< B; smaller than A if the kernel converts weights
  Bytes output;   ///< C
};

/// Data sheet of the device.
struct GemmDevice {
  FlopsPerSecond peak;  ///< dense, in the format of the operands
  BytesPerSecond memory_bandwidth;
  /// Multiprocessors that the kernel may use and that reach `peak`. 0: one systolic array (TPU, Trainium, ...), or not
  /// known.
  int multiprocessors = 1;
  /// power_density of the part; below 0: that of the part that the parameters were measured on.
  double density = -1;
};

struct GemmTiming {
  Seconds time;             ///< without `fixed`
  Seconds fixed;            ///< time per call with its launch, as a microbenchmark sees it
  Seconds memory_time;      ///< time of operand traffic alone
  double tensor_share = 0;  ///< FLOPs over (time * peak), 0..1
};

/// Elements of 16 bytes: rows that are no multiple of it run at a fraction of the rate. Scales of blocks, which lie
/// apart, do not count.
/// @source cuBLAS, "Tensor Core Usage": best where dimensions, leading dimensions and pointers are multiples of 16
/// bytes
std::int64_t aligned_elements(Bytes element);

/// Matrices whose rows are no multiple of 16 bytes, each in its own number format.
enum class GemmAlignment { aligned, unaligned_output, unaligned_operand };

/// Alignment once tokens are padded where libraries do.
GemmAlignment alignment_of(const GemmShape& shape, const GemmStorage& storage);

/// Share of the device's peak that large GEMMs reach.
double reached_share(const GemmDevice& device, const GemmParameters& parameters);

/// Time with the best tile size: tile and wave quantisation, K prologue, a roofline on operand traffic, and the clock
/// loss of long kernels.
///   waves   = wave_share * ceil(tiles / multiprocessors) + (1 - wave_share) * max(1, tiles / multiprocessors)
///   compute = waves * 2 tile_m tile_n (k / splits + k_overhead) / rate of one multiprocessor, + split if splits > 1
///   time    = (compute^4 + memory^4)^(1/4) * (1 + long_kernel_loss * decades of FLOPs above 1e12 / 2, at most 1)
/// Where the contiguous dimension of A or B (GemmLayout) is no multiple of 16 bytes, compute takes
/// 1 / unaligned_factor; where only that of C is none, 1 / unaligned_output_factor. Operands of 8 bits and less are
/// contiguous along K in every pass, because matrix units read them so; frameworks transpose them with the cast and pad
/// tokens to whole 16 bytes. A part with more peak per watt than the measured one reaches less of its peak:
///   rate    = efficiency * (1 + density_loss * density_reference) / (1 + density_loss * density)
/// Groups of unequal m fill ceil(m_i / tile_m) rows of tiles each: an expected value, half a tile more than m / tile_m
/// where m varies by a tile or more. A kernel for unequal groups has tiles of 256 rows, and where they differ in k it
/// writes each result before the next tile begins, which lengthens `k_overhead` by 1.8.
/// A systolic array holds 128 x 128 elements of B while rows of A stream through: K and N count in whole 128s, and
/// fewer than 128 rows take as long as 128. An empty shape costs nothing but `fixed`.
/// @param long_kernel_share  share of GemmParameters::long_kernel_loss to apply: 1 in a microbenchmark
/// @source docs/models/compute.md, "GEMM time"
GemmTiming gemm_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters,
                     const GemmStorage& storage, double long_kernel_share);

/// Time with both operands stored alike. @param element, output  storage of the operands and of the result
inline GemmTiming gemm_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters,
                            Bytes element, Bytes output, double long_kernel_share) {
  return gemm_time(shape, device, parameters, GemmStorage{element, element, output}, long_kernel_share);
}

/// Time to quantise A from 16 bit, in a call that does so first, as inference libraries do. Not part of gemm_time.
Seconds quantisation_time(const GemmShape& shape, const GemmDevice& device, const GemmParameters& parameters);

}  // namespace clusterwright
