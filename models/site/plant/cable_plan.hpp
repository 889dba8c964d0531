// SPDX-License-Identifier: Apache-2.0
/// Every cable between devices: its length, its parts, and the number to buy.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/cable_tally.hpp"
#include "models/site/plant/site_networks.hpp"

namespace clusterwright {

/// Switches of one part in one tier of a network.
struct SwitchTotal {
  std::string network;  ///< "training", "storage", "in-band", "management"
  std::string tier;     ///< "leaf"
  std::string part;     ///< empty where the cluster names none
  long long count = 0;
  Watts rated_each;     ///< rating with modules in all cages
  Watts expected_each;  ///< power with the modules that the plan puts into its cages
};

struct CablePlan {
  std::vector<SwitchTotal> switches;
  std::vector<CableTotal> cables;
  std::vector<TransceiverTotal> transceivers;
  std::vector<CableRun> runs;      ///< filled only with CableRequest::keep_runs
  std::vector<CablePiece> pieces;  ///< filled only with CableRequest::keep_runs
  std::vector<std::string> warnings;
  std::vector<SiteVerdict> verdicts;
  std::vector<std::string> uncounted;  ///< tiers without a part: "switches of tier leaf and their cables"
};

struct CableRequest {
  const RackLayout& layout;
  const CableRouter& router;
  const std::vector<SiteNetwork>& networks;
  const Catalog& catalog;
  const SwitchPart* management_switch = nullptr;
  const ServicesSpec& services;
  int node_ports_per_cage = 1;  ///< ports of the training network; other networks have a cage for each port
  bool keep_runs = false;
};

CablePlan plan_cables(const CableRequest& request);

}  // namespace clusterwright
