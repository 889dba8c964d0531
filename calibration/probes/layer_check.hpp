// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small transformer layer, whole, against double precision on the host.

#include <cuda_runtime.h>

namespace clusterwright::probes {

class LtHandle;

/// Output, input gradient and every weight's gradient; gated with grouped heads, and not gated without.
/// @throws SampleFailed when they differ, NotPossible when the GPU cannot run it
void check_transformer_layer(const LtHandle& handle, cudaStream_t stream);

}  // namespace clusterwright::probes
