// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include "sim/progressive_filling.hpp"
#include "sim/step_graph.hpp"
#include "support/catch.hpp"
#include "support/played_flows.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct PublishedFinish {
  const char* name;
  std::uint32_t hosts;
  std::uint32_t k;
  std::uint32_t latency_ns;
  double seconds;
};

// SimGrid 3.32, max-min fair (CM02), nine decimals.
constexpr PublishedFinish published_finishes[] = {
    {"ring", 64, 1, 500, 0.020003000},   {"ring", 512, 1, 500, 0.020003000},   {"ring", 1024, 1, 500, 0.020003000},
    {"ring", 4096, 1, 500, 0.020003000}, {"perm", 64, 1, 0, 0.072349831},      {"perm", 512, 1, 0, 0.109618043},
    {"perm", 1024, 1, 0, 0.123458599},   {"perm", 4096, 1, 0, 0.124247873},    {"perm", 64, 8, 0, 0.286267359},
    {"perm", 512, 8, 0, 0.380195255},    {"permeq", 512, 8, 500, 0.320002000}, {"permeq", 1024, 8, 500, 0.320002167},
    {"churn", 64, 1, 0, 0.036540690},    {"churn", 512, 1, 0, 0.040740751},    {"a2a", 64, 1, 0, 0.001260000},
    {"a2as", 64, 1, 500, 0.001449000},   {"a2as", 1024, 1, 0, 0.020460000},
};

/// Ring all-reduce of 1 GB with a barrier between steps (arb) and without (ara) takes the same time.
constexpr std::pair<std::uint32_t, double> published_all_reduces[] = {
    {8, 0.035042000},   {16, 0.037590000},  {32, 0.038936000},   {64, 0.039753000},
    {128, 0.040449500}, {512, 0.042987875}, {1024, 0.046098917},
};

double finish_of(const char* name, std::uint32_t hosts, std::uint32_t k, std::uint32_t latency_ns) {
  const auto flows = flow_case(name, hosts, k);
  PlayedFlows played(*fat_tree_shape(hosts), *flows, latency_ns);
  return static_cast<double>(played.play().count) / femtoseconds_per_second;
}

/// Rates of a plain fill for the flows that are under way, by path.
std::map<std::uint32_t, std::uint64_t> filled_anew(const PlayedFlows& played,
                                                   const std::map<std::uint32_t, CaseFlow>& paths) {
  const FlowReplay& replay = played.replay();
  const std::uint64_t capacity = FatTreeLinks::bytes_per_second * FlowReplay::rate_one;
  std::vector<SharedResource> links(played.links().count(), {UInt128{capacity} * coefficient_one, 0});
  std::vector<std::vector<CapacityDemand>> demands;
  std::vector<SharedTransfer> transfers;
  std::vector<std::uint32_t> path_of;
  demands.reserve(paths.size());
  for (const auto& [path, flow] : paths) {
    const std::uint32_t flows = replay.flows(played.route(path));
    if (flows == 0) continue;
    std::array<std::uint32_t, 6> hops;
    auto& route = demands.emplace_back();
    for (const std::uint32_t link : played.links().route(flow.from, flow.to, hops)) {
      route.push_back({link, 1, coefficient_one});
      links[link].demand += UInt128{capacity} * coefficient_one * flows;
    }
    transfers.push_back({.demands = route, .bound = capacity, .count = flows, .live = true});
    path_of.push_back(path);
  }
  std::map<std::uint32_t, std::uint64_t> rates;
  ProgressiveFilling oracle;
  for (const auto& [key, rate] : oracle.fill(links, transfers)) rates[path_of[key]] = rate;
  return rates;
}

/// Compares rates with those of a plain fill at every `each`-th instant.
void compare_with_plain_fill(std::uint32_t hosts, std::uint32_t k, std::uint64_t each) {
  const auto flows = permutation_case(hosts, k, false);
  std::map<std::uint32_t, CaseFlow> paths;
  for (const CaseFlow& flow : flows->flows()) paths[flow.path] = flow;
  PlayedFlows played(*fat_tree_shape(hosts), *flows, 0);
  while (played.advance()) {
    if (played.replay().instants() % each != 0) continue;
    const auto rates = filled_anew(played, paths);
    const bool equal = std::all_of(rates.begin(), rates.end(), [&](const auto& item) {
      return played.replay().rate(played.route(item.first)) == item.second;
    });
    CHECK(equal);
  }
}

}  // namespace

TEST_CASE("flows on fat trees end when an independent flow simulator says so", "[laws]") {
  for (const auto& [name, hosts, k, latency_ns, seconds] : published_finishes) {
    INFO(name << " " << hosts << " hosts, k = " << k);
    // Closed loops amplify a difference in the last digit.
    const double relative = std::string_view(name) == "churn" ? 1e-7 : 1e-9;
    CHECK(finish_of(name, hosts, k, latency_ns) == Approx(seconds).epsilon(relative).margin(1e-9));
  }
}

TEST_CASE("a ring all-reduce step by step ends when an independent flow simulator says so", "[laws]") {
  for (const auto& [hosts, seconds] : published_all_reduces) {
    INFO(hosts << " hosts");
    // 2 (n - 1) steps of floor(1 GB / n) / 50 GB/s + 6 links x 500 ns
    const double step = static_cast<double>(1'000'000'000 / hosts) / 50e9 + 6 * 500e-9;
    CHECK(seconds == Approx(2 * (hosts - 1) * step).epsilon(0).margin(1e-9));
    CHECK(finish_of("arb", hosts, 1, 500) == Approx(seconds).epsilon(1e-9).margin(1e-9));
    CHECK(finish_of("ara", hosts, 1, 500) == Approx(seconds).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("rates of 64 flows on every host, where repair gives way to full fills, are those of a plain fill",
          "[laws]") {
  compare_with_plain_fill(64, 64, 250);
}

TEST_CASE("rates of 4,096 flows under repair are those of a plain fill", "[laws]") {
  compare_with_plain_fill(512, 8, 400);
}
