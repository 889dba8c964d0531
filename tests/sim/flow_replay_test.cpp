// SPDX-License-Identifier: Apache-2.0
#include "sim/flow_replay.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr std::int64_t fs_per_ms = femtoseconds_per_second / 1000;
constexpr std::uint64_t giga = 1'000'000'000;

using Links = std::vector<std::uint32_t>;

/// Ends of all flows by number, in fs.
std::map<std::uint64_t, std::int64_t> ends_of(FlowReplay& replay) {
  std::map<std::uint64_t, std::int64_t> ends;
  replay.run([&](std::uint64_t flow) { ends[flow] = replay.now().count; });
  return ends;
}

struct RandomFlow {
  Links links;
  std::int64_t latency;
  std::uint64_t bytes;
  std::int64_t at;
};

std::vector<RandomFlow> random_flows(std::uint32_t links) {
  std::vector<Links> routes(*rc::gen::inRange<std::size_t>(1, 60));
  for (Links& route : routes) {
    route = *rc::gen::unique<Links>(*rc::gen::inRange<std::size_t>(1, 6),
                                    rc::gen::resize(100, rc::gen::inRange(0u, links)));
  }
  std::vector<RandomFlow> flows(*rc::gen::inRange<std::size_t>(1, 150));
  for (RandomFlow& flow : flows)
    flow = {*rc::gen::elementOf(routes), *rc::gen::element<std::int64_t>(0, 0, 700'000'000),
            *rc::gen::inRange<std::uint64_t>(0, 100'000'000), *rc::gen::element<std::int64_t>(0, 0, 3, fs_per_ms)};
  return flows;
}

std::vector<std::uint64_t> random_links(std::uint32_t count) {
  return *rc::gen::container<std::vector<std::uint64_t>>(count, rc::gen::inRange<std::uint64_t>(1'000'000, giga));
}

/// Flows on equal links share a route. `order` lists the flows.
class Played {
 public:
  Played(const std::vector<std::uint64_t>& capacities, const std::vector<RandomFlow>& flows,
         const std::vector<std::size_t>& order)
      : replay(capacities) {
    std::map<std::pair<Links, std::int64_t>, FlowRouteId> known;
    for (const std::size_t i : order) {
      const RandomFlow& flow = flows[i];
      FlowRouteId& route = known[{flow.links, flow.latency}];
      if (!route.exists()) route = replay.add_route(flow.links, {flow.latency});
      replay.start(route, flow.bytes, i, {flow.at});
    }
    for (const auto& [key, route] : known) routes.emplace_back(route, key.first);
  }

  FlowReplay replay;
  std::vector<std::pair<FlowRouteId, Links>> routes;
};

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

TEST_CASE("a replay without flows ends at once", "[sim]") {
  FlowReplay replay({giga});
  CHECK(replay.run([](std::uint64_t) {}) == Femtoseconds{0});
  CHECK(replay.instants() == 0);
}

TEST_CASE("two flows share a link as in the example of the header", "[sim]") {
  FlowReplay replay({50 * giga});
  const FlowRouteId route = replay.add_route(Links{0});
  replay.start(route, giga, 0);
  replay.start(route, giga, 1, {10 * fs_per_ms});
  const auto ends = ends_of(replay);
  // 500 MB at 50 GB/s, 500 MB at 25 GB/s; then the other 500 MB at 50 GB/s
  CHECK(ends.at(0) == 30 * fs_per_ms);
  CHECK(ends.at(1) == 40 * fs_per_ms);
  CHECK(replay.instants() == 4);
}

TEST_CASE("latency comes before the bytes, and the narrowest link limits a flow alone", "[sim]") {
  FlowReplay replay({50 * giga, 10 * giga});
  const FlowRouteId route = replay.add_route(Links{0, 1}, {2 * fs_per_ms});
  replay.start(route, giga, 7);
  CHECK(replay.flows(route) == 0);
  CHECK(replay.advance([](std::uint64_t) {}));
  CHECK(replay.flows(route) == 1);
  CHECK(replay.rate(route) == 10 * giga * FlowReplay::rate_one);
  // 2 ms + 1 GB / 10 GB/s
  CHECK(ends_of(replay).at(7) == 102 * fs_per_ms);
  CHECK(replay.rate(route) == 0);
}

TEST_CASE("a flow that starts when another ends is settled with it, without an instant of its own", "[sim]") {
  FlowReplay replay({giga});
  const FlowRouteId route = replay.add_route(Links{0});
  replay.start(route, giga, 1);
  std::vector<std::uint64_t> ended;
  const Femtoseconds finish = replay.run([&](std::uint64_t flow) {
    ended.push_back(flow);
    if (flow < 3) replay.start(route, giga, flow + 1);
  });
  CHECK(ended == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(finish.count == 3 * femtoseconds_per_second);
  CHECK(replay.instants() == 4);  // the first start and three ends
}

TEST_CASE("between two instants a flow may start now, and a flow without bytes ends at its start", "[sim]") {
  FlowReplay replay({giga});
  const FlowRouteId route = replay.add_route(Links{0});
  replay.start(route, giga, 1);
  replay.advance([](std::uint64_t) {});
  replay.start(route, 0, 2);
  replay.start(route, giga, 3);
  const auto ends = ends_of(replay);
  CHECK(ends.at(2) == 0);
  CHECK(ends.at(1) == 2 * femtoseconds_per_second);
  CHECK(ends.at(3) == 2 * femtoseconds_per_second);
}

TEST_CASE("an idle route may lead elsewhere", "[sim]") {
  FlowReplay replay({giga, 2 * giga, 4 * giga});
  const FlowRouteId route = replay.add_route(Links{0});
  replay.start(route, giga, 1);
  replay.advance([](std::uint64_t) {});
  CHECK_THROWS_AS(replay.redirect(route, Links{1}), std::invalid_argument);
  replay.run([](std::uint64_t) {});
  replay.redirect(route, Links{2, 1});
  replay.start(route, giga, 2);
  // 1 s on the first link, 0.5 s on the second way
  CHECK(replay.run([](std::uint64_t) {}).count == 3 * femtoseconds_per_second / 2);
}

TEST_CASE("what a flow replay cannot count is refused", "[sim]") {
  const auto nothing = [](std::uint64_t) {};
  CHECK_THROWS_AS(FlowReplay({0}), std::invalid_argument);
  CHECK_THROWS_AS(FlowReplay({std::uint64_t{1} << 48}), std::invalid_argument);
  FlowReplay replay({1});
  CHECK_THROWS_AS(replay.add_route(Links{}), std::invalid_argument);
  CHECK_THROWS_AS(replay.add_route(Links{1}), std::invalid_argument);
  CHECK_THROWS_AS(replay.add_route(Links{0}, {-1}), std::invalid_argument);
  const FlowRouteId route = replay.add_route(Links{0});
  CHECK_THROWS_AS(replay.start(route, std::uint64_t{1} << 60, 0), std::invalid_argument);
  CHECK_THROWS_AS(replay.start(route, 1, 0, {-1}), std::invalid_argument);
  replay.start(route, 10'000, 0);  // at 1 byte/s: 2.8 hours
  CHECK_THROWS_AS(replay.run(nothing), std::overflow_error);
}

TEST_CASE("links carry the bytes of their flows", "[sim][laws]") {
  REQUIRE(rc::check("integral of rates over time, up to the last femtosecond of each flow", [] {
    const auto capacities = random_links(12);
    const auto flows = random_flows(12);
    Played played(capacities, flows, numbers_below(flows.size()));
    FlowReplay& replay = played.replay;
    std::vector<Int128> carried(capacities.size());
    std::vector<UInt128> per_fs(capacities.size());
    Femtoseconds before;
    while (replay.advance([](std::uint64_t) {})) {
      const std::int64_t span = replay.now().count - before.count;
      before = replay.now();
      for (std::size_t link = 0; link < carried.size(); ++link)
        carried[link] += static_cast<Int128>(per_fs[link]) * span;
      std::fill(per_fs.begin(), per_fs.end(), 0);
      for (const auto& [route, links] : played.routes)
        for (const std::uint32_t link : links) per_fs[link] += UInt128{replay.rate(route)} * replay.flows(route);
      for (std::size_t link = 0; link < carried.size(); ++link)
        RC_ASSERT(per_fs[link] <= UInt128{capacities[link]} * FlowReplay::rate_one);
    }
    for (std::size_t link = 0; link < carried.size(); ++link) {
      Int128 due = 0, rounding = 0;
      for (const RandomFlow& flow : flows) {
        if (std::count(flow.links.begin(), flow.links.end(), link) == 0) continue;
        due += Int128{flow.bytes} * FlowReplay::rate_one * femtoseconds_per_second;
        rounding += Int128{capacities[link]} * FlowReplay::rate_one;
      }
      RC_ASSERT(carried[link] >= due);
      RC_ASSERT(carried[link] <= due + rounding);
    }
  }));
}

TEST_CASE("other names of links and another order of flows change no end", "[sim][laws]") {
  REQUIRE(rc::check("every flow ends at the same femtosecond", [] {
    const auto capacities = random_links(12);
    auto flows = random_flows(12);
    Played plain(capacities, flows, numbers_below(flows.size()));
    const auto ends = ends_of(plain.replay);
    RC_ASSERT(ends.size() == flows.size());

    std::vector<std::uint32_t> names(capacities.size());
    std::iota(names.begin(), names.end(), 0);
    for (std::size_t i = names.size() - 1; i > 0; --i)
      std::swap(names[i], names[*rc::gen::inRange<std::size_t>(0, i + 1)]);
    std::vector<std::uint64_t> renamed(capacities.size());
    for (std::size_t link = 0; link < names.size(); ++link) renamed[names[link]] = capacities[link];
    for (RandomFlow& flow : flows)
      for (std::uint32_t& link : flow.links) link = names[link];
    auto order = numbers_below(flows.size());
    std::reverse(order.begin(), order.end());
    Played other(renamed, flows, order);
    RC_ASSERT(ends_of(other.replay) == ends);
  }));
}
