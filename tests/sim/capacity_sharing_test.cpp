// SPDX-License-Identifier: Apache-2.0
#include "sim/capacity_sharing.hpp"

#include <rapidcheck.h>

#include <deque>
#include <utility>
#include <vector>

#include "sim/step_graph.hpp"
#include "sim/wide_integer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

using Demands = std::vector<CapacityDemand>;

constexpr std::uint64_t unbounded = 1'000'000;

/// Crosses each of `resources` once, byte for byte.
Demands across(std::initializer_list<std::uint32_t> resources) {
  Demands demands;
  for (const std::uint32_t resource : resources) demands.push_back({resource, 1, coefficient_one});
  return demands;
}

struct RandomTransfer {
  Demands demands;
  std::uint64_t bound;
  std::uint32_t weight;
};

std::vector<RandomTransfer> random_transfers(std::uint32_t resources) {
  std::vector<RandomTransfer> transfers(*rc::gen::inRange<std::size_t>(1, 12));
  for (RandomTransfer& transfer : transfers) {
    for (std::uint32_t resource = 0; resource < resources; ++resource)
      if (*rc::gen::inRange(0, 3) == 0)
        transfer.demands.push_back({resource, *rc::gen::inRange(1u, 4u), *rc::gen::inRange(1u, 2 * coefficient_one)});
    transfer.bound = *rc::gen::inRange<std::uint64_t>(1, 4000);
    transfer.weight = *rc::gen::inRange(1u, 4u);
  }
  return transfers;
}

std::vector<std::uint64_t> random_capacities(std::uint32_t resources) {
  return *rc::gen::container<std::vector<std::uint64_t>>(resources, rc::gen::inRange<std::uint64_t>(2000, 20000));
}

/// Drawn from a resource, in 1/coefficient_one byte/s.
UInt128 drawn(std::uint32_t resource, const std::vector<RandomTransfer>& transfers,
              const std::vector<std::uint64_t>& rates) {
  UInt128 sum = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    for (const CapacityDemand& demand : transfers[i].demands)
      if (demand.resource == resource) sum += UInt128{demand.count} * demand.coefficient * rates[i];
  return sum;
}

std::vector<std::uint64_t> solve(const std::vector<std::uint64_t>& capacities,
                                 const std::vector<RandomTransfer>& transfers) {
  CapacitySharing sharing(capacities);
  std::vector<std::uint64_t> rates;
  for (const RandomTransfer& transfer : transfers) sharing.add(transfer.demands, transfer.bound, transfer.weight);
  sharing.settle();
  for (std::uint32_t key = 0; key < transfers.size(); ++key) rates.push_back(sharing.rate(key));
  return rates;
}

}  // namespace

TEST_CASE("a transfer alone runs at its bound", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto key = sharing.add(demands, 60, 1);
  CHECK(sharing.settle() == std::vector<CapacitySharing::TransferKey>{key});
  CHECK(sharing.rate(key) == 60);
  CHECK(sharing.settle().empty());
}

TEST_CASE("three transfers on one link get whole thirds by weight", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto light = sharing.add(demands, unbounded, 1);
  const auto heavy = sharing.add(demands, unbounded, 2);
  sharing.settle();
  // level = floor(100 / 3) = 33
  CHECK(sharing.rate(light) == 33);
  CHECK(sharing.rate(heavy) == 66);
}

TEST_CASE("what a bounded transfer leaves over goes to the others", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto slow = sharing.add(demands, 10, 1);
  const auto fast = sharing.add(demands, unbounded, 1);
  const auto other = sharing.add(demands, unbounded, 1);
  sharing.settle();
  // (100 - 10) / 2 = 45
  CHECK(sharing.rate(slow) == 10);
  CHECK(sharing.rate(fast) == 45);
  CHECK(sharing.rate(other) == 45);
}

TEST_CASE("a transfer is held by its narrowest link, and the rest of the wide link goes to the other transfer",
          "[sim]") {
  CapacitySharing sharing({100, 30});
  const Demands wide = across({0});
  const Demands both = across({0, 1});
  const Demands narrow = across({1});
  const auto a = sharing.add(wide, unbounded, 1);
  const auto b = sharing.add(both, unbounded, 1);
  const auto c = sharing.add(narrow, unbounded, 1);
  sharing.settle();
  // link 1: 30 / 2 = 15 for b and c; link 0: 100 - 15 = 85 for a
  CHECK(sharing.rate(a) == 85);
  CHECK(sharing.rate(b) == 15);
  CHECK(sharing.rate(c) == 15);
}

TEST_CASE("three transfers on two links share them as in the example of the header", "[sim]") {
  const Demands both = across({0, 1}), first = across({0}), second = across({1});
  for (const std::uint64_t bound : {unbounded, std::uint64_t{10}}) {
    CapacitySharing sharing({100, 60});
    const auto crosses_first = sharing.add(first, unbounded, 1);
    const auto crosses_both = sharing.add(both, unbounded, 1);
    const auto crosses_second = sharing.add(second, bound, 1);
    sharing.settle();
    CHECK(sharing.rate(crosses_first) == (bound == 10 ? 50 : 70));
    CHECK(sharing.rate(crosses_both) == (bound == 10 ? 50 : 30));
    CHECK(sharing.rate(crosses_second) == (bound == 10 ? 10 : 30));
  }
}

TEST_CASE("counts and coefficients multiply what a transfer takes", "[sim]") {
  CapacitySharing sharing({90});
  const Demands folded{{0, 3, 3 * coefficient_one / 2}};
  const auto key = sharing.add(folded, unbounded, 1);
  sharing.settle();
  // 90 / (3 x 1.5) = 20
  CHECK(sharing.rate(key) == 20);
}

TEST_CASE("a transfer that stands for three has the rate of each of three", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto three = sharing.add(demands, unbounded, 1, 3);
  const auto one = sharing.add(demands, unbounded, 1);
  sharing.settle();
  // 100 / (3 + 1) = 25
  CHECK(sharing.rate(three) == 25);
  CHECK(sharing.rate(one) == 25);
  sharing.set_count(three, 1);
  sharing.settle();
  CHECK(sharing.rate(three) == 50);
  CHECK(sharing.rate(one) == 50);
}

TEST_CASE("a link that carries every bound restrains no transfer, however the division would round", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto a = sharing.add(demands, 33, 1);
  const auto b = sharing.add(demands, 33, 1);
  const auto c = sharing.add(demands, 34, 1);
  sharing.settle();
  // 33 + 33 + 34 = 100 fits, though floor(100 / 3) = 33 < 34
  CHECK(sharing.rate(a) + sharing.rate(b) + sharing.rate(c) == 100);
}

TEST_CASE("settle reports changed rates: the share of a removed transfer goes to the others", "[sim]") {
  CapacitySharing sharing({100, 100});
  const Demands first = across({0});
  const Demands second = across({1});
  const auto leaver = sharing.add(first, 100, 1);
  const auto stays = sharing.add(first, 100, 1);
  const auto elsewhere = sharing.add(second, 100, 1);
  CHECK(sharing.settle().size() == 3);
  CHECK(sharing.rate(stays) == 50);
  sharing.remove(leaver);
  CHECK(sharing.settle() == std::vector<CapacitySharing::TransferKey>{stays});
  CHECK(sharing.rate(stays) == 100);
  CHECK(sharing.rate(elsewhere) == 100);
}

TEST_CASE("a transfer that is added and removed between two settles is not reported, a reused key only once", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  sharing.remove(sharing.add(demands, 10, 1));
  CHECK(sharing.settle().empty());
  sharing.remove(sharing.add(demands, 10, 1));
  const auto key = sharing.add(demands, 20, 1);
  CHECK(sharing.settle() == std::vector<CapacitySharing::TransferKey>{key});
  CHECK(sharing.rate(key) == 20);
}

TEST_CASE("a new bound changes the shares", "[sim]") {
  CapacitySharing sharing({100});
  const Demands demands = across({0});
  const auto a = sharing.add(demands, 100, 1);
  const auto b = sharing.add(demands, 100, 1);
  sharing.settle();
  sharing.set_bound(a, 20);
  sharing.settle();
  // 20 and 100 - 20
  CHECK(sharing.rate(a) == 20);
  CHECK(sharing.rate(b) == 80);
  sharing.set_bound(b, 30);
  sharing.settle();
  CHECK(sharing.rate(b) == 30);
}

TEST_CASE("no transfer stands still on a link that is too narrow for one byte per second each", "[sim]") {
  CapacitySharing sharing({1});
  const Demands demands = across({0});
  const auto a = sharing.add(demands, unbounded, 1);
  const auto b = sharing.add(demands, unbounded, 1);
  sharing.settle();
  CHECK(sharing.rate(a) == 1);
  CHECK(sharing.rate(b) == 1);
}

TEST_CASE("rates are max-min fair", "[sim][laws]") {
  REQUIRE(rc::check("no link is overdrawn; each transfer is at its bound or among the fastest on a full link", [] {
    constexpr std::uint32_t resources = 4;
    const auto capacities = random_capacities(resources);
    const auto transfers = random_transfers(resources);
    const auto rates = solve(capacities, transfers);
    for (std::uint32_t r = 0; r < resources; ++r)
      RC_ASSERT(drawn(r, transfers, rates) <= UInt128{capacities[r]} * coefficient_one);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (rates[i] == transfers[i].bound) continue;
      bool held = false;
      for (const CapacityDemand& demand : transfers[i].demands) {
        // Full up to the rounding of one level: one more byte per second and unit of weight would not fit.
        UInt128 next = drawn(demand.resource, transfers, rates);
        bool fastest = true;
        for (std::size_t k = 0; k < transfers.size(); ++k)
          for (const CapacityDemand& other : transfers[k].demands) {
            if (other.resource != demand.resource) continue;
            next += UInt128{other.count} * other.coefficient * transfers[k].weight;
            fastest = fastest && rates[k] / transfers[k].weight <= rates[i] / transfers[i].weight;
          }
        held = held || (fastest && next > UInt128{capacities[demand.resource]} * coefficient_one);
      }
      RC_ASSERT(held);
    }
  }));
}

TEST_CASE("rates do not depend on the history of the transfers", "[sim][laws]") {
  REQUIRE(rc::check("a history of adds, removes and new bounds ends in the rates of a fresh start", [] {
    constexpr std::uint32_t resources = 4;
    const auto capacities = random_capacities(resources);
    CapacitySharing sharing(capacities);
    std::deque<RandomTransfer> store;  // demands must stay where they are
    std::vector<std::pair<CapacitySharing::TransferKey, std::size_t>> live;
    for (const RandomTransfer& transfer : random_transfers(resources)) {
      store.push_back(transfer);
      live.emplace_back(sharing.add(store.back().demands, transfer.bound, transfer.weight), store.size() - 1);
      if (*rc::gen::inRange(0, 2) == 0) sharing.settle();
      const auto which = *rc::gen::inRange<std::size_t>(0, live.size());
      if (*rc::gen::inRange(0, 3) == 0) {
        sharing.remove(live[which].first);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (*rc::gen::inRange(0, 3) == 0) {
        store[live[which].second].bound = *rc::gen::inRange<std::uint64_t>(1, 4000);
        sharing.set_bound(live[which].first, store[live[which].second].bound);
      }
    }
    sharing.settle();
    std::vector<RandomTransfer> left;
    for (const auto& [key, index] : live) left.push_back(store[index]);
    const auto rates = solve(capacities, left);
    for (std::size_t i = 0; i < live.size(); ++i) RC_ASSERT(sharing.rate(live[i].first) == rates[i]);
  }));
}

TEST_CASE("two machines side by side do not affect each other", "[sim][laws]") {
  REQUIRE(rc::check("rates in one system equal those beside another system", [] {
    const auto capacities = random_capacities(3);
    const auto other_capacities = random_capacities(3);
    auto transfers = random_transfers(3);
    const auto alone = solve(capacities, transfers);
    auto both = capacities;
    both.insert(both.end(), other_capacities.begin(), other_capacities.end());
    for (RandomTransfer transfer : random_transfers(3)) {
      for (CapacityDemand& demand : transfer.demands) demand.resource += 3;
      transfers.push_back(transfer);
    }
    const auto together = solve(both, transfers);
    for (std::size_t i = 0; i < alone.size(); ++i) RC_ASSERT(together[i] == alone[i]);
  }));
}
