// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/file_traffic.hpp"

#include <algorithm>

#include "topology/routing/routed_network.hpp"

namespace clusterwright {

FileTraffic::FileTraffic(const Cluster& cluster, double share)
    : cluster_(cluster),
      share_(share),
      flows_(CollectiveOp::send, Algorithm::direct, no_group_,
             {cluster, cluster.network().graph, cluster.network().torus_sides}) {}

template <class Add>
void FileTraffic::each_server(AcceleratorId accelerator, int file, double bytes, Add add) const {
  const TrafficBuilder::Ports own = flows_.ports(accelerator);
  const int all = cluster_.file_servers(), striped = std::min(all, stripe_servers);
  const double share = bytes / (striped * own.count);
  for (int i = 0; i < striped; ++i) {
    const int server = static_cast<int>((1LL * file * striped + i) % all);
    const TrafficBuilder::Ports ports{NodeId(cluster_.machine_nodes() + server), own.first, own.count};
    for (int lane = 0; lane < own.count; ++lane) add(flows_.endpoint(own, lane), flows_.endpoint(ports, lane), share);
  }
}

void FileTraffic::add_read(std::vector<Demand>& demands, AcceleratorId reader, int file, double bytes) const {
  each_server(reader, file, bytes, [&](VertexId host, VertexId server, double share) {
    demands.push_back({server, host, share});
  });
}

void FileTraffic::add_write(std::vector<Demand>& demands, AcceleratorId writer, int file, double bytes) const {
  each_server(writer, file, bytes, [&](VertexId host, VertexId server, double share) {
    demands.push_back({host, server, share});
  });
}

Seconds FileTraffic::time(const std::vector<Demand>& demands) const {
  const RoutedNetwork& network = cluster_.network();
  const auto busiest = busiest_links(network.graph, link_loads(network, demands), 1);
  return (busiest.empty() ? 0 : busiest.front().seconds / share_) * second;
}

}  // namespace clusterwright
