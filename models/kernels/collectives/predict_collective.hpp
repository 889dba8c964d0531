// SPDX-License-Identifier: Apache-2.0
/// Prediction of the table that nccl-tests prints on a cluster.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

struct CollectiveRequest {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::vector<Communicator> groups;  ///< groups that run the op at the same time
  CollectiveChoice choice;
  bool sharp = false;  ///< switches between nodes may reduce
  /// Exchange of dispatch and combine; ranks, domains and bytes are filled in from the groups and the size.
  ExpertExchange experts{};
};

/// One line of the table, for the slowest group.
struct CollectiveAnswer {
  Bytes bytes;  ///< size as nccl-tests prints it
  Seconds time;
  Seconds low, high;  ///< 90 % interval
  BytesPerSecond algorithm_bandwidth;
  BytesPerSecond bus_bandwidth;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  /// Bottleneck: "latency", "protocol", "scale-up links", "PCI Express", "NICs", "TCP sockets of the hosts",
  /// "leaf-spine links".
  std::string limit;
};

/// Predicts one op over one set of groups; loads on links are laid once for each algorithm. Const members may be called
/// from several threads.
class CollectivePredictor {
 public:
  /// @param network  nullptr for groups inside one domain; must outlive this
  /// @throws ConfigError E0320 where a path is missing, E0332 where a forced algorithm or protocol does not fit
  CollectivePredictor(const Cluster& cluster, const CollectiveSet& parameters, const RoutedNetwork* network,
                      CollectiveRequest request);
  ~CollectivePredictor();

  /// @throws ConfigError E0332 where NCCL does not offer the forced algorithm or protocol
  CollectiveAnswer predict(Bytes bytes) const;

  /// Flows of all groups, which wait for each other; 0 inside one domain.
  double flows() const;

  /// Most loaded links under the traffic of the algorithm that `bytes` takes, in seconds per counted byte, descending.
  std::vector<BusiestLink> busiest(Bytes bytes, std::size_t top) const;

 private:
  struct Laid;      ///< traffic of one algorithm on links
  struct LazyLaid;  ///< the same once somebody asks
  /// Groups of one shape: their links, and the farthest of them.
  struct Layout {
    GroupShape shape;
    GroupLinks links;
    int torus_hops = 0;
  };
  struct Slowest {
    CollectiveTiming timing;
    const Layout* layout = nullptr;
  };
  void add_distance(Layout& layout, const Communicator& group) const;
  bool crosses_domains() const;
  const Laid& laid(Algorithm algorithm) const;
  Laid lay(Algorithm algorithm) const;
  CollectiveTiming cost_of(const Layout& layout, Bytes bytes) const;
  CollectiveTiming time_between_experts(const Layout& layout, Bytes bytes) const;
  GroupLinks links_with_fabric(const Layout& layout, Algorithm algorithm) const;
  Slowest slowest(Bytes bytes) const;
  Slowest slowest_or_refuse(Bytes bytes) const;
  static bool on_fabric(const Slowest& slowest);
  std::string limit(const Slowest& slowest) const;
  Seconds with_tail(const CollectiveTiming& priced, double& half_width) const;

  const Cluster& cluster_;
  const CollectiveSet& parameters_;
  const RoutedNetwork* network_;
  CollectiveRequest request_;
  std::vector<Layout> layouts_;
  std::unique_ptr<LazyLaid[]> laid_;  // by algorithm
};

/// Bytes that nccl-tests counts for bus bandwidth over its size: 2 (n - 1) / n for all-reduce, (n - 1) / n to gather,
/// scatter and exchange, 1 for broadcast and send.
double bus_factor(CollectiveOp op, int ranks);

}  // namespace clusterwright
