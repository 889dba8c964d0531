/// A cluster with its parts looked up: what the models build on. Never changes once built.
#pragma once

#include "sim/json_value.hpp"
#include "topology/cluster_spec.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

struct Cluster {
  ClusterSpec spec;
  AcceleratorPart accelerator;
  FabricTiers fabric;
  int node_accelerators = 8;          ///< in one node
  int nics = 8;                       ///< in one node
  BytesPerSecond scale_up_bandwidth;  ///< one accelerator, one direction; zero without scale-up links
  BytesPerSecond nic_bandwidth;       ///< one NIC, one direction

  int nodes() const { return spec.accelerators / node_accelerators; }
  /// NIC bandwidth that one accelerator has to itself, one direction.
  BytesPerSecond network_per_accelerator() const { return nic_bandwidth * nics / node_accelerators; }
};

/// Looks up parts and checks that the numbers agree.
/// @param source   the JSON that `spec` was decoded from, for the places of errors
/// @param pointer  of `source` in its file, such as "/cluster"; empty if it is the whole file
/// @throws ConfigError with every error found: unknown parts (with a suggestion), accelerators that are no multiple of
/// a
///         node or do not fit the top tier, tiers that do not nest, several nodes without a network
Cluster build_cluster(const ClusterSpec& spec, const Catalog& catalog, const JsonValue& source,
                      const std::string& pointer = {});

/// The same cluster with another number of accelerators.
/// @throws ConfigError as build_cluster, without places
Cluster resized(const Cluster& cluster, int accelerators);

}  // namespace clusterwright
