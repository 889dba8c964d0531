// SPDX-License-Identifier: Apache-2.0
/// Counts and bandwidths of a cluster, as tables and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/topology_facts.hpp"

namespace clusterwright {

struct TopologyReport {
  const Cluster& cluster;
  std::optional<TopologyFacts> whole;  ///< nothing where no network joins nodes
  std::vector<std::string> failures;   ///< failures as typed
  std::optional<TopologyFacts> after;  ///< facts with the failures
};

/// Facts, nodes by kind where there are several, network, switches, cables, and last the nested groups of the fabric.
std::vector<ResultTable> topology_tables(const TopologyReport& report);

/// {"counts": {...}}, and with failures {"after_failures": {...}} with the same keys for the network.
JsonValue topology_json(const TopologyReport& report);

}  // namespace clusterwright
