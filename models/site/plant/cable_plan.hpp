/// Every cable between racks: how long, of which parts, and how many of these to buy.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/cable_tally.hpp"
#include "models/site/plant/site_networks.hpp"

namespace clusterwright {

struct SwitchTotal {
  std::string network;  ///< "compute", "storage", "in-band", "management"
  std::string tier;     ///< "leaf"
  std::string part;     ///< empty where the cluster names none
  long long count = 0;
  Watts rated_each;     ///< modules in the cages included
  Watts expected_each;  ///< with the modules that are in its cages
};

struct CablePlan {
  std::vector<SwitchTotal> switches;
  std::vector<CableTotal> cables;
  std::vector<TransceiverTotal> transceivers;  ///< the larger of a part's both uses together
  std::vector<CableRun> runs;                  ///< only if asked for
  std::vector<std::string> warnings;
  std::vector<SiteVerdict> verdicts;
  std::vector<std::string> uncounted;  ///< "switches of tier leaf and their cables": what has no part
};

struct CableRequest {
  const RackLayout& layout;
  const CableRouter& router;
  const std::vector<SiteNetwork>& networks;
  const Catalog& catalog;
  const SwitchPart* management_switch = nullptr;
  const ServicesSpec& services;
  int node_ports_per_cage = 1;  ///< of the training network; nodes of other networks have a cage for each port
  bool keep_runs = false;
};

CablePlan plan_cables(const CableRequest& request);

}  // namespace clusterwright
