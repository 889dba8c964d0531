// SPDX-License-Identifier: Apache-2.0
/// Sizes that the host probes measure.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/host/host_machine.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Sizes that the probes of a suite go through.
struct HostProbeSizes {
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> gemm;    ///< sides of square problems, fp32
  std::vector<std::int64_t> gemm64;  ///< the same, fp64
  std::vector<std::int64_t> tokens;  ///< rows of the layer's problems, fp32
  std::int64_t hidden = 512, ffn = 2048;
  bool weight_gradients = false;  ///< weight gradients of the layer's problems too
  std::vector<Bytes> memory;      ///< all arrays of a kernel together
  std::vector<Bytes> messages;
  std::vector<std::int64_t> kernel_rows, kernel_widths;  ///< kernels between the GEMMs
  std::vector<std::int64_t> softmax;                     ///< sides of square scores
  std::vector<std::int64_t> updated;                     ///< parameters that an optimizer updates at once
  Bytes file = 64 * mebibyte;                            ///< storage and data loading
  Bytes block = 1 * mebibyte;
  Bytes record = 8 * kibibyte;  ///< 4096 tokens of two bytes
  std::int64_t records = 256;   ///< records of one call
};

/// Memory goes to three times the last-level cache (quick) or six times (full), at most a quarter of what is available.
HostProbeSizes host_probe_sizes(ProbeSuite suite, const HostMachine& machine);

}  // namespace clusterwright
