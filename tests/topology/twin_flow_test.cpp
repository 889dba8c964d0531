// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/twin_flow.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "topology/routing/stations.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Bytes from a station to a twin, with many digits, so that another order of additions shows.
double bytes_of(StationId from, StationId to) {
  return 1.0 / (7 + 3 * from.value + 11 * to.value);
}

LinkLoads together(const NetworkGraph& graph, const Routes& routes, const Stations& stations,
                   const std::vector<StationId>& twins, const std::vector<StationId>& sources) {
  LinkLoads loads(graph.links(), 0.1);
  SprayFlow spray(graph, routes, loads);
  TwinFlow flow(stations, spray);
  for (int round = 0; round < 2; ++round) {  // what one round leaves must not show in the next
    flow.start(twins);
    for (const StationId from : sources) {
      std::vector<double> bytes;
      for (const StationId twin : twins) bytes.push_back(bytes_of(from, twin));
      flow.put(from, bytes);
    }
    flow.finish();
  }
  return loads;
}

LinkLoads one_by_one(const NetworkGraph& graph, const Routes& routes, const Stations& stations,
                     const std::vector<StationId>& twins, const std::vector<StationId>& sources) {
  LinkLoads loads(graph.links(), 0.1);
  SprayFlow flow(graph, routes, loads);
  for (int round = 0; round < 2; ++round)
    for (const StationId twin : twins) {
      for (const StationId from : sources)
        flow.put(stations[from].place, stations[twin].endpoint, bytes_of(from, twin));
      flow.finish(stations[twin]);
    }
  return loads;
}

}  // namespace

TEST_CASE("traffic to twins loads links as that to one after the other does, bit by bit", "[topology][loads]") {
  SmallFatTree tree(3, 6, 3);  // 3 groups of 6 leaves, 18 stations
  const bool faulty = GENERATE(false, true);
  if (faulty) tree.graph.fail_link(tree.graph.leaving(tree.spine(0, 1)).back());  // one core less for the spine
  const auto routes = make_routes(tree.graph);
  const Stations stations(tree.graph);
  REQUIRE(stations.size() == 18);
  const IndexedVector<StationId, StationId> classes = twin_classes(tree.graph, stations, {});
  std::vector<StationId> twins, sources;
  for (const StationId s : stations.ids()) (classes[s] == StationId(6) ? twins : sources).push_back(s);
  const std::size_t count = GENERATE(1, 2, 5, 6);
  REQUIRE(twins.size() == 6);
  twins.resize(count);
  const LinkLoads loads = together(tree.graph, *routes, stations, twins, sources);
  const LinkLoads expected = one_by_one(tree.graph, *routes, stations, twins, sources);
  for (const LinkId link : loads.ids()) REQUIRE(loads[link] == expected[link]);
}
