// SPDX-License-Identifier: Apache-2.0
/// Memory of communication: buffers of communicators, and tensors that exist because ranks exchange them.
#pragma once

#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Send and receive buffers of all communicators of a rank: one for each way to be parallel.
Bytes communicator_memory(const PlannedJob& planned);

/// Buffers that all ranks of the tensor group write chunks of inputs to, if the stack cuts inputs into chunks. They are
/// registered with the network or the links, so the allocator does not manage them.
Bytes piece_buffers(const PlannedJob& planned);

/// Buffers held over the whole step: pipeline messages, and buffers that gradients are copied through.
Bytes exchange_buffers(const PlannedJob& planned);

/// Temporary buffers of a layer: inputs gathered over the tensor group, chunks of keys and values of context ranks.
Bytes layer_buffers(const PlannedJob& planned);

}  // namespace clusterwright
