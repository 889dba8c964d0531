// SPDX-License-Identifier: Apache-2.0
/// Lists of nodes as Slurm writes them.
#pragma once

#include <string_view>
#include <vector>

#include "topology/nodes/node_id.hpp"

namespace clusterwright {

inline constexpr int most_listed_nodes = 1 << 20;

/// Nodes of a list such as "gpu[001-004,7],gpu12", in its order: the number at the end of each name. Brackets stand at
/// the end of a name and continue its digits: "gpu1[08-10]" are 108, 109 and 110.
/// @throws ConfigError E0331 with the place in the text: names without a number, broken or second brackets, ranges that
///         run backwards, more than most_listed_nodes
std::vector<NodeId> parse_hostlist(std::string_view text);

}  // namespace clusterwright
