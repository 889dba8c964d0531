// SPDX-License-Identifier: Apache-2.0
/// What a framework's kernels between matrix multiplies fuse, and which bytes they move.
#pragma once

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Where the result of a block is added to the residual stream: in one kernel with the norm behind it, in a kernel of
/// its own, or by the block's last multiply, which adds to a copy of the stream (not where a tensor group splits it).
/// The backward passes of norms mirror that: gradients pass the sum, are added behind the norm, or by its kernel.
enum class ResidualSum { beside_norm, own_kernel, in_multiply };

/// How queries and keys are turned: all of queries, keys and values on their way into the layout of attention; or
/// queries and keys where they lie, and nothing without rotary positions.
enum class RotaryKernel { into_layout, in_place };

/// The numbers are bytes of device memory; defaults describe frameworks whose kernels vendors fused by hand.
struct StackKernels {
  ResidualSum residual = ResidualSum::beside_norm;
  RotaryKernel rotary = RotaryKernel::into_layout;
  bool fused_attention = true;  ///< one kernel a pass; else scores, softmax and values are kernels of their own
  /// Traffic of the activation's backward pass over that of its forward pass.
  Sourced<double> activation_backward{1.5, "the gradient joins what the forward pass read and wrote"};
  /// Per logit: forward, and backward unless the forward pass leaves the gradient (0).
  Sourced<double> loss{13, "docs/models.md, \"Head and loss\""};
  Sourced<double> loss_backward{13, "docs/models.md, \"Head and loss\""};
  /// Per element of the result of a weight-gradient multiply.
  Sourced<double> weight_gradient{8, "a sum in 32 bit is read and written"};
  /// Rows are looked up in one kernel and no other goes over them; gradients are added to a table that is cleared
  /// first.
  bool plain_embedding = false;
  /// Per parameter that a rank updates.
  Sourced<double> update{30, "Adam: gradient and three 32-bit states read, these and a 16-bit weight written"};
  bool clips_gradients = true;   ///< their norm over all ranks is taken in front of the update
  bool clears_gradients = true;  ///< gradients are added to a buffer that is cleared behind the update
  /// The processor that issues a kernel runs it, so that what a call costs beyond its work is not hidden.
  bool synchronous = false;
};
const Record<StackKernels>& record(const StackKernels*);

}  // namespace clusterwright
