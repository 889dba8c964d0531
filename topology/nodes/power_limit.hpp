// SPDX-License-Identifier: Apache-2.0
/// Power limits (caps) that are set on the accelerators of a node.
#pragma once

#include <optional>
#include <string>

#include "sim/quantity.hpp"
#include "topology/nodes/node_spec.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Least limit that the driver of an accelerator takes; its idle power where the data sheet names none.
Watts least_power_limit(const AcceleratorPart& part);

/// What a node's own limit leaves each of its accelerators beside the host; nullopt without such a limit.
std::optional<Watts> share_of_node_limit(const NodeSpec& node);

/// Limit of each accelerator of a node: the lowest of its own, its share of the node's, and its rating; nullopt: the
/// rating, as without limits.
std::optional<Watts> accelerator_limit(const NodeSpec& node, const AcceleratorPart& part);

/// Setting of a scenario that a cap means: "80%" of the rating of each accelerator, or "560W".
/// @throws ConfigError E0349 if it is neither, or not above zero
std::string cap_setting(const std::string& text);

}  // namespace clusterwright
