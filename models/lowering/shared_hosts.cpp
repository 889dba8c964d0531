// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/shared_hosts.hpp"

#include "models/lowering/interner.hpp"

namespace clusterwright {

bool shares_hosts(const Scenario& s) {
  const Offload& offload = s.job.offload;
  const bool memory = offload.any() && s.cluster.spec.node.host.memory_bandwidth;
  return s.job.input || memory || offload.uses(MemoryLevel::nvme);
}

SharedHosts::SharedHosts(const std::map<int, HostRanks>& hosts, std::size_t classes) : kind_of_(classes) {
  Interner<HostRanks> kinds;
  for (const auto& [host, ranks] : hosts) {
    const HostKindId kind(static_cast<std::size_t>(kinds.number(ranks)));
    if (kind.value == kinds_.size()) kinds_.push_back(ranks);
    for (const auto& [rank_class, number] : ranks) kind_of_[rank_class] = kind;
  }
}

}  // namespace clusterwright
