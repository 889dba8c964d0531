// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/exchange_traffic.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "models/kernels/collectives/algorithm_traffic.hpp"

namespace clusterwright {

namespace {

/// NIC that members of a group use.
struct Meeting {
  VertexId endpoint;
  std::size_t domain = 0;
  double ranks = 0;  ///< ranks that it serves; a rank with several NICs counts in parts
};

std::vector<Meeting> meetings(const TrafficBuilder& builder) {
  std::vector<Meeting> out;
  std::unordered_map<VertexId, std::size_t> index;
  for (std::size_t d = 0; d < builder.domains().size(); ++d)
    for (const AcceleratorId member : builder.domains()[d].members) {
      const TrafficBuilder::Ports ports = builder.ports(member);
      for (int lane = 0; lane < ports.count; ++lane) {
        const VertexId endpoint = builder.endpoint(ports, lane);
        const auto [at, added] = index.try_emplace(endpoint, out.size());
        if (added) out.push_back({endpoint, d, 0});
        out[at->second].ranks += 1.0 / ports.count;
      }
    }
  return out;
}

bool alone_and_alike(const std::vector<Meeting>& nics, std::size_t domains) {
  return nics.size() == domains &&
         std::all_of(nics.begin(), nics.end(), [&](const Meeting& nic) { return nic.ranks == nics.front().ranks; });
}

TrafficStage::Exchange exchange_of(const std::vector<Meeting>& nics, double bytes) {
  TrafficStage::Exchange exchange;
  exchange.bytes = bytes;
  for (const Meeting& nic : nics) exchange.members.push_back(nic.endpoint);
  return exchange;
}

/// Bytes between two ranks of different domains.
TrafficStage all_pairs(const TrafficBuilder& builder, double bytes) {
  const std::vector<Meeting> nics = meetings(builder);
  TrafficStage stage;
  if (alone_and_alike(nics, builder.domains().size())) {
    stage.exchanges.push_back(exchange_of(nics, bytes * nics.front().ranks * nics.front().ranks));
  } else if (nics.size() * nics.size() <= most_exact_pairs) {
    for (const Meeting& from : nics)
      for (const Meeting& to : nics)
        if (from.domain != to.domain)
          stage.demands.push_back({from.endpoint, to.endpoint, bytes * from.ranks * to.ranks});
  } else {
    double pairs = builder.ranks() * builder.ranks();
    for (const DomainShare& domain : builder.domains())
      pairs -= static_cast<double>(domain.members.size()) * static_cast<double>(domain.members.size());
    const auto count = static_cast<double>(nics.size());
    stage.exchanges.push_back(exchange_of(nics, bytes * pairs / (count * (count - 1))));
  }
  return stage;
}

/// Bytes that one rank exchanges with a whole domain at a time, over one rail.
class RailExchange {
 public:
  explicit RailExchange(const TrafficBuilder& builder) : builder_(builder), at_offset_(builder.domains().size()) {
    const auto& domains = builder.domains();
    std::map<std::vector<std::pair<int, int>>, std::vector<std::size_t>> alike;  // by offsets and their NICs
    for (std::size_t d = 0; d < domains.size(); ++d) {
      std::vector<std::pair<int, int>> shape;
      for (const AcceleratorId member : domains[d].members) {
        const int offset = place_of(member, builder.context().cluster).offset;
        at_offset_[d][offset] = member;
        shape.emplace_back(offset, builder.ports(member).count);
      }
      std::sort(shape.begin(), shape.end());
      alike[shape].push_back(d);
    }
    for (const auto& [shape, members] : alike)
      if (members.size() > regular_.size()) regular_ = members;
    is_regular_.resize(domains.size());
    for (const std::size_t d : regular_) is_regular_[d] = true;
  }

  TrafficStage stage() {
    for (const auto& [offset, member] : at_offset_[regular_.front()]) add_exchanges(offset);
    const auto& domains = builder_.domains();
    for (std::size_t own = 0; own < domains.size(); ++own)
      for (std::size_t other = 0; other < domains.size(); ++other)
        if (own != other && !(is_regular_[own] && is_regular_[other])) add_flows(own, other);
    return std::move(stage_);
  }

 private:
  /// Between a rank and a domain.
  double bytes(std::size_t other) const {
    const std::size_t ranks = every_pair() ? builder_.domains()[other].members.size() : 1;
    return static_cast<double>(ranks) / (builder_.ranks() * builder_.counted());
  }

  /// Domains with members at the same places.
  void add_exchanges(int offset) {
    if (regular_.size() < 2) return;
    const int lanes = builder_.ports(at_offset_[regular_.front()].at(offset)).count;
    for (int lane = 0; lane < lanes; ++lane) {
      TrafficStage::Exchange exchange;
      for (const std::size_t d : regular_)
        exchange.members.push_back(builder_.endpoint(builder_.ports(at_offset_[d].at(offset)), lane));
      exchange.bytes = bytes(regular_.front()) / lanes;
      if (!stage_.exchanges.empty() && stage_.exchanges.back().members == exchange.members)
        stage_.exchanges.back().bytes += exchange.bytes;
      else
        stage_.exchanges.push_back(std::move(exchange));
    }
  }

  void add_flows(std::size_t own, std::size_t other) {
    const auto& members = builder_.domains()[own].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const AcceleratorId far = counterpart(members[i], i, other);
      if (receiver_decides())
        builder_.add_flow(stage_.demands, far, members[i], bytes(other));
      else
        builder_.add_flow(stage_.demands, members[i], far, bytes(other));
    }
  }

  /// Whether every pair of ranks has bytes of its own.
  bool every_pair() const {
    return builder_.op() == CollectiveOp::all_to_all || builder_.algorithm() == Algorithm::direct;
  }

  /// Whether the rail is that of the rank that receives.
  bool receiver_decides() const {
    return builder_.algorithm() == Algorithm::direct || builder_.algorithm() == Algorithm::rail_aligned ||
           builder_.op() == CollectiveOp::reduce_scatter;
  }

  /// On the same rail where the domain has a member there.
  AcceleratorId counterpart(AcceleratorId member, std::size_t index, std::size_t domain) const {
    const auto same = at_offset_[domain].find(place_of(member, builder_.context().cluster).offset);
    if (same != at_offset_[domain].end()) return same->second;
    const auto& members = builder_.domains()[domain].members;
    return members[index % members.size()];
  }

  const TrafficBuilder& builder_;
  std::vector<std::map<int, AcceleratorId>> at_offset_;  // by domain: member at each offset
  std::vector<std::size_t> regular_;                     // the largest set of domains with members at the same places
  std::vector<bool> is_regular_;
  TrafficStage stage_;
};

}  // namespace

std::vector<TrafficStage> direct_traffic(const TrafficBuilder& builder) {
  if (builder.op() == CollectiveOp::broadcast) builder.refuse("one rank would send everything");
  const TrafficStage stage = builder.separate_rails() ? RailExchange(builder).stage()
                                                      : all_pairs(builder, 1 / (builder.ranks() * builder.counted()));
  if (builder.op() == CollectiveOp::all_reduce) return {stage, stage};  // scattered, then gathered
  return {stage};
}

std::vector<TrafficStage> rail_traffic(const TrafficBuilder& builder) {
  const CollectiveOp op = builder.op();
  const bool halves = op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
  if (op != CollectiveOp::all_to_all && !(halves && builder.algorithm() == Algorithm::hierarchical))
    builder.refuse("it performs only all-to-all");
  return {RailExchange(builder).stage()};
}

}  // namespace clusterwright
