// SPDX-License-Identifier: Apache-2.0
/// Bytes that kernels move, and that training keeps for a parameter, by what they hold.
#pragma once

namespace clusterwright {

inline constexpr double bytes_16bit = 2;
inline constexpr double bytes_32bit = 4;
inline constexpr double bytes_accumulated = 2 * bytes_32bit;  ///< a sum in 32 bit is read and written
/// Adam's states of a parameter in 32 bit: two moments, and the master weights unless these are the weights.
constexpr double adam_states(bool with_master_weights = true) {
  return (with_master_weights ? 3 : 2) * bytes_32bit;
}

/// Traffic of element-wise kernels of the backward pass over that of the forward pass: the gradient joins the input.
inline constexpr double backward_over_forward = 1.5;

/// Tensors of one MLP width that an activation function reads and writes; unfused kernels go twice over the result.
constexpr double activation_passes(bool gated, bool fused) {
  return (gated ? 3.0 : 2.0) + (fused ? 0 : 2);
}

}  // namespace clusterwright
