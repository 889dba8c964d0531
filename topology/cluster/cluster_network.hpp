// SPDX-License-Identifier: Apache-2.0
/// Network of a cluster, built once somebody asks for it.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

/// Copies of a cluster share it; safe to ask from several threads.
class ClusterNetwork {
 public:
  ClusterNetwork(const FabricSpec& fabric, const NetworkSize& size, const FabricPorts& ports)
      : fabric_(fabric), size_(size), ports_(ports) {}
  /// Cables and routes of another network, on which hashed flows draw other paths between the same places.
  ClusterNetwork(const std::shared_ptr<const ClusterNetwork>& other, int routing_seed)
      : fabric_(other->fabric_),
        size_(other->size_),
        ports_(other->ports_),
        cables_(other->cables_ ? other->cables_ : other) {
    fabric_.routing_seed = routing_seed;
  }

  /// @throws ConfigError as route_network
  const RoutedNetwork& routed() const {
    std::call_once(once_, [&] {
      const PathPolicy policy = path_policy(fabric_);
      routed_ = std::make_unique<RoutedNetwork>(cables_ ? cables_->routed()
                                                        : route_network(fabric_, size_, ports_, {}, policy));
      routed_->policy = policy;
    });
    return *routed_;
  }

  /// Answer about the network that costs much and is asked for again and again, such as the loads of a plan.
  /// @param key   everything that the answer depends on beside the network; starts with a number of the asker's own
  /// @param make  called where the answer is not known; not under a lock
  std::any remembered(const std::vector<int>& key, const std::function<std::any()>& make) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = answers_.find(key); found != answers_.end()) return found->second;
    }
    std::any answer = make();
    const std::lock_guard lock(mutex_);
    constexpr std::size_t most_answers = 64;
    if (answers_.size() >= most_answers) answers_.clear();
    return answers_[key] = std::move(answer);
  }
  /// The same for an answer that paths do not change: networks on the same cables share it.
  std::any remembered_of_cables(const std::vector<int>& key, const std::function<std::any()>& make) const {
    return (cables_ ? *cables_ : *this).remembered(key, make);
  }

 private:
  FabricSpec fabric_;
  NetworkSize size_;
  FabricPorts ports_;
  std::shared_ptr<const ClusterNetwork> cables_;  // that it shares; nullptr: its own
  mutable std::once_flag once_;
  mutable std::unique_ptr<RoutedNetwork> routed_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<int>, std::any> answers_;
};

}  // namespace clusterwright
