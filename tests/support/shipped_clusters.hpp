// SPDX-License-Identifier: Apache-2.0
/// The clusters of configs/, looked up without running the program.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cluster_session.hpp"

namespace clusterwright::testing {

inline Cluster shipped_cluster(const std::string& name) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);  // test programs do not lie beside the catalog
  return open_cluster(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (name + ".json"), {}).cluster;
}

inline std::vector<std::string> shipped_cluster_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(CLUSTERWRIGHT_CONFIGS "/clusters"))
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace clusterwright::testing
