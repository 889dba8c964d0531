// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expert_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "models/kernels/collectives/expert_draw.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// 256 experts, 8 of them for each token, over 64 ranks on nodes of 8.
ExpertExchange wide(Algorithm transfer) {
  ExpertExchange e;
  e.ranks = 64;
  e.ranks_in_domain = 8;
  e.experts = 256;
  e.top_k = 8;
  e.tokens = 4096;
  e.token_size = 7168 * byte;
  e.transfer = transfer;
  return e;
}

/// Experts at random, then counted by place.
std::vector<int> copies_by_place(std::mt19937_64& random, int experts, int top_k, int places, int tokens) {
  std::vector<int> all(static_cast<std::size_t>(experts)), count(static_cast<std::size_t>(places), 0);
  std::iota(all.begin(), all.end(), 0);
  for (int t = 0; t < tokens; ++t)
    for (int i = 0; i < top_k; ++i) {
      std::uniform_int_distribution<int> from(i, experts - 1);
      std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(from(random))]);
      ++count[static_cast<std::size_t>(all[static_cast<std::size_t>(i)] * places / experts)];
    }
  return count;
}

double mean_of_maximum(int experts, int top_k, int places, int tokens, int trials) {
  std::mt19937_64 random(1);
  double sum = 0;
  for (int i = 0; i < trials; ++i) {
    const std::vector<int> count = copies_by_place(random, experts, top_k, places, tokens);
    sum += *std::max_element(count.begin(), count.end());
  }
  return sum / trials;
}

struct Router {
  int experts, domains, ranks_in_domain, limit, top_k;
};
struct Reached {
  double domains = 0, ranks = 0;
};

/// Places of the best experts, after the best domains by the sum of their best scores were chosen.
Reached route_token(std::mt19937_64& random, const Router& r) {
  std::uniform_real_distribution<double> score;
  const int own = r.experts / r.domains, counted = std::max(1, r.top_k / r.limit);
  std::vector<std::vector<std::pair<double, int>>> scores;  // score, expert; best domain last
  for (int d = 0; d < r.domains; ++d) {
    auto& here = scores.emplace_back();
    for (int e = 0; e < own; ++e) here.emplace_back(score(random), d * own + e);
    std::sort(here.rbegin(), here.rend());
  }
  const auto sum = [&](const auto& here) {
    double best = 0;
    for (int i = 0; i < counted; ++i) best += here[static_cast<std::size_t>(i)].first;
    return best;
  };
  std::sort(scores.begin(), scores.end(), [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
  std::vector<std::pair<double, int>> chosen;
  for (int i = 0; i < r.limit; ++i) {
    const auto& here = scores[static_cast<std::size_t>(i)];
    chosen.insert(chosen.end(), here.begin(), here.end());
  }
  std::partial_sort(chosen.begin(), chosen.begin() + r.top_k, chosen.end(), std::greater<>());
  std::set<int> domains, ranks;
  for (int i = 0; i < r.top_k; ++i) {
    const int expert = chosen[static_cast<std::size_t>(i)].second;
    domains.insert(expert / own);
    ranks.insert(expert / (own / r.ranks_in_domain));
  }
  return {static_cast<double>(domains.size()), static_cast<double>(ranks.size())};
}

ExpertDraw even_draw(int experts, int places, int count) {
  std::vector<std::size_t> place;
  for (int e = 0; e < experts; ++e) place.push_back(static_cast<std::size_t>(e * places / experts));
  return {std::vector<double>(static_cast<std::size_t>(experts), 1.0), place, static_cast<std::size_t>(places), count};
}

}  // namespace

TEST_CASE("with equal weights the experts of a place are hypergeometric", "[models][experts]") {
  // 2 of 6 experts, 2 at each of 3 places: none of one place in C(4,2) / C(6,2) = 6/15.
  const ExpertDraw draw = even_draw(6, 3, 2);
  CHECK(draw.hit(0) == Approx(9.0 / 15));
  CHECK(draw.distinct() == Approx(27.0 / 15));
  CHECK(draw.mean(1) == Approx(2.0 / 3));
  CHECK(draw.variance(1) == Approx(2 * (1.0 / 3) * (2.0 / 3) * (4.0 / 5)));
  // Both at one place in 3 of 15.
  CHECK(draw.distinct_distribution().at(1) == Approx(0.2));
  CHECK(draw.distinct_distribution().at(2) == Approx(0.8));
}

TEST_CASE("256 experts over 8 nodes: a token reaches 5.3 of them with 8 draws", "[models][experts]") {
  double none = 1;  // C(224, 8) / C(256, 8)
  for (int i = 0; i < 8; ++i) none *= (224.0 - i) / (256.0 - i);
  CHECK(even_draw(256, 8, 8).distinct() == Approx(8 * (1 - none)));
}

TEST_CASE("weights count as products", "[models][experts]") {
  // One of two experts, weights 3 and 1; two of three with weights 2, 1, 1: pairs 2, 2 and 1 of 5.
  CHECK(ExpertDraw({3, 1}, {0, 1}, 2, 1).hit(0) == Approx(0.75));
  CHECK(ExpertDraw({2, 1, 1}, {0, 1, 2}, 3, 2).hit(0) == Approx(0.8));
  CHECK(ExpertDraw({2, 1, 1}, {0, 1, 2}, 3, 2).hit(2) == Approx(0.6));
}

TEST_CASE("a router that chooses groups first reaches what the capped draw says", "[models][experts]") {
  for (const Router& r : {Router{256, 8, 8, 4, 8}, Router{256, 16, 8, 4, 8}, Router{160, 8, 4, 3, 6},
                          Router{64, 8, 8, 4, 4}, Router{16, 4, 2, 2, 4}}) {
    std::mt19937_64 random(3);
    Reached sum;
    const int tokens = 4000;
    for (int t = 0; t < tokens; ++t) {
      const Reached one = route_token(random, r);
      sum.domains += one.domains / tokens, sum.ranks += one.ranks / tokens;
    }
    ExpertExchange e;
    e.ranks = r.domains * r.ranks_in_domain, e.ranks_in_domain = r.ranks_in_domain;
    e.experts = r.experts, e.top_k = r.top_k, e.domain_limit = r.limit;
    INFO(r.experts << " experts, " << r.domains << " domains");
    CHECK(expert_traffic(e).distinct_domains == Approx(sum.domains).epsilon(0.012));
    CHECK(expert_traffic(e).distinct_ranks == Approx(sum.ranks).epsilon(0.025));
  }
}

TEST_CASE("popularity has the variation asked for", "[models][experts]") {
  CHECK(uneven_popularity(4, 0, 1) == std::vector<double>(4, 1.0));
  for (const double variation : {0.1, 1.0, 3.0}) {
    const std::vector<double> weights = uneven_popularity(256, variation, 5);
    double squares = 0;
    for (const double w : weights) squares += (w - 1) * (w - 1);
    CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(256));
    CHECK(std::sqrt(squares / 256) == Approx(variation).epsilon(1e-6));
  }
  CHECK(uneven_popularity(256, 1, 5) != uneven_popularity(256, 1, 6));
  CHECK_THROWS_AS(uneven_popularity(4, 2, 1), std::invalid_argument);  // one expert alone: sqrt(3)
}

TEST_CASE("the largest of a few normal counts", "[models][experts]") {
  const double wide_mean = 1e6;  // so many that they are hardly skewed
  CHECK(expected_maximum({}) == 0);
  CHECK(expected_maximum({{3, 0, 5}, {7, 0, 1}}) == Approx(7));
  // Two standard normals: 1 / sqrt(pi); three: 1.5 / sqrt(pi).
  CHECK(expected_maximum({{wide_mean, wide_mean, 2}}) == Approx(wide_mean + 1e3 * 0.56419).epsilon(1e-6));
  CHECK(expected_maximum({{wide_mean, wide_mean, 3}}) == Approx(wide_mean + 1e3 * 0.84628).epsilon(1e-6));
  CHECK(expected_maximum({{wide_mean, wide_mean, 1}, {wide_mean, wide_mean, 2}}) ==
        Approx(expected_maximum({{wide_mean, wide_mean, 3}})));
}

TEST_CASE("the busiest rank has what draws give it", "[models][experts]") {
  struct Case {
    int ranks, experts, top_k, tokens;  // of one rank
    double tolerance;
  };
  // Few tokens make skewed, coarse counts.
  for (const Case& c : {Case{8, 64, 6, 256, 0.003}, Case{64, 256, 8, 128, 0.003}, Case{64, 256, 8, 1, 0.02},
                        Case{32, 32, 1, 8, 0.03}, Case{16, 16, 4, 32, 0.005}}) {
    ExpertExchange e;
    e.ranks = c.ranks, e.experts = c.experts, e.top_k = c.top_k, e.tokens = c.tokens;
    const double drawn = mean_of_maximum(c.experts, c.top_k, c.ranks, c.ranks * c.tokens, 300);
    INFO(c.ranks << " ranks, " << c.tokens << " tokens");
    CHECK(expert_traffic(e).rows == Approx(c.tokens * c.top_k));
    CHECK(expert_traffic(e).rows_busiest == Approx(drawn).epsilon(c.tolerance));
  }
}

TEST_CASE("direct copies cross the network once for every expert elsewhere", "[models][experts]") {
  const ExpertTraffic t = expert_traffic(wide(Algorithm::direct));
  // 8 experts, 56 of 64 ranks on other nodes; 7 of 64 are others of the same node.
  CHECK(t.network.mean.in(byte) == Approx(4096 * 7168.0 * 8 * 56 / 64));
  CHECK(t.scale_up.mean.in(byte) == Approx(4096 * 7168.0 * 8 * 7 / 64));
  CHECK(t.network.busiest > t.network.mean);
  CHECK(t.network.busiest < 1.05 * t.network.mean);
}

TEST_CASE("kernels that know only the network send copies inside a node over NICs", "[models][experts]") {
  ExpertExchange e = wide(Algorithm::direct);
  const ExpertTraffic with_links = expert_traffic(e);
  e.network_only = true;
  const ExpertTraffic t = expert_traffic(e);
  CHECK(t.network.mean.in(byte) == Approx((with_links.network.mean + with_links.scale_up.mean).in(byte)));
  CHECK(t.scale_up.mean == Bytes{});
  e.transfer = Algorithm::hierarchical;
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
}

TEST_CASE("shares of an exchange do not depend on its tokens", "[models][experts]") {
  ExpertExchange e = wide(Algorithm::direct);
  const ExpertShares shares = exchange_shares(e);
  CHECK(shares.network == Approx(56.0 / 64));
  CHECK(shares.scale_up == Approx(7.0 / 64));
  CHECK(shares.imbalance == Approx(1).epsilon(0.01));
  e.tokens = 1;
  CHECK(exchange_shares(e).imbalance == shares.imbalance);
}

TEST_CASE("hierarchical copies cross it once for every other node", "[models][experts]") {
  const ExpertTraffic t = expert_traffic(wide(Algorithm::hierarchical));
  const double nodes = even_draw(256, 8, 8).distinct(), ranks = even_draw(256, 64, 8).distinct();
  CHECK(t.distinct_domains == Approx(nodes));
  CHECK(t.network.mean.in(byte) == Approx(4096 * 7168.0 * nodes * 7 / 8));
  // Whatever rank a copy arrives or starts at, it goes on to the other ranks hit, 7 of 8.
  CHECK(t.scale_up.mean.in(byte) == Approx(4096 * 7168.0 * ranks * 7 / 8));
}

TEST_CASE("a node limit bounds what crosses the network", "[models][experts]") {
  ExpertExchange e = wide(Algorithm::hierarchical);
  const Bytes free = expert_traffic(e).network.mean;
  e.domain_limit = 4;
  const ExpertTraffic t = expert_traffic(e);
  // min(top_k, groups) copies at most, of which 1/8 stay on the node.
  CHECK(t.network.mean.in(byte) <= 4096 * 7168.0 * 4);
  CHECK(t.distinct_domains == Approx(3.98).epsilon(0.01));
  CHECK(t.network.mean < free);
  e.domain_limit = 8;
  CHECK(expert_traffic(e).network.mean == free);
}

TEST_CASE("a single domain uses no network, a single rank nothing", "[models][experts]") {
  for (const Algorithm transfer : {Algorithm::direct, Algorithm::hierarchical}) {
    ExpertExchange e = wide(transfer);
    e.ranks = 8;
    CHECK(expert_traffic(e).network.busiest == Bytes{});
    CHECK(expert_traffic(e).scale_up.mean > Bytes{});
    e.ranks = 1;
    CHECK(expert_traffic(e).scale_up.mean == Bytes{});
    CHECK(expert_traffic(e).rows_busiest == Approx(4096 * 8));
  }
}

TEST_CASE("popular experts load their rank", "[models][experts]") {
  ExpertExchange e = wide(Algorithm::direct);
  e.weights.assign(256, 1.0);
  for (std::size_t i = 0; i < 4; ++i) e.weights[i] = 2;  // those of rank 0
  const ExpertTraffic t = expert_traffic(e);
  CHECK(t.rows == Approx(4096 * 8));
  // Twice the weight: nearly 2 * 256 / 260 of the mean, as a token cannot draw an expert twice.
  CHECK(t.rows_busiest == Approx(t.rows * 2 * 256 / 260).epsilon(0.05));
  CHECK(t.network.mean.in(byte) == Approx(expert_traffic(wide(Algorithm::direct)).network.mean.in(byte)));
  e.weights.clear();
  e.imbalance = 0.5;
  CHECK(expert_traffic(e).rows_busiest > 1.2 * t.rows);
}

TEST_CASE("what cannot be is refused", "[models][experts]") {
  ExpertExchange e = wide(Algorithm::direct);
  e.top_k = 257;
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
  e = wide(Algorithm::ring);
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
  e = wide(Algorithm::direct);
  e.ranks = 12;
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
  e = wide(Algorithm::direct);
  e.experts = 64, e.top_k = 16, e.domain_limit = 1;  // which has 8
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
  e = wide(Algorithm::direct);
  e.weights = {1, 2};
  CHECK_THROWS_AS(expert_traffic(e), std::invalid_argument);
}
