// SPDX-License-Identifier: Apache-2.0
/// Memory of communication: buffers of communicators, and tensors that exist because ranks exchange them.
#pragma once

#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Send and receive buffers of all communicators of a rank: one for each way to be parallel.
Bytes communicator_memory(const PlannedJob& planned);

/// Buffers that all ranks of the tensor group write pieces of inputs to, where the stack cuts them into pieces. They
/// are registered with the network or the links, so the allocator does not manage them.
Bytes piece_buffers(const PlannedJob& planned);

/// Held all along: pipeline messages, and what the stack copies gradients through.
Bytes exchange_buffers(const PlannedJob& planned);

/// While a layer runs: inputs gathered over the tensor group, chunks of keys and values of context ranks.
Bytes layer_buffers(const PlannedJob& planned);

}  // namespace clusterwright
