// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies from this GPU to the others of the node, in one process.

#include "context.hpp"

namespace clusterwright::probes {

int gpu_count();

/// @throws NotPossible with one GPU
void run_peer_copies(Context& context, const std::string& probe);

}  // namespace clusterwright::probes
