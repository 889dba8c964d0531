// SPDX-License-Identifier: Apache-2.0
/// Options of `collective` that have no effect on the operation or cluster at hand, or that name no exchange.
#pragma once

#include <string>

#include "models/kernels/collectives/collective_op.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

/// Refuses options that were given and change nothing: experts' options of other operations, --sharp where nothing is
/// reduced or gathered, options of a network that the cluster does not have.
/// @throws ConfigError E0339 for the first of them
void check_options(const CollectiveCommandRequest& request, CollectiveOp op, bool has_network);

/// Refuses an exchange with experts that cannot be dealt or drawn: groups that spread unevenly over domains, more
/// experts of a token than there are or than its domains hold.
/// @throws ConfigError E0332
void check_experts(const CollectiveRequest& asked, const Cluster& cluster);

/// Sentence about ranks that do not divide the experts; empty where they do, and for other operations.
std::string uneven_experts(const CollectiveRequest& asked);

}  // namespace clusterwright
