// SPDX-License-Identifier: Apache-2.0
/// A cluster file, or the cluster of a scenario file, with everything that commands about machines need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct ClusterSession {
  Catalog catalog;
  Cluster cluster;
  std::vector<InputFile> inputs;
  JsonValue document;   ///< cluster with references resolved and settings applied
  std::string pointer;  ///< place of the cluster in its file; empty: the whole file
};

/// @param settings  "path=value" of the cluster's fields: "accelerators=1024", "fabric.tiers.1.taper=2"
/// @throws ConfigError with every error found
ClusterSession open_cluster(const std::filesystem::path& path, const std::vector<std::string>& settings);

/// Cluster that a command names: a file, or in its place nodes by name.
struct ClusterName {
  std::string file;
  std::string on;    ///< node or accelerator, as named_node() takes it; empty: the file
  std::string gpus;  ///< number of accelerators of these nodes
};

/// @throws ConfigError as open_cluster, E0404 for both or for nodes without a number
ClusterSession open_cluster(const ClusterName& name, const std::vector<std::string>& settings);

struct NetworkRequest {
  std::vector<std::string> failures;  ///< failures in the form of `parse_fault`
  std::optional<Routing> routing;     ///< routing; empty: the fabric's own
  std::optional<std::uint64_t> seed;  ///< of hashed paths; empty: the fabric's own
  std::optional<int> queue_pairs;     ///< of a pair of NICs; empty: the fabric's own
};

/// @return nothing for a cluster without network
/// @throws ConfigError E0321 for a failure that names nothing
std::optional<RoutedNetwork> route_network(const ClusterSession& session, const NetworkRequest& request);

/// Parameters of collectives: from the file, else fitted to the accelerator, else the set for unmeasured accelerators.
/// @param file  a parameter file, or one with collectives alone; empty: look for one in configs/parameters
CollectiveSet load_collective_set(const AcceleratorPart& accelerator, const std::string& file,
                                  std::vector<InputFile>& inputs);

}  // namespace clusterwright
