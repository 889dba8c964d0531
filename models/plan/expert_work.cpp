// SPDX-License-Identifier: Apache-2.0
#include "models/plan/expert_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "models/kernels/collectives/expert_draw.hpp"

namespace clusterwright {

namespace {

constexpr int popularity_draws = 8;

double dispatched_tokens(const PlannedJob& planned) {
  return local_tokens(planned) / residual_split(planned);
}

/// Groups of the router laid over the domains of the expert group.
int domain_limit(const ExpertMixture& experts, int domains) {
  if (!experts.groups_per_token || !experts.groups || domains < 2) return 0;
  const double each = static_cast<double>(domains) / static_cast<double>(*experts.groups);
  const double limit = static_cast<double>(*experts.groups_per_token) * std::max(1.0, each);
  return limit < domains ? static_cast<int>(limit) : 0;
}

ExpertExchange exchange_of(const PlannedJob& planned, int ranks_in_domain) {
  const ExpertMixture& experts = *planned.model.experts;
  ExpertExchange exchange;
  exchange.ranks = planned.plan.expert;
  exchange.ranks_in_domain = ranks_in_domain;
  exchange.experts = static_cast<int>(experts.experts);
  exchange.top_k = static_cast<int>(experts.per_token);
  exchange.domain_limit = domain_limit(experts, planned.plan.expert / ranks_in_domain);
  exchange.tokens = dispatched_tokens(planned);
  exchange.token_size = byte;
  const bool copies = planned.stack.experts.transfer == ExpertTransfer::all_to_all;
  exchange.transfer = copies ? Algorithm::direct : Algorithm::hierarchical;
  exchange.imbalance = routing_imbalance(planned);
  return exchange;
}

void add_share(ExpertTraffic& sum, const ExpertTraffic& one, double share) {
  sum.distinct_ranks += share * one.distinct_ranks;
  sum.distinct_domains += share * one.distinct_domains;
  sum.network.mean += share * one.network.mean;
  sum.network.busiest += share * one.network.busiest;
  sum.scale_up.mean += share * one.scale_up.mean;
  sum.scale_up.busiest += share * one.scale_up.busiest;
  sum.rows += share * one.rows;
  sum.rows_busiest += share * one.rows_busiest;
}

ExpertTraffic draw_traffic(ExpertExchange exchange) {
  const int draws = exchange.imbalance > 0 ? popularity_draws : 1;
  ExpertTraffic mean;
  for (int draw = 0; draw < draws; ++draw) {
    exchange.seed = static_cast<std::uint64_t>(draw);
    add_share(mean, expert_traffic(exchange), 1.0 / draws);
  }
  return mean;
}

/// Everything that decides what draw_traffic() returns.
auto key_of(const ExpertExchange& e) {
  return std::tuple(e.ranks, e.ranks_in_domain, e.experts, e.top_k, e.domain_limit, e.tokens, e.token_size.in(byte),
                    e.transfer, e.network_only, e.imbalance, e.weights);
}

/// Mean traffic, kept from earlier calls: a search lowers many layouts whose exchanges are alike, and each many times.
ExpertTraffic mean_traffic(const ExpertExchange& exchange) {
  constexpr std::size_t most_kept = 4096;
  thread_local std::map<decltype(key_of(exchange)), ExpertTraffic> kept;
  if (kept.size() >= most_kept) kept.clear();
  auto key = key_of(exchange);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  const ExpertTraffic traffic = draw_traffic(exchange);  // before it is kept: it may throw
  return kept.emplace(std::move(key), traffic).first->second;
}

/// Coefficient of variation of the popularity that routers leave: as given or usual, as far as the experts can differ.
/// Plans are refused where more is given, but costed before.
double drawn_imbalance(const PlannedJob& planned) {
  return std::min(planned.routing.imbalance.value_or(planned.stack.experts.imbalance.value),
                  widest_popularity(planned.model.experts->experts));
}

/// Every rank gets the mean.
void level(ExpertTraffic& traffic) {
  traffic.network.busiest = traffic.network.mean;
  traffic.scale_up.busiest = traffic.scale_up.mean;
  traffic.rows_busiest = traffic.rows;
}

}  // namespace

double routing_imbalance(const PlannedJob& planned) {
  return planned.routing.capacity_factor ? 0 : drawn_imbalance(planned);
}

double dropped_share(const PlannedJob& planned) {
  if (!planned.model.experts || !planned.routing.capacity_factor) return 0;
  const auto experts = static_cast<std::size_t>(planned.model.experts->experts);
  const double variation = drawn_imbalance(planned);
  double sum = 0;
  for (int draw = 0; draw < popularity_draws; ++draw)
    for (const double weight : uneven_popularity(experts, variation, static_cast<std::uint64_t>(draw)))
      sum += std::max(0.0, weight - *planned.routing.capacity_factor);
  return sum / (popularity_draws * static_cast<double>(experts));
}

double expert_rows(const PlannedJob& planned) {
  const double copies = dispatched_tokens(planned) * static_cast<double>(planned.model.experts->per_token);
  const double gathered = planned.plan.gathers_expert_rows() ? planned.plan.expert_tensor : 1;
  return copies * gathered * planned.routing.capacity_factor.value_or(1);
}

ExpertWork expert_work(const PlannedJob& planned, int ranks_in_domain) {
  ExpertWork work;
  work.tokens = dispatched_tokens(planned);
  work.drawn = work.tokens * static_cast<double>(planned.model.experts->per_token);
  work.copies = work.drawn * planned.routing.capacity_factor.value_or(1);
  work.local_experts = planned.model.experts->experts / planned.plan.expert;
  work.traffic = mean_traffic(exchange_of(planned, ranks_in_domain));
  const bool even = planned.routing.capacity_factor || planned.routing.imbalance == 0.0;
  if (even) level(work.traffic);
  work.rows = expert_rows(planned);
  work.rows_busiest = work.rows * (work.traffic.rows_busiest / work.traffic.rows);
  return work;
}

}  // namespace clusterwright
