// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_map>

#include "models/kernels/collectives/node_order.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void refuse(const char* code, std::string message, std::string help = {}) {
  throw ConfigError(Diagnostic{code, std::move(message), {}, {}, std::move(help)});
}

/// Groups that interleave: block by block of ranks * stride accelerators, `stride` groups in each.
struct Interleaving {
  long long ranks = 0;
  long long stride = 1;

  long long block() const { return ranks * stride; }
  long long accelerator(long long group, long long rank) const {
    return group / stride * block() + group % stride + rank * stride;
  }
  /// Accelerators from the first one on that hold so many groups.
  long long needed(long long groups) const {
    const long long full = groups / stride * block();
    const long long over = groups % stride;
    return over == 0 ? full : full + (ranks - 1) * stride + over;
  }
  /// The most groups that so many accelerators hold.
  long long fitting(long long accelerators) const {
    const long long rest = accelerators % block() - (ranks - 1) * stride;
    return accelerators / block() * stride + std::max(rest, 0LL);
  }
};

void check_stride(int stride, const Cluster& cluster) {
  for (const NodeGroup& nodes : cluster.groups) {
    const int node = nodes.node_accelerators;
    if (stride > 0 && (node % stride == 0 || stride % node == 0)) continue;
    refuse("E0334",
           fmt::format("a stride of {} neither divides the {} accelerators of a node nor is a multiple of them", stride,
                       node));
  }
}

Interleaving interleaving(const GroupRequest& request, const Cluster& cluster) {
  if (request.ranks < 2)
    refuse("E0330", fmt::format("a group needs at least 2 ranks (got {})", request.ranks),
           "an operation on one rank moves no data");
  int stride = request.stride;
  if (stride == 0) stride = request.policy == NodePolicy::rail ? cluster.domain : 1;
  if (request.stride != 0) check_stride(stride, cluster);
  return {request.ranks, stride};
}

void check_list(const std::vector<NodeId>& nodes, int all) {
  std::vector<bool> seen(static_cast<std::size_t>(all), false);
  for (const NodeId node : nodes) {
    if (node.value >= seen.size())
      refuse("E0335", fmt::format("node {} is out of range", node.value),
             fmt::format("the nodes are 0 to {}", all - 1));
    if (seen[node.value]) refuse("E0335", fmt::format("node {} is listed twice", node.value));
    seen[node.value] = true;
  }
}

/// Nodes to pick so that they have the accelerators for sure, whatever kinds are picked.
int nodes_for(long long accelerators, const Cluster& cluster) {
  int smallest = cluster.groups.front().node_accelerators;
  for (const NodeGroup& nodes : cluster.groups) smallest = std::min(smallest, nodes.node_accelerators);
  const long long nodes = (accelerators + smallest - 1) / smallest;
  return static_cast<int>(std::min<long long>(nodes, cluster.nodes()));
}

/// @param wanted  nodes that the job needs
std::vector<NodeId> pick_nodes(const GroupRequest& request, const Cluster& cluster, int wanted) {
  const bool listed =
      request.policy == NodePolicy::hostlist || (request.policy == NodePolicy::optimised && !request.nodes.empty());
  if (listed) check_list(request.nodes, cluster.nodes());
  std::vector<NodeId> nodes = listed ? request.nodes : std::vector<NodeId>{};
  if (request.policy == NodePolicy::contiguous || request.policy == NodePolicy::rail)
    nodes = numbered_nodes(cluster.nodes());
  else if (!listed)
    nodes = scattered_nodes(cluster.nodes(), wanted, request.seed);
  if (request.policy == NodePolicy::shuffled) shuffle_nodes(nodes, request.seed);
  if (request.policy == NodePolicy::optimised) nodes = near_order(std::move(nodes), cluster);
  return nodes;
}

std::vector<AcceleratorId> accelerators_of(const std::vector<NodeId>& nodes, const Cluster& cluster) {
  std::vector<AcceleratorId> first;  // by kind of nodes
  AcceleratorId next(0);
  for (const NodeGroup& kind : cluster.groups) first.push_back(next), next = next + kind.accelerators();
  std::vector<AcceleratorId> accelerators;
  for (const NodeId node : nodes) {
    const NodeGroup& kind = cluster.group_of_node(node);
    const auto index = static_cast<std::size_t>(&kind - cluster.groups.data());
    const AcceleratorId begin = first[index] + (node - kind.first_node) * kind.node_accelerators;
    for (int a = 0; a < kind.node_accelerators; ++a) accelerators.push_back(begin + a);
  }
  return accelerators;
}

/// @param domain_of  number of the domain that an accelerator is in
std::vector<DomainShare> shares(const Communicator& group, const std::function<int(AcceleratorId)>& domain_of) {
  std::vector<DomainShare> out;
  std::unordered_map<int, std::size_t> index;
  for (const AcceleratorId accelerator : group) {
    const int domain = domain_of(accelerator);
    const auto [at, added] = index.try_emplace(domain, out.size());
    if (added) out.push_back({domain, {}});
    out[at->second].members.push_back(accelerator);
  }
  return out;
}

}  // namespace

std::vector<Communicator> make_groups(const GroupRequest& request, const Cluster& cluster) {
  const Interleaving layout = interleaving(request, cluster);
  const long long all = cluster.spec.accelerators;
  const long long needed = layout.needed(std::max(request.groups, 1));
  const bool every = request.groups <= 0;
  const std::vector<NodeId> nodes = pick_nodes(request, cluster, nodes_for(every ? all : needed, cluster));
  const std::vector<AcceleratorId> accelerators = accelerators_of(nodes, cluster);
  const auto available = static_cast<long long>(accelerators.size());
  if (needed > available)
    refuse("E0333",
           fmt::format("the groups need {} accelerators, but {} {}", needed,
                       available < all ? "the listed nodes have" : "the cluster has", available),
           "reduce the ranks, the groups or the stride");
  std::vector<Communicator> groups(static_cast<std::size_t>(every ? layout.fitting(available) : request.groups));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (int r = 0; r < request.ranks; ++r)
      groups[g].push_back(accelerators[static_cast<std::size_t>(layout.accelerator(static_cast<long long>(g), r))]);
  return groups;
}

AcceleratorPlace place_of(AcceleratorId accelerator, const Cluster& cluster) {
  int left = accelerator - AcceleratorId(0), domains = 0;
  for (const NodeGroup& kind : cluster.groups) {
    if (left >= 0 && left < kind.accelerators())
      return {kind.first_node + left / kind.node_accelerators, left % kind.node_accelerators,
              domains + left / kind.domain, left % kind.domain};
    left -= kind.accelerators();
    domains += (kind.accelerators() + kind.domain - 1) / kind.domain;
  }
  throw std::invalid_argument("an accelerator that the cluster does not have");
}

std::vector<DomainShare> by_domain(const Communicator& group, int domain_accelerators) {
  return shares(group,
                [&](AcceleratorId accelerator) { return static_cast<int>(accelerator.value) / domain_accelerators; });
}

std::vector<DomainShare> by_domain(const Communicator& group, const Cluster& cluster) {
  return shares(group, [&](AcceleratorId accelerator) { return place_of(accelerator, cluster).domain; });
}

}  // namespace clusterwright
