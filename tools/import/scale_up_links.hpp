// SPDX-License-Identifier: Apache-2.0
/// How the GPUs of a node are wired to each other.
#pragma once

#include <optional>

#include "tools/import/nccl_topology.hpp"
#include "topology/nodes/node_spec.hpp"

namespace clusterwright {

struct ScaleUpLinks {
  std::optional<ScaleUpWiring> wiring;  ///< empty: the file names devices alone and says nothing of links
  int links = 0;                        ///< of one GPU, the fewest
  int group = 0;                        ///< GPUs that reach each other; of a mesh; else all
  bool uneven = false;                  ///< some have more links
};

/// @throws ConfigError E0340 where links lead neither to switches alone nor from each GPU of a group to all others of
/// it
ScaleUpLinks scale_up_links(const NodeTopology& topology);

}  // namespace clusterwright
