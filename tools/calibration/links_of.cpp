// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/links_of.hpp"

#include "sim/diagnostic.hpp"
#include "tools/cluster_session.hpp"

namespace clusterwright {

SampledLinks links_of(const std::string& cluster, const SampleSession& session) {
  SampledLinks links;
  if (session.part.scale_up_bandwidth) links.scale_up = session.part.scale_up_bandwidth->value;
  if (!cluster.empty()) {
    const Cluster described = open_cluster(cluster, {}).cluster;
    links.scale_up = described.inner_bandwidth(described.domain);
    if (described.nics > 0) links.scale_out = described.network_per_accelerator();
  }
  if (crosses_nodes(session.samples) && links.scale_out <= BytesPerSecond{})
    throw ConfigError({"E0340",
                       "the samples cross nodes, and nothing says what joins these",
                       {},
                       "",
                       "name the cluster that they were taken on: --cluster FILE   (clusterwright import "
                       "nccl-topology makes one)"});
  return links;
}

}  // namespace clusterwright
