// SPDX-License-Identifier: Apache-2.0
#include "sim/water_levels.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "sim/capacity_sharing.hpp"
#include "sim/progressive_filling.hpp"
#include "sim/step_graph.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Shape of a random graph and of its transfers.
struct Traffic {
  std::uint32_t resources;
  std::uint32_t longest_route;
  std::uint64_t least_capacity, most_capacity;
  std::uint64_t most_bound;
  std::uint32_t most_weight;
  bool uniform;  // all demands are byte for byte
  std::uint32_t live;
};

Traffic random_traffic() {
  const auto capacities = *rc::gen::element<std::uint64_t>(3, 100, 20'000, 50'000'000'000, 1ull << 52);
  const auto spread = *rc::gen::element<std::uint64_t>(1, 2, 10);
  return {.resources = *rc::gen::element(2u, 8u, 40u),
          .longest_route = *rc::gen::inRange(1u, 7u),
          .least_capacity = capacities,
          .most_capacity = capacities * spread,
          .most_bound = capacities * *rc::gen::element<std::uint64_t>(1, 2, 50),
          .most_weight = *rc::gen::element(1u, 1u, 4u),
          .uniform = *rc::gen::arbitrary<bool>(),
          .live = *rc::gen::element(35u, 60u, 120u)};
}

/// Transfers that come, go and change, beside the same transfers in a plain fill.
class Twin {
 public:
  explicit Twin(const Traffic& traffic) : traffic_(traffic), capacities_(draw_capacities()), sharing_(capacities_) {
    while (live_.size() < traffic.live) add();
  }

  void change() {
    const int what = *rc::gen::inRange(0, 8);
    if (live_.size() < traffic_.live / 2 || (what < 3 && live_.size() < 2 * traffic_.live)) return add();
    const std::size_t which = *rc::gen::inRange<std::size_t>(0, live_.size());
    const std::uint32_t key = live_[which];
    if (what < 6) {
      sharing_.remove(key);
      mirror_[key].live = false;
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (what == 6) {
      mirror_[key].bound = draw_bound();
      sharing_.set_bound(key, mirror_[key].bound);
    } else {
      mirror_[key].count = *rc::gen::inRange(1u, 5u);
      sharing_.set_count(key, mirror_[key].count);
    }
  }

  void remove_all() {
    for (const std::uint32_t key : live_) {
      sharing_.remove(key);
      mirror_[key].live = false;
    }
    live_.clear();
  }

  /// Each transfer runs at its bound, or is among the fastest, by weight, on a resource that is full up to the rounding
  /// of one level. Rates that were raised to 1 may overdraw.
  void check_bottlenecks() const {
    std::vector<UInt128> drawn(capacities_.size()), one_more(capacities_.size());
    std::vector<std::uint64_t> fastest(capacities_.size());
    for (const std::uint32_t key : live_)
      for (const CapacityDemand& demand : mirror_[key].demands) {
        const UInt128 take = mirror_[key].per_rate(demand);
        drawn[demand.resource] += take * sharing_.rate(key);
        one_more[demand.resource] += take * mirror_[key].weight;
        if (take == 0) continue;
        fastest[demand.resource] = std::max(fastest[demand.resource], sharing_.rate(key) / mirror_[key].weight);
      }
    for (const std::uint32_t key : live_) {
      bool held = sharing_.rate(key) == mirror_[key].bound || sharing_.rate(key) == 1;
      for (const CapacityDemand& demand : mirror_[key].demands) {
        const UInt128 capacity = UInt128{capacities_[demand.resource]} * coefficient_one;
        RC_ASSERT(drawn[demand.resource] <= capacity + one_more[demand.resource]);
        held = held || (drawn[demand.resource] + one_more[demand.resource] > capacity &&
                        sharing_.rate(key) / mirror_[key].weight == fastest[demand.resource]);
      }
      RC_ASSERT(held);
    }
  }

  void settle_and_compare() {
    std::vector<std::uint64_t> before;
    for (const std::uint32_t key : live_) before.push_back(sharing_.rate(key));
    const std::vector<std::uint32_t> reported = sharing_.settle();
    RC_ASSERT(std::is_sorted(reported.begin(), reported.end()));
    for (std::size_t i = 0; i < live_.size(); ++i)
      if (sharing_.rate(live_[i]) != before[i])
        RC_ASSERT(std::binary_search(reported.begin(), reported.end(), live_[i]));
    ProgressiveFilling oracle;
    std::size_t decided = 0;
    for (const auto& [key, rate] : oracle.fill(demanded(), mirror_)) {
      RC_ASSERT(sharing_.rate(key) == rate);
      ++decided;
    }
    RC_ASSERT(decided == live_.size());
  }

 private:
  std::vector<std::uint64_t> draw_capacities() const {
    return *rc::gen::container<std::vector<std::uint64_t>>(
        traffic_.resources, rc::gen::inRange(traffic_.least_capacity, traffic_.most_capacity + 1));
  }
  std::uint64_t draw_bound() const { return *rc::gen::inRange<std::uint64_t>(1, traffic_.most_bound + 1); }

  std::vector<CapacityDemand> draw_demands() const {
    std::vector<CapacityDemand> demands;
    for (std::uint32_t hops = *rc::gen::inRange(1u, traffic_.longest_route + 1); hops > 0; --hops) {
      const std::uint32_t resource = *rc::gen::inRange(0u, traffic_.resources);  // twice the same is allowed
      if (traffic_.uniform)
        demands.push_back({resource, 1, coefficient_one});
      else
        demands.push_back({resource, *rc::gen::inRange(1u, 4u), *rc::gen::inRange(0u, 2 * coefficient_one)});
    }
    return demands;
  }

  void add() {
    demands_.push_back(draw_demands());
    SharedTransfer transfer{.demands = demands_.back(), .bound = draw_bound(), .live = true};
    transfer.weight = *rc::gen::inRange(1u, traffic_.most_weight + 1);
    transfer.count = *rc::gen::element(1u, 1u, 1u, 3u);
    const std::uint32_t key = sharing_.add(transfer.demands, transfer.bound, transfer.weight, transfer.count);
    if (mirror_.size() <= key) mirror_.resize(key + 1);
    mirror_[key] = transfer;
    live_.push_back(key);
  }

  std::vector<SharedResource> demanded() const {
    std::vector<SharedResource> resources;
    for (const std::uint64_t capacity : capacities_) resources.push_back({UInt128{capacity} * coefficient_one, 0});
    for (const std::uint32_t key : live_)
      for (const CapacityDemand& demand : mirror_[key].demands)
        resources[demand.resource].demand += UInt128{mirror_[key].per_rate(demand)} * mirror_[key].bound;
    return resources;
  }

  Traffic traffic_;
  std::vector<std::uint64_t> capacities_;
  CapacitySharing sharing_;
  std::deque<std::vector<CapacityDemand>> demands_;  // must stay where they are
  std::vector<SharedTransfer> mirror_;               // by key
  std::vector<std::uint32_t> live_;
};

}  // namespace

TEST_CASE("repaired levels give the rates of a plain fill after every change", "[sim][laws]") {
  REQUIRE(rc::check("all rates equal the oracle, on random graphs, weights, counts, coefficients and bounds", [] {
    Twin twin(random_traffic());
    twin.settle_and_compare();
    const int changes_at_once = *rc::gen::element(1, 1, 1, 2, 5);
    for (int settles = 0; settles < 200; ++settles) {
      for (int i = 0; i < changes_at_once; ++i) twin.change();
      twin.settle_and_compare();
    }
    twin.check_bottlenecks();
  }));
}

TEST_CASE("many transfers may leave and others come", "[sim][laws]") {
  REQUIRE(rc::check("rates equal the oracle before, between and after", [] {
    Twin twin(random_traffic());
    for (int rounds = 0; rounds < 3; ++rounds) {
      for (int settles = 0; settles < 30; ++settles) {
        twin.change();
        twin.settle_and_compare();
      }
      twin.remove_all();
      if (rounds > 0) twin.settle_and_compare();
    }
  }));
}
