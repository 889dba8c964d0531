#include "models/collectives/predict_collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "models/collectives/collective_interval.hpp"
#include "models/collectives/expert_cost.hpp"
#include "models/collectives/group_links.hpp"
#include "models/collectives/other_algorithms.hpp"
#include "models/collectives/traffic_loads.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

GroupShape shape_of(const Communicator& group, const Cluster& cluster) {
  const int domains = static_cast<int>(by_domain(group, cluster).size());
  const int ranks = static_cast<int>(group.size());
  return {domains, ranks / domains, ranks % domains};
}

/// What NCCL or the library of a torus would run unless the user insists.
bool is_ring_like(CollectiveOp op) {
  return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

bool between_experts(CollectiveOp op) {
  return op == CollectiveOp::dispatch || op == CollectiveOp::combine;
}

[[noreturn]] void refuse(const CollectiveChoice& choice, const std::string& why) {
  const std::string what = choice.algorithm ? std::string(name_of(*choice.algorithm)) : "this algorithm";
  throw ConfigError({Diagnostic{"E0332", what + " cannot run here: " + why, {}, {}, "leave --algorithm out"}});
}

}  // namespace

/// Traffic of one algorithm on links.
struct CollectivePredictor::Laid {
  LinkLoads loads;              ///< of the slowest stage
  double seconds_per_byte = 0;  ///< over all stages, at data-sheet rates
};

CollectivePredictor::CollectivePredictor(const Cluster& cluster, const CollectiveSet& parameters,
                                         const RoutedNetwork* network, CollectiveRequest request)
    : cluster_(cluster), parameters_(parameters), network_(network), request_(std::move(request)) {
  shape_ = shape_of(request_.groups.at(0), cluster);
  if (shape_.nodes > 1 && !network_) throw std::invalid_argument("groups over several nodes need a network");
  const Seconds step =
      shape_.nodes > 1
          ? slowest_step(request_.groups.front(), {cluster, network->graph, network->torus_sides}, *network_->routes)
          : Seconds{};
  links_ = group_links(cluster, request_.groups.front(), shape_, step);
  links_.sharp = request_.sharp;
}

CollectivePredictor::~CollectivePredictor() = default;

const CollectivePredictor::Laid& CollectivePredictor::laid(Algorithm algorithm) const {
  std::unique_ptr<Laid>& entry = laid_[algorithm];
  if (entry) return *entry;
  entry = std::make_unique<Laid>();
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
    entry->seconds_per_byte += seconds;
    if (seconds < slowest) continue;
    slowest = seconds;
    entry->loads = std::move(loads);
  }
  return *entry;
}

GroupLinks CollectivePredictor::links_with_fabric(Algorithm algorithm) const {
  GroupLinks links = links_;
  if (const double seconds = laid(algorithm).seconds_per_byte; seconds > 0)
    links.fabric_limit = parameters_.network.bandwidth_share.value / seconds * byte_per_second;
  return links;
}

CollectiveCost CollectivePredictor::cost_between_experts(Bytes bytes) const {
  const auto curve = parameters_.collectives.find("expert_exchange");
  if (curve == parameters_.collectives.end()) throw std::invalid_argument("the parameters have no curve for experts");
  ExpertExchange exchange = request_.experts;
  exchange.ranks = shape_.ranks();
  exchange.ranks_in_domain = shape_.nodes == 1 ? shape_.ranks() : shape_.ranks_per_node;
  exchange.tokens = 1;
  exchange.token_size = bytes / exchange.top_k;
  const ExpertTraffic traffic = expert_traffic(exchange);
  const ExpertLoad& load = shape_.nodes > 1 ? traffic.network : traffic.scale_up;
  const double imbalance = load.mean > Bytes{} ? load.busiest / load.mean : 1;
  const ExpertShares shares{traffic.network.mean / bytes, traffic.scale_up.mean / bytes, imbalance};
  const GroupLinks links = shape_.nodes > 1 ? links_with_fabric(exchange.transfer) : links_;
  CollectiveCost cost = expert_cost(bytes, shape_, links, curve->second, parameters_.network, shares);
  cost.algorithm = exchange.transfer;
  return cost;
}

/// Of the algorithm that runs, with what the fabric leaves of its rate.
CollectiveCost CollectivePredictor::cost(Bytes bytes) const {
  if (between_experts(request_.op)) return cost_between_experts(bytes);
  const auto& curves = parameters_.collectives;
  const NetworkParameters& network = parameters_.network;
  if (shape_.nodes == 1) return collective_cost(request_.op, bytes, shape_, links_, curves, network, request_.choice);
  CollectiveChoice choice = request_.choice;
  if (!choice.algorithm && !network_->torus_sides.empty() && is_ring_like(request_.op))
    choice.algorithm = Algorithm::torus;
  const bool foreign = choice.algorithm == Algorithm::torus || choice.algorithm == Algorithm::halving_doubling;
  if (!foreign) {
    const CollectiveCost chosen = collective_cost(request_.op, bytes, shape_, links_, curves, network, choice);
    choice = {chosen.algorithm, chosen.protocol};
  }
  const GroupLinks links = links_with_fabric(*choice.algorithm);
  if (choice.algorithm == Algorithm::torus)
    return torus_cost(request_.op, bytes, shape_, links, network_->torus_sides, network_->graph.hop_latency(), network);
  if (choice.algorithm == Algorithm::halving_doubling)
    return halving_doubling_cost(bytes, shape_, links, curves.at("all_reduce"), network);
  return collective_cost(request_.op, bytes, shape_, links, curves, network, choice);
}

std::string CollectivePredictor::limit(const CollectiveCost& cost) const {
  if (cost.latency > cost.wire / cost.rate) return "latency";
  const bool pcie =
      cluster_.links.inner(std::min(cluster_.domain, shape_.ranks_per_node)) == NodeLinks::LinkClass::pcie;
  const std::string links = pcie ? "PCI Express" : "scale-up links";
  const std::string inside = cost.protocol == Protocol::simple ? links : "protocol";
  if (!cost.crosses_nodes) return inside;
  const Laid& traffic = laid(cost.algorithm);
  const double fabric = parameters_.network.bandwidth_share.value / traffic.seconds_per_byte;
  constexpr double close = 0.8;  // protocols and trees stay below what links carry
  if (cost.rate.in(byte_per_second) < close * fabric) return inside;
  const LinkId link = busiest_links(network_->graph, traffic.loads, 1).front().link;
  const NetworkGraph& graph = network_->graph;
  if (graph.is_endpoint(graph.from(link)) || graph.is_endpoint(graph.to(link))) return "NICs";
  return graph.link_kinds()[graph.kind(link)].name + " links";
}

CollectiveAnswer CollectivePredictor::predict(Bytes bytes) const {
  CollectiveCost priced;
  try {
    priced = cost(bytes);
  } catch (const std::invalid_argument& error) {
    refuse(request_.choice, error.what());
  }
  const double spread = std::exp(collective_half_width(request_.op, bytes, priced, parameters_));
  CollectiveAnswer answer;
  answer.bytes = bytes;
  answer.time = priced.time();
  answer.low = answer.time / spread;
  answer.high = answer.time * spread;
  answer.algorithm_bandwidth = bytes / answer.time;
  answer.bus_bandwidth =
      answer.algorithm_bandwidth * bus_factor(request_.op, static_cast<int>(request_.groups.front().size()));
  answer.algorithm = priced.algorithm;
  answer.protocol = priced.protocol;
  answer.limit = limit(priced);
  return answer;
}

std::vector<BusiestLink> CollectivePredictor::busiest(Bytes bytes, std::size_t top) const {
  if (shape_.nodes == 1) return {};
  return busiest_links(network_->graph, laid(cost(bytes).algorithm).loads, top);
}

double bus_factor(CollectiveOp op, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (op == CollectiveOp::all_reduce) return 2 * others;
  return op == CollectiveOp::broadcast || op == CollectiveOp::send ? 1 : others;
}

}  // namespace clusterwright
