/// Builds every NIC port, switch and cable that the description of a fabric stands for.
#pragma once

#include "topology/fabrics/network_size.hpp"
#include "topology/graph/network.hpp"

namespace clusterwright {

inline constexpr long long most_cables = 1 << 25;

/// How each kind is laid out: docs/fabrics.md. Nodes are numbered along the fabric: leaf by leaf, group by group, site
/// by site. Endpoints are NICs; those of a torus reach their router at the rate of all its links, so that only the
/// torus itself limits.
/// @throws ConfigError E0501 for more than most_cables
/// @throws std::invalid_argument for what check_fabric (topology/fabrics/fabric_check.hpp) would report, nodes without
///         NICs, or more nodes than the fabric joins
Network build_network(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

}  // namespace clusterwright
