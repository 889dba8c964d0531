// SPDX-License-Identifier: Apache-2.0
/// Kernels between matrix multiplies as somebody sampled them, one by one.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// What a kernel that is no matrix multiply and no attention computes.
enum class StreamingKernel { other, embedding, norm, residual, rotary, activation, softmax, loss, optimizer };
inline constexpr std::array<const char*, 9> streaming_kernel_names = {
    "other", "embedding", "norm", "residual", "rotary", "activation", "softmax", "loss", "optimizer"};
enum class KernelPass { forward, backward, update };
inline constexpr std::array<const char*, 3> kernel_pass_names = {"forward", "backward", "update"};

/// Kernel of one pass.
struct StreamedWork {
  StreamingKernel kernel = StreamingKernel::other;
  KernelPass pass = KernelPass::forward;

  auto operator<=>(const StreamedWork&) const = default;
};

/// Time over bytes of one kernel, in the order of bytes.
struct KernelCurve {
  std::vector<std::pair<Bytes, Seconds>> points;

  /// On the line between the neighbours in log(bytes), log(time); beyond the ends in proportion to the bytes.
  /// @pre `points` is not empty
  Seconds time(Bytes bytes) const;
};

using KernelCurves = std::map<StreamedWork, KernelCurve>;

}  // namespace clusterwright
