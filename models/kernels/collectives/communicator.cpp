// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "sim/diagnostic.hpp"
#include "topology/graph/counter_random.hpp"

namespace clusterwright {

namespace {

/// Purpose of a draw: second word of its counter.
enum Stream : std::uint32_t { job_sizes = 1, job_places, shuffles };

int draw(int below, std::size_t number, Stream stream, std::uint64_t seed) {
  return static_cast<int>(
      draw_below(static_cast<std::uint32_t>(below), {static_cast<std::uint32_t>(number), stream, 0, 0}, seed));
}

/// Torus without sites, in the coordinates of build_network.
const TorusSpec* torus_of(const Cluster& cluster) {
  const FabricSpec& fabric = cluster.spec.fabric;
  const bool one_site = !fabric.sites || fabric.sites->count == 1;
  return fabric.kind == FabricKind::torus && fabric.torus && one_site ? &*fabric.torus : nullptr;
}

int torus_links_between(NodeId from, NodeId to, const TorusSpec& torus) {
  int a = from - NodeId(0), b = to - NodeId(0);
  int links = 0;
  for (const int side : torus.sides) {
    const int apart = std::abs(a % side - b % side);
    links += torus.wrap ? std::min(apart, side - apart) : apart;
    a /= side;
    b /= side;
  }
  return links;
}

/// Place of a node in rows that are walked there and back: a coordinate counts backwards where the rows before it are
/// odd in number.
int serpentine_place(NodeId node, const std::vector<int>& sides) {
  std::vector<int> at;
  int rest = node - NodeId(0);
  for (const int side : sides) at.push_back(rest % side), rest /= side;
  int place = 0;
  for (std::size_t i = sides.size(); i-- > 0;)
    place = place * sides[i] + (place % 2 == 0 ? at[i] : sides[i] - 1 - at[i]);
  return place;
}

int links_between(NodeId a, NodeId b, const Cluster& cluster) {
  if (a == b) return 0;
  if (const TorusSpec* torus = torus_of(cluster)) return torus_links_between(a, b, *torus);
  const auto each = static_cast<std::uint32_t>(cluster.node_accelerators);
  const auto domain = static_cast<std::uint32_t>(cluster.domain);
  const AcceleratorId first(a.value * each), second(b.value * each);
  if (!cluster.mixed() && first.value / domain == second.value / domain) return 0;
  if (cluster.fabric.tiers().empty()) return 0;
  return 2 * static_cast<int>(cluster.fabric.meeting_tier(first, second) + 1);
}

/// Takes up to `size` free nodes from `start` on. @return how many
int occupy(std::vector<bool>& taken, int start, int size) {
  const int nodes = static_cast<int>(taken.size());
  int got = 0;
  for (int i = 0; i < nodes && got < size; ++i) {
    const auto node = static_cast<std::size_t>((start + i) % nodes);
    if (!taken[node]) taken[node] = true, ++got;
  }
  return got;
}

}  // namespace

std::vector<NodeId> numbered_nodes(int nodes) {
  const IdRange<NodeId> all(0, static_cast<std::size_t>(nodes));
  return {all.begin(), all.end()};
}

std::vector<NodeId> scattered_nodes(int nodes, int wanted, std::uint64_t seed) {
  std::vector<bool> taken(static_cast<std::size_t>(nodes), false);
  int left = std::min(static_cast<int>(busy_share * nodes), nodes - wanted);
  const int sizes = std::bit_width(static_cast<unsigned>(std::max(nodes / 8, 1)));
  for (std::size_t job = 0; left > 0; ++job) {
    const int size = 1 << draw(sizes, job, job_sizes, seed);
    left -= occupy(taken, draw(nodes, job, job_places, seed), std::min(size, left));
  }
  std::vector<NodeId> free;
  for (std::size_t node = 0; node < taken.size() && static_cast<int>(free.size()) < wanted; ++node)
    if (!taken[node]) free.push_back(NodeId(node));
  return free;
}

void shuffle_nodes(std::vector<NodeId>& nodes, std::uint64_t seed) {
  for (std::size_t left = nodes.size(); left > 1; --left)
    std::swap(nodes[left - 1], nodes[static_cast<std::size_t>(draw(static_cast<int>(left), left, shuffles, seed))]);
}

long long ring_links(const std::vector<NodeId>& nodes, const Cluster& cluster) {
  long long links = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    links += links_between(nodes[i], nodes[(i + 1) % nodes.size()], cluster);
  return links;
}

std::vector<NodeId> near_order(std::vector<NodeId> nodes, const Cluster& cluster) {
  std::vector<std::vector<NodeId>> orders(1, nodes);
  std::sort(orders[0].begin(), orders[0].end());
  if (const TorusSpec* torus = torus_of(cluster)) {
    orders.push_back(orders[0]);
    std::sort(orders[1].begin(), orders[1].end(), [&](NodeId a, NodeId b) {
      return serpentine_place(a, torus->sides) < serpentine_place(b, torus->sides);
    });
  }
  orders.push_back(std::move(nodes));
  return *std::min_element(orders.begin(), orders.end(), [&](const auto& a, const auto& b) {
    return ring_links(a, cluster) < ring_links(b, cluster);
  });
}

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
  /// Maximum number of groups on a number of accelerators.
  long long fitting(long long accelerators) const {
    const long long rest = accelerators % block() - (ranks - 1) * stride;
    return accelerators / block() * stride + std::max(rest, 0LL);
  }
};

void check_stride(int stride, const Cluster& cluster) {
  for (const NodeGroup& nodes : cluster.groups) {
    const int node = cluster.mixed() ? nodes.node_accelerators : cluster.node_ranks();
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
  if (stride == 0) stride = request.policy == NodePolicy::rail ? cluster.blocks.used : 1;
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
  if (!cluster.mixed()) {  // of a full domain the job gets only a block
    accelerators *= cluster.blocks.domain;
    smallest *= cluster.blocks.used;
  }
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

/// Accelerators of the nodes; of each domain at most as many as the job uses, those of the first nodes.
std::vector<AcceleratorId> accelerators_of(const std::vector<NodeId>& nodes, const Cluster& cluster) {
  std::vector<int> taken(static_cast<std::size_t>(cluster.domains()), 0);
  const auto take = [&](AcceleratorId accelerator) {
    return cluster.mixed() ||
           taken[accelerator.value / static_cast<std::size_t>(cluster.domain)]++ < cluster.blocks.used;
  };
  std::vector<AcceleratorId> first;  // by kind of nodes
  AcceleratorId next(0);
  for (const NodeGroup& kind : cluster.groups) first.push_back(next), next = next + kind.accelerators();
  std::vector<AcceleratorId> accelerators;
  for (const NodeId node : nodes) {
    const NodeGroup& kind = cluster.group_of_node(node);
    const auto index = static_cast<std::size_t>(&kind - cluster.groups.data());
    const AcceleratorId begin = first[index] + (node - kind.first_node) * kind.node_accelerators;
    for (int a = 0; a < kind.node_accelerators; ++a)
      if (take(begin + a)) accelerators.push_back(begin + a);
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
    // The job's nodes may be any of a larger machine of one kind.
    const int all = cluster.mixed() ? kind.accelerators() : cluster.machine_nodes() * kind.node_accelerators;
    if (left >= 0 && left < all)
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
