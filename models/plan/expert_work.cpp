#include "models/plan/expert_work.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace clusterwright {

namespace {

constexpr int popularity_draws = 8;

double dispatched_tokens(const MemoryCase& c) {
  return local_tokens(c) / residual_split(c);
}

/// Groups of the router laid over the domains of the expert group.
int domain_limit(const ExpertMixture& experts, int domains) {
  if (!experts.groups_per_token || !experts.groups || domains < 2) return 0;
  const double each = static_cast<double>(domains) / static_cast<double>(*experts.groups);
  const double limit = static_cast<double>(*experts.groups_per_token) * std::max(1.0, each);
  return limit < domains ? static_cast<int>(limit) : 0;
}

ExpertExchange exchange_of(const MemoryCase& c, int ranks_in_domain) {
  const ExpertMixture& experts = *c.model.experts;
  ExpertExchange exchange;
  exchange.ranks = c.plan.expert;
  exchange.ranks_in_domain = ranks_in_domain;
  exchange.experts = static_cast<int>(experts.experts);
  exchange.top_k = static_cast<int>(experts.per_token);
  exchange.domain_limit = domain_limit(experts, c.plan.expert / ranks_in_domain);
  exchange.tokens = dispatched_tokens(c);
  exchange.token_size = byte;
  const bool copies = c.stack.experts.transfer == ExpertTransfer::all_to_all;
  exchange.transfer = copies ? Algorithm::direct : Algorithm::hierarchical;
  exchange.imbalance = routing_imbalance(c);
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

/// A plan is lowered many times over, for shorter steps and other prices, and always draws the same.
ExpertTraffic mean_traffic(const ExpertExchange& exchange) {
  thread_local std::optional<std::pair<ExpertExchange, ExpertTraffic>> last;
  if (!last || last->first != exchange) last = {exchange, draw_traffic(exchange)};
  return last->second;
}

/// Every rank gets the mean.
void level(ExpertTraffic& traffic) {
  traffic.network.busiest = traffic.network.mean;
  traffic.scale_up.busiest = traffic.scale_up.mean;
  traffic.rows_busiest = traffic.rows;
}

}  // namespace

double routing_imbalance(const MemoryCase& c) {
  return c.routing.capacity_factor ? 0 : c.routing.imbalance.value_or(c.stack.experts.imbalance.value);
}

double expert_rows(const MemoryCase& c) {
  const double copies = dispatched_tokens(c) * static_cast<double>(c.model.experts->per_token);
  const double gathered = c.plan.sequence_parallel ? c.plan.expert_tensor : 1;
  return copies * gathered * c.routing.capacity_factor.value_or(1);
}

ExpertWork expert_work(const MemoryCase& c, int ranks_in_domain) {
  ExpertWork work;
  work.tokens = dispatched_tokens(c);
  work.drawn = work.tokens * static_cast<double>(c.model.experts->per_token);
  work.copies = work.drawn * c.routing.capacity_factor.value_or(1);
  work.local_experts = c.model.experts->experts / c.plan.expert;
  work.traffic = mean_traffic(exchange_of(c, ranks_in_domain));
  const bool even = c.routing.capacity_factor || c.routing.imbalance == 0.0;
  if (even) level(work.traffic);
  work.rows = expert_rows(c);
  work.rows_busiest = work.rows * (work.traffic.rows_busiest / work.traffic.rows);
  return work;
}

}  // namespace clusterwright
