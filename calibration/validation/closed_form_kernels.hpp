// SPDX-License-Identifier: Apache-2.0
/// Kernels of the closed form: one formula each for GEMMs, attention, element-wise traffic and collectives, with
/// constants by architecture. No kernel model and no fitted parameter of the simulator takes part.
///
/// All numbers are seconds, bytes, FLOPs and their quotients.
#pragma once

#include "models/job/job.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Rates that kernels of one format reach on one accelerator.
struct ClosedFormRates {
  double gemm = 1;         ///< FLOP/s of a large GEMM
  double small_depth = 0;  ///< depth K at which a GEMM reaches half of that
  double long_loss = 0;    ///< growth of the time of GEMMs of 100 TFLOP and more, lost to the clock
  double memory = 1;       ///< byte/s of a kernel without arithmetic
  double peak_16_bit = 1;  ///< FLOP/s of the data sheet; attention runs in 16 bit
};

/// Architectures whose kernels differ; every other part counts as `other`.
enum class ClosedFormGeneration { ampere, hopper, blackwell, other };
ClosedFormGeneration closed_form_generation(const AcceleratorPart& part);

/// Rates from the data sheet and one efficiency per generation and format. Parts with less power for their peak than
/// their generation usually has lose the cube root of the ratio.
/// @source docs/validation.md, "Closed form"
ClosedFormRates closed_form_rates(const AcceleratorPart& part, Precision precision);

/// Time of one GEMM: arithmetic and memory traffic in a smooth maximum, plus the start of the kernel.
///   t = ((2 m n k (1 + small_depth / k) / gemm)^4 + (bytes / memory)^4)^(1/4) * (1 + long_loss * share) + 1 us
double closed_form_gemm(const ClosedFormRates& rates, double m, double n, double k);

/// Shares of the 16-bit peak that fused attention reaches.
struct AttentionEfficiency {
  double forward = 0.5, backward = 0.4;
};
/// @param kernel  family of kernels, as a stack names it: "cudnn", "flash-2", "flash-triton", "xla"
AttentionEfficiency closed_form_attention(ClosedFormGeneration generation, const std::string& kernel);

/// Time of a ring of `ranks` that moves `bytes` past each of them; a gather once, an all-reduce twice.
/// @param bandwidth  of the links of one rank, one direction
/// @param inside  ranks are joined by scale-up links, of which few ranks and short messages use a part
double closed_form_ring(double bytes, int ranks, double bandwidth, bool inside);

}  // namespace clusterwright
