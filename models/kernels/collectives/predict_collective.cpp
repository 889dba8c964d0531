// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/predict_collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>

#include "models/kernels/collectives/collective_laws.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "models/kernels/collectives/other_algorithms.hpp"
#include "models/kernels/collectives/slow_flow.hpp"
#include "sim/diagnostic.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

GroupShape shape_of(const Communicator& group, const Cluster& cluster) {
  const int domains = static_cast<int>(by_domain(group, cluster).size());
  const int ranks = static_cast<int>(group.size());
  return {domains, ranks / domains, ranks % domains};
}

/// Members of groups by domain, where their places matter.
class GroupPlaces {
 public:
  GroupPlaces(const std::vector<Communicator>& groups, const Cluster& cluster) : cluster_(cluster) {
    if (cluster.mixed() || cluster.links.alike_everywhere()) return;
    for (const Communicator& group : groups)
      for (const DomainShare& share : by_domain(group, cluster))
        if (share.members.size() > 1) at_[share.domain].push_back(places(share));
  }

  /// Those of a group in the domain with most of its members, and of all groups beside it.
  DomainPlaces of(const Communicator& group) const {
    if (at_.empty()) return {};
    const std::vector<DomainShare> shares = by_domain(group, cluster_);
    const DomainShare& fullest =
        *std::ranges::max_element(shares, {}, [](const DomainShare& share) { return share.members.size(); });
    if (fullest.members.size() < 2) return {};
    DomainPlaces out{places(fullest)};
    for (const std::vector<int>& beside : at_.at(fullest.domain))
      if (beside != out.front()) out.push_back(beside);
    return out;
  }

 private:
  std::vector<int> places(const DomainShare& share) const {
    std::vector<int> out;
    for (const AcceleratorId member : share.members) out.push_back(place_of(member, cluster_).offset);
    return out;
  }

  const Cluster& cluster_;
  std::map<int, DomainPlaces> at_;  // by domain
};

/// Algorithm that NCCL or the library of a torus would run, unless the user chooses one.
bool is_ring_like(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

[[noreturn]] void refuse(std::string_view what, const std::string& why, const char* help) {
  throw ConfigError({Diagnostic{"E0332", std::string(what) + " cannot run here: " + why, {}, {}, help}});
}

bool is_foreign(Algorithm algorithm) {
  return static_cast<std::size_t>(algorithm) >= nccl_algorithm_count;
}

/// Choices that nothing further down would notice.
void check_choice(CollectiveOp op, const CollectiveChoice& choice, bool crosses_domains) {
  const bool by_nccl =
      (is_ring_like(op) || op == CollectiveOp::broadcast) && !(choice.algorithm && is_foreign(*choice.algorithm));
  if (!by_nccl && choice.protocol.value_or(Protocol::simple) != Protocol::simple)
    refuse(name_of(*choice.protocol), "only NCCL's rings and trees have a choice of protocol", "leave out --protocol");
  const bool exchanges = op == CollectiveOp::all_to_all && !crosses_domains;
  if ((exchanges || op == CollectiveOp::send) && choice.algorithm.value_or(Algorithm::direct) != Algorithm::direct)
    refuse(name_of(*choice.algorithm), std::string(name_of(op)) + " has no choice of algorithm",
           "leave out --algorithm");
}

/// Groups of equal shape on equal kinds of nodes differ in distance only.
using LayoutKey = std::tuple<int, int, int, DomainPlaces, std::set<NodeId>>;  // kinds of nodes by their first one

LayoutKey layout_key(const GroupShape& shape, const Communicator& group, const Cluster& cluster) {
  std::set<NodeId> kinds;
  for (std::size_t r = 0; cluster.mixed() && r < group.size(); ++r)
    kinds.insert(cluster.group_of_node(place_of(group[r], cluster).node).first_node);
  return {shape.domains, shape.ranks_per_domain, shape.surplus, shape.places, kinds};
}

}  // namespace

/// Traffic of one algorithm on links.
struct CollectivePredictor::Laid {
  LinkLoads loads;              ///< loads of the slowest stage
  LinkId busiest;               ///< its busiest link
  double seconds_per_byte = 0;  ///< sum over all stages, at data-sheet rates
};

struct CollectivePredictor::LazyLaid {
  std::once_flag once;
  Laid laid;
};

CollectivePredictor::CollectivePredictor(const Cluster& cluster, const CollectiveSet& parameters,
                                         const RoutedNetwork* network, CollectiveRequest request)
    : cluster_(cluster),
      parameters_(parameters),
      network_(network),
      request_(std::move(request)),
      laid_(std::make_unique<LazyLaid[]>(algorithm_names.size())) {
  if (request_.groups.empty()) throw std::invalid_argument("no group runs the operation");
  std::map<LayoutKey, std::size_t> known;
  const GroupPlaces places(request_.groups, cluster);
  for (const Communicator& group : request_.groups) {
    GroupShape shape = shape_of(group, cluster);
    shape.places = places.of(group);
    const auto [at, added] = known.try_emplace(layout_key(shape, group, cluster), layouts_.size());
    if (added) layouts_.push_back({shape, group_links(cluster, group, shape, {}), {}});
    add_distance(layouts_[at->second], group);
  }
  check_choice(request_.op, request_.choice, crosses_domains());
  const bool network_only = between_experts(request_.op) && request_.experts.network_only;
  if (network_only &&
      std::ranges::any_of(layouts_, [](const Layout& l) { return l.links.network_per_rank <= BytesPerSecond{}; }))
    refuse(name_of(request_.op), "copies inside a node should take NICs, and the nodes have none",
           "leave out --inside-over-nics, or give the nodes NICs");
}

void CollectivePredictor::add_distance(Layout& layout, const Communicator& group) const {
  layout.links.sharp = request_.sharp;
  if (layout.shape.domains == 1) return;
  if (!network_) throw std::invalid_argument("groups over several nodes need a network");
  const TrafficContext context{cluster_, network_->graph, network_->torus_sides};
  StepLatency& farthest = layout.links.switch_latency;
  const StepLatency own = step_latency(group, context, *network_->routes);
  farthest.farthest = std::max(farthest.farthest, own.farthest);
  farthest.ring = std::max(farthest.ring, own.ring);
  farthest.tree = std::max(farthest.tree, own.tree);
  layout.torus_hops = std::max(layout.torus_hops, torus_hops(group, context));
}

bool CollectivePredictor::crosses_domains() const {
  return std::any_of(layouts_.begin(), layouts_.end(), [](const Layout& layout) { return layout.shape.domains > 1; });
}

CollectivePredictor::~CollectivePredictor() = default;

const CollectivePredictor::Laid& CollectivePredictor::laid(Algorithm algorithm) const {
  const bool trees = algorithm == Algorithm::nvls_tree && request_.op == CollectiveOp::all_reduce;
  const Algorithm alike = trees ? Algorithm::tree : algorithm;  // the same traffic between nodes, laid once
  LazyLaid& entry = laid_[static_cast<std::size_t>(alike)];
  std::call_once(entry.once, [&] { entry.laid = lay(alike); });
  return entry.laid;
}

CollectivePredictor::Laid CollectivePredictor::lay(Algorithm algorithm) const {
  Laid out;
  const TrafficContext context{cluster_, network_->graph, network_->torus_sides};
  // Tokens travel as an exchange of all with all does, one copy for each node over the rails.
  const bool experts = between_experts(request_.op);
  const CollectiveOp op = experts ? CollectiveOp::all_to_all : request_.op;
  const Algorithm way = algorithm == Algorithm::hierarchical ? Algorithm::rail_aligned : algorithm;
  double slowest = 0;
  for (LinkLoads& loads :
       stage_loads(op, way, request_.groups, context, *network_->routes, network_->policy, network_->groups)) {
    const auto busiest = busiest_links(network_->graph, loads, 1);
    const double seconds = busiest.empty() ? 0 : busiest.front().seconds;
    out.seconds_per_byte += seconds;
    if (seconds < slowest) continue;
    slowest = seconds;
    if (!busiest.empty()) out.busiest = busiest.front().link;
    out.loads = std::move(loads);
  }
  return out;
}

GroupLinks CollectivePredictor::links_with_fabric(const Layout& layout, Algorithm algorithm) const {
  GroupLinks links = layout.links;
  if (const double seconds = laid(algorithm).seconds_per_byte; seconds > 0)
    links.fabric_limit = transport_share(links, parameters_.network) / seconds * byte_per_second;
  return links;
}

CollectiveTiming CollectivePredictor::time_between_experts(const Layout& layout, Bytes bytes) const {
  const GroupShape& shape = layout.shape;
  ExpertExchange exchange = request_.experts;
  const auto curve = parameters_.collectives.find(expert_curve(exchange.transfer));
  if (curve == parameters_.collectives.end()) throw std::invalid_argument("the parameters have no curve for experts");
  exchange.ranks = shape.ranks();
  exchange.ranks_in_domain = shape.domains == 1 ? shape.ranks() : shape.ranks_per_domain;
  const ExpertShares shares = exchange_shares(exchange);
  const GroupLinks links = shape.domains > 1 ? links_with_fabric(layout, exchange.transfer) : layout.links;
  CollectiveTiming timing = expert_exchange_time(bytes, shape, links, curve->second, parameters_.network, shares,
                                                 all_to_all_curve(parameters_.collectives));
  timing.algorithm = exchange.transfer;
  return timing;
}

/// Time of the algorithm that runs, with its rate limited by the fabric.
CollectiveTiming CollectivePredictor::cost_of(const Layout& layout, Bytes bytes) const {
  if (between_experts(request_.op)) return time_between_experts(layout, bytes);
  const auto& curves = parameters_.collectives;
  const NetworkParameters& network = parameters_.network;
  const GroupShape& shape = layout.shape;
  CollectiveChoice choice = request_.choice;
  if (shape.domains == 1) return collective_time(request_.op, bytes, shape, layout.links, curves, network, choice);
  if (!choice.algorithm && !network_->torus_sides.empty() && is_ring_like(request_.op))
    choice.algorithm = Algorithm::torus;
  const bool foreign = choice.algorithm == Algorithm::torus || choice.algorithm == Algorithm::halving_doubling;
  if (!foreign) {
    const CollectiveTiming chosen = collective_time(request_.op, bytes, shape, layout.links, curves, network, choice);
    choice = {chosen.algorithm, chosen.protocol};
  }
  const GroupLinks links = links_with_fabric(layout, *choice.algorithm);
  if (choice.algorithm == Algorithm::torus)
    return torus_time(request_.op, bytes, shape, links, layout.torus_hops * network_->graph.hop_latency(), network);
  if (choice.algorithm == Algorithm::halving_doubling)
    return halving_doubling_time(request_.op, bytes, shape, links, curves.at(curve_name(request_.op)), network);
  return collective_time(request_.op, bytes, shape, links, curves, network, choice);
}

CollectivePredictor::Slowest CollectivePredictor::slowest(Bytes bytes) const {
  Slowest out;
  for (const Layout& layout : layouts_) {
    const CollectiveTiming timing = cost_of(layout, bytes);
    if (!out.layout || timing.time() > out.timing.time()) out = {timing, &layout};
  }
  return out;
}

/// Whether bytes pass switches; NICs of one domain may exchange them at its own leaf.
bool CollectivePredictor::on_fabric(const Slowest& slowest) {
  return slowest.timing.crosses_domains && slowest.layout->shape.domains > 1;
}

std::string CollectivePredictor::limit(const Slowest& slowest) const {
  const CollectiveTiming& timing = slowest.timing;
  if (timing.latency > timing.wire / timing.rate) return "latency";
  const GroupShape& shape = slowest.layout->shape;
  const NodeLinks& node = cluster_.links;
  const bool pcie =
      NodeLinks::LinkClass::pcie ==
      (shape.places.empty() ? node.inner(std::min(cluster_.domain, shape.ranks_per_domain)) : node.inner(shape.places));
  const std::string links = pcie ? "PCI Express" : "scale-up links";
  const std::string inside = timing.protocol == Protocol::simple ? links : "protocol";
  if (!timing.crosses_domains) return inside;
  if (!on_fabric(slowest)) return "NICs";
  const Laid& traffic = laid(timing.algorithm);
  const double fabric = transport_share(slowest.layout->links, parameters_.network) / traffic.seconds_per_byte;
  constexpr double close = 0.8;  // protocols and trees stay below what links carry
  if (timing.rate.in(byte_per_second) < close * fabric) return inside;
  const LinkId link = traffic.busiest;
  const NetworkGraph& graph = network_->graph;
  const GroupLinks& slow = slowest.layout->links;
  const bool sockets =
      slow.tcp && transport_share(slow, parameters_.network) < parameters_.network.tcp_bandwidth_share.value;
  if (graph.is_endpoint(graph.from(link)) || graph.is_endpoint(graph.to(link)))
    return sockets ? "TCP sockets of the hosts" : "NICs";
  return graph.link_kinds()[graph.kind(link)].name + " links";
}

CollectivePredictor::Slowest CollectivePredictor::slowest_or_refuse(Bytes bytes) const {
  try {
    return slowest(bytes);
  } catch (const std::invalid_argument& error) {
    const CollectiveChoice& choice = request_.choice;
    const std::string_view what = choice.algorithm  ? name_of(*choice.algorithm)
                                  : choice.protocol ? name_of(*choice.protocol)
                                                    : name_of(request_.op);
    refuse(what, error.what(), "leave out --algorithm and --protocol");
  }
}

double CollectivePredictor::flows() const {
  double flows = 0;
  for (const Communicator& group : request_.groups)
    flows += request_.op == CollectiveOp::send ? 1 : static_cast<double>(group.size());
  return crosses_domains() ? flows : 0;
}

/// With the slowest of its flows. @param half_width  of the interval in log space; grows by what the tail leaves open
Seconds CollectivePredictor::with_tail(const CollectiveTiming& priced, double& half_width) const {
  const std::optional<TailSpec>& tail = cluster_.spec.fabric.tail;
  if (!tail) return priced.time();
  const Seconds time = with_slow_flow(priced, FlowTail(*tail).slowest(flows())).time();
  half_width = std::hypot(half_width, half_width_90 * tail_error(*tail, flows(), 1 - priced.time() / time));
  return time;
}

CollectiveAnswer CollectivePredictor::predict(Bytes bytes) const {
  const Slowest slowest = slowest_or_refuse(bytes);
  const CollectiveTiming& priced = slowest.timing;
  const bool as_all_to_all =
      between_experts(request_.op) && moves_over_pcie(slowest.layout->shape, slowest.layout->links);
  const CollectiveOp judged = as_all_to_all ? CollectiveOp::all_to_all : request_.op;
  double half_width = collective_half_width(judged, bytes, priced, parameters_);
  CollectiveAnswer answer;
  answer.bytes = bytes;
  answer.time = on_fabric(slowest) ? with_tail(priced, half_width) : priced.time();
  const double spread = std::exp(half_width);
  answer.low = answer.time / spread;
  answer.high = answer.time * spread;
  answer.algorithm_bandwidth = bytes / answer.time;
  answer.bus_bandwidth =
      answer.algorithm_bandwidth * bus_factor(request_.op, static_cast<int>(request_.groups.front().size()));
  answer.algorithm = priced.algorithm;
  answer.protocol = priced.protocol;
  answer.limit = limit(slowest);
  const bool inside = !on_fabric(slowest);
  const int ranks = static_cast<int>(request_.groups.front().size());
  const Seconds wire = inside ? Seconds{} : priced.wire.in(byte)*laid(priced.algorithm).seconds_per_byte * second;
  check_laws(answer, {request_.op, ranks, inside, wire}, cluster_);
  return answer;
}

std::vector<BusiestLink> CollectivePredictor::busiest(Bytes bytes, std::size_t top) const {
  const Slowest slowest = slowest_or_refuse(bytes);
  if (!on_fabric(slowest)) return {};
  return busiest_links(network_->graph, laid(slowest.timing.algorithm).loads, top);
}

double bus_factor(CollectiveOp op, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (op == CollectiveOp::all_reduce) return 2 * others;
  return op == CollectiveOp::broadcast || op == CollectiveOp::send ? 1 : others;
}

}  // namespace clusterwright
