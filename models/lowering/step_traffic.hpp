// SPDX-License-Identifier: Apache-2.0
/// Bytes that a whole step puts on each link of the network between nodes, stream by stream.
///
/// Each chain of the lowered step stands for the traffic of one stream of some rank classes; that is laid on the routed
/// graph with the routing of the fabric (lay_on_all_links), also where the step itself uses nested groups. Collectives
/// count as rings and exchanges, as in the step. Where nested groups join the rails of a tapered tier, a single link
/// can get more bytes than it carries in the time of the step (docs/decisions/0014-one-network.md). Input counts where
/// file servers are on the network; pooled memory has no place in the graph and is left out.
///
/// Example: a forward message of 8 MB from each of 4 senders, 16 micro-batches, one cable for two of the senders:
/// 16 x 2 x 8 MB = 256 MB on that cable, 512 MB on the NICs.
#pragma once

#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "models/lowering/lowered_step.hpp"
#include "models/lowering/stream_traffic.hpp"
#include "topology/routing/link_loads.hpp"

namespace clusterwright {

/// Names of streams, by Stream.
inline constexpr std::array<std::string_view, stream_count> stream_names = {
    "pipeline forward", "pipeline backward", "data",         "mirrors",     "shards", "context", "tensor",
    "experts",          "expert replicas",   "expert parts", "stage pairs", "input"};

class StepTraffic {
 public:
  /// @pre the cluster has a network; @throws ConfigError E0320 where a pair of ranks has no path left
  StepTraffic(const Scenario& scenario, const LoweredStep& step);

  /// One link under one run of a chain.
  struct Crossing {
    Stream stream = Stream::data_ring;
    LinkId link;
    double share = 0;  ///< bytes on the link per byte of the chain
  };
  /// Links that a run of `chain` crosses; a link may come several times. None for chains that stay in their domains.
  std::vector<Crossing> crossings(ChainId chain) const;

  /// Bytes by stream and link of a step; streams without bytes are left out.
  std::map<Stream, LinkLoads> bytes(const StepStructure& structure, const StepTiming& timing) const;

 private:
  const NetworkGraph& graph_;
  std::vector<ChainTraffic> chains_;  // ascending by chain
  std::map<ClassStream, std::vector<std::pair<LinkId, double>>> loads_;
};

/// Times that a step runs each chain.
std::vector<double> chain_runs(const StepStructure& structure);

/// Bytes of each chain.
Bytes chain_bytes(const StepStructure& structure, const StepTiming& timing, ChainId chain);

}  // namespace clusterwright
