// SPDX-License-Identifier: Apache-2.0
/// What a training framework keeps in device memory beyond what the mathematics of a step needs.
#pragma once

#include <optional>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

struct StackMemory {
  /// Bytes per logit at the peak of the loss: 16-bit logits, their 32-bit copy, results and gradients that coexist.
  Sourced<double> loss_size{6, "16-bit logits and a 32-bit copy that becomes its gradient in place"};
  /// The same where the tensor group splits the vocabulary, if it differs.
  std::optional<Sourced<double>> split_loss_size;
  /// Bytes per parameter of 16-bit gradients that stay beside the buffer that gradients accumulate in.
  Sourced<double> kept_gradient_size{0, "gradients are added to the buffer as they are computed"};
  /// Bytes per parameter that a rank updates, of 32-bit gradients that the optimizer holds beside those.
  Sourced<double> owned_gradient_size{0, "the optimizer reads the buffer that gradients accumulate in"};
  /// In runs of 8 bit and less: inputs of multiplies are kept narrow for the backward pass, and narrow copies of
  /// weights with their transposes for the step.
  bool narrow_copies = false;
  bool dropout = false;              ///< masks are kept, and what they were applied to
  bool keeps_logits = false;         ///< the last stage of a pipeline keeps the 16-bit logits of all micro-batches
  bool gathers_by_multiply = false;  ///< sharded weights are gathered matrix by matrix, not layer by layer
  Sourced<Bytes> staging{{}, "gradients and weights travel from where they are"};  ///< copies on the way of collectives
  /// Of one communicator.
  Sourced<Bytes> communicator{
      0.46 * gigabyte,
      "estimate: NCCL with 16 channels, a ring and two tree connections each, of 0.5 + 4.9 + 4.2 "
      "MB for its three protocols"};
  Sourced<double> slack{0.06, "estimate: freed blocks of an allocator that fit nothing, over what is in use"};
  bool reports_allocator = false;  ///< its peak memory leaves out what the allocator does not manage
};
const Record<StackMemory>& record(const StackMemory*);

}  // namespace clusterwright
