// SPDX-License-Identifier: Apache-2.0
/// Options of `collective` that have no effect on the operation or cluster at hand.
#pragma once

#include "models/kernels/collectives/collective_op.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

/// Refuses options that were given and change nothing: experts' options of other operations, --sharp where nothing is
/// reduced or gathered, options of a network that the cluster does not have.
/// @throws ConfigError E0339 for the first of them
void check_options(const CollectiveCommandRequest& request, CollectiveOp op, bool has_network);

}  // namespace clusterwright
