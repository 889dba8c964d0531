// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expert_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/expert_draw.hpp"

namespace clusterwright {

namespace {

void check(const ExpertExchange& e) {
  if (e.transfer != Algorithm::direct && e.transfer != Algorithm::hierarchical)
    throw std::invalid_argument("tokens travel direct or hierarchical");
  if (e.network_only && e.transfer != Algorithm::direct)
    throw std::invalid_argument("hierarchical transfers forward tokens inside their domains");
  const bool fills = e.ranks <= e.ranks_in_domain || e.ranks % e.ranks_in_domain == 0;
  if (e.ranks < 1 || e.ranks_in_domain < 1 || !fills) throw std::invalid_argument("ranks must fill their domains");
  if (e.top_k < 1 || e.top_k > e.experts || e.domain_limit < 0 || e.tokens < 0)
    throw std::invalid_argument("a token draws at least one expert and at most all");
  const int domains = std::max(1, e.ranks / e.ranks_in_domain);
  if (e.domain_limit > 0 && e.domain_limit < domains &&
      static_cast<long long>(e.experts) / domains * e.domain_limit < e.top_k)
    throw std::invalid_argument("so few domains do not have top_k experts");
  if (!e.weights.empty() && e.weights.size() != static_cast<std::size_t>(e.experts))
    throw std::invalid_argument("a weight for each expert is needed");
}

ExpertDraw draw_over(const ExpertExchange& e, const std::vector<double>& weights, int places) {
  std::vector<std::size_t> place;
  for (long long expert = 0; expert < e.experts; ++expert)
    place.push_back(static_cast<std::size_t>(expert * places / e.experts));
  return {weights, place, static_cast<std::size_t>(places), e.top_k};
}

/// Everything that both transfers need.
class Dispatch {
 public:
  explicit Dispatch(const ExpertExchange& e)
      : exchange_(e),
        domains_(std::max(1, e.ranks / e.ranks_in_domain)),
        members_(e.ranks / domains_),
        weights_(e.weights.empty() ? uneven_popularity(static_cast<std::size_t>(e.experts), e.imbalance, e.seed)
                                   : e.weights),
        by_rank_(draw_over(e, weights_, e.ranks)),
        by_domain_(draw_over(e, weights_, domains_)) {
    if (e.domain_limit > 0 && e.domain_limit < domains_) apply_limit();
  }

  ExpertTraffic traffic() const {
    ExpertTraffic out;
    out.distinct_ranks = by_rank_.distinct() * rank_share_;
    out.distinct_domains = by_domain_.distinct() * domain_share_;
    out.rows = exchange_.tokens * exchange_.top_k;
    out.rows_busiest = busiest_copies(exchange_.tokens * exchange_.ranks);
    if (exchange_.transfer == Algorithm::hierarchical) {
      out.network = network_once();
      out.scale_up = fan_out();
      return out;
    }
    const int inside = exchange_.network_only ? 0 : members_ - 1;
    out.network = copies_from(exchange_.ranks - 1 - inside);
    out.scale_up = copies_from(inside);
    return out;
  }

 private:
  /// Tokens that would hit more domains hit just as many as they may.
  void apply_limit() {
    const std::vector<double> hitting = by_domain_.distinct_distribution();
    double domains = 0, ranks = 0, free_ranks = 0;
    for (int d = 1; d < static_cast<int>(hitting.size()); ++d) {
      const double probability = hitting[static_cast<std::size_t>(d)];
      if (probability <= 0) continue;
      domains += probability * std::min(d, exchange_.domain_limit);
      ranks += probability * ranks_hit(std::min(d, exchange_.domain_limit));
      free_ranks += probability * ranks_hit(d);
    }
    domain_share_ = domains / by_domain_.distinct();
    rank_share_ = ranks / free_ranks;
  }

  double ranks_hit(int domains) const {
    return ranks_in_domains(static_cast<double>(exchange_.experts) / exchange_.ranks, members_, domains,
                            exchange_.top_k);
  }

  /// Copies that the busiest rank receives of so many tokens.
  double busiest_copies(double tokens) const {
    const double fixed_sum = exchange_.ranks > 1 ? exchange_.ranks / (exchange_.ranks - 1.0) : 1;
    std::vector<CountKind> kinds;
    for (std::size_t r = 0; r < by_rank_.places(); ++r)
      add(kinds, {tokens * by_rank_.mean(r), tokens * by_rank_.variance(r) * fixed_sum, 1});
    return expected_maximum(kinds);
  }

  ExpertLoad copies_from(int senders) const {
    const double mean = senders * exchange_.tokens * exchange_.top_k / exchange_.ranks;
    return {mean * exchange_.token_size, busiest_copies(senders * exchange_.tokens) * exchange_.token_size};
  }

  ExpertLoad network_once() const {
    const double tokens = (domains_ - 1) * exchange_.tokens;
    std::vector<CountKind> kinds;
    for (std::size_t d = 0; d < by_domain_.places(); ++d)
      add(kinds, hits(tokens, by_domain_.hit(d) * domain_share_, members_));
    return load(tokens * by_domain_.distinct() * domain_share_ / domains_, kinds);
  }

  /// Traffic from every member that a token starts at or arrives at, to the others.
  ExpertLoad fan_out() const {
    const double tokens = static_cast<double>(domains_) * (members_ - 1) * exchange_.tokens;
    std::vector<CountKind> kinds;
    for (std::size_t r = 0; r < by_rank_.places(); ++r) add(kinds, hits(tokens, by_rank_.hit(r) * rank_share_, 1));
    return load(tokens * by_rank_.distinct() * rank_share_ / exchange_.ranks, kinds);
  }

  static CountKind hits(double tokens, double probability, int counts) {
    return {tokens * probability, tokens * probability * (1 - probability), counts};
  }

  ExpertLoad load(double mean, const std::vector<CountKind>& kinds) const {
    return {mean * exchange_.token_size, expected_maximum(kinds) * exchange_.token_size};
  }

  /// Joins what follows and is alike.
  static void add(std::vector<CountKind>& kinds, const CountKind& more) {
    constexpr double rounding = 1e-9;
    const auto near = [](double a, double b) { return std::abs(a - b) <= rounding * std::abs(b); };
    if (!kinds.empty() && near(kinds.back().mean, more.mean) && near(kinds.back().variance, more.variance))
      kinds.back().counts += more.counts;
    else
      kinds.push_back(more);
  }

  const ExpertExchange& exchange_;
  int domains_;
  int members_;  // ranks of a domain
  std::vector<double> weights_;
  ExpertDraw by_rank_, by_domain_;
  double domain_share_ = 1;  // of the domains hit that a limit leaves
  double rank_share_ = 1;
};

}  // namespace

ExpertTraffic expert_traffic(const ExpertExchange& exchange) {
  check(exchange);
  return Dispatch(exchange).traffic();
}

ExpertShares exchange_shares(ExpertExchange exchange) {
  constexpr double many_tokens = 1e6;
  exchange.tokens = many_tokens;
  exchange.token_size = byte;
  const ExpertTraffic traffic = expert_traffic(exchange);
  const Bytes payload = exchange.tokens * exchange.top_k * exchange.token_size;
  const ExpertLoad& load = traffic.network.mean > Bytes{} ? traffic.network : traffic.scale_up;
  const double imbalance = load.mean > Bytes{} ? load.busiest / load.mean : 1;
  return {traffic.network.mean / payload, traffic.scale_up.mean / payload, imbalance};
}

std::string expert_curve(Algorithm transfer) {
  return transfer == Algorithm::direct ? "expert_exchange_direct" : "expert_exchange";
}

ExpertShares even_shares(const GroupShape& group) {
  const double ranks = group.ranks();
  const double near = group.domains == 1 ? ranks : group.ranks_per_domain;
  return {(ranks - near) / ranks, (near - 1) / ranks, 1};
}

const CollectiveParameters* all_to_all_curve(const std::map<std::string, CollectiveParameters>& curves) {
  const auto curve = curves.find(curve_name(CollectiveOp::all_to_all));
  return curve == curves.end() ? nullptr : &curve->second;
}

namespace {

int members_inside(const GroupShape& group) {
  return group.domains == 1 ? group.ranks() : group.ranks_per_domain;
}

}  // namespace

bool moves_over_pcie(const GroupShape& group, const GroupLinks& links) {
  return !links.nvlink && members_inside(group) > 1;
}

CollectiveTiming expert_exchange_time(Bytes payload, const GroupShape& group, const GroupLinks& links,
                                      const CollectiveParameters& curve, const NetworkParameters& network,
                                      const ExpertShares& shares, const CollectiveParameters* all_to_all) {
  CollectiveTiming timing;
  timing.algorithm = Algorithm::direct;
  timing.latency = curve_latency(curve, group.ranks());
  const Bytes busiest = payload * shares.imbalance;
  const BytesPerSecond link = links.exchange > BytesPerSecond{} ? links.exchange : links.scale_up;
  BytesPerSecond inner = bulk_rate(curve, group.ranks(), link);
  if (all_to_all && shares.scale_up > 0 && moves_over_pcie(group, links))
    inner = std::min(inner, curve_rate(*all_to_all, busiest * shares.scale_up, members_inside(group), link));
  timing.crosses_domains = shares.network > 0;
  if (!timing.crosses_domains) {
    timing.wire = busiest * shares.scale_up;
    timing.rate = inner;
    return timing;
  }
  timing.wire = busiest * shares.network;
  timing.scale_up_share = shares.scale_up / shares.network;
  timing.rate = links.network_per_rank * transport_share(links, network);
  if (timing.scale_up_share > 0) timing.rate = std::min(timing.rate, inner / timing.scale_up_share);
  if (links.fabric_limit) timing.rate = std::min(timing.rate, *links.fabric_limit);
  return timing;
}

}  // namespace clusterwright
