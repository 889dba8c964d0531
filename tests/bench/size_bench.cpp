// SPDX-License-Identifier: Apache-2.0
// Sizing: from a cluster to racks, cables, power, cooling and money. One thread; target 200 ms each.
#include <benchmark/benchmark.h>

#include "models/job/price_list.hpp"
#include "models/site/plant/facility_files.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "tools/cluster_session.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace {

using namespace clusterwright;

/// A shipped cluster in its usual facility, at the usual prices, without a job.
void size(benchmark::State& state, const char* name) {
  const auto path = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (std::string(name) + ".json");
  ClusterSession session = open_cluster(path, {});
  const Catalog catalog = with_own_parts(session.catalog, session.cluster.spec);
  const Facility facility = load_facility(session.cluster, catalog, session.document, session.pointer, session.inputs);
  const PriceList prices = load_prices(JsonValue::object(), catalog, session.inputs);
  std::size_t racks = 0;
  long long links = 0;
  for (auto _ : state) {
    const SizedCluster sized = size_cluster({session.cluster, catalog, facility, prices});
    racks = sized.plan.floor.racks.size();
    links = 0;
    for (const CableTotal& cable : sized.plan.cables) links += cable.links;
  }
  state.counters["racks"] = static_cast<double>(racks);
  state.counters["links"] = static_cast<double>(links);
}

BENCHMARK_CAPTURE(size, dgx_127, "dgx-h100-127")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size, planes_16k, "h100-rail-planes")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size, joined_16k, "h100-3tier")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size, nvl72_9racks, "gb200-nvl72-9racks")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size, joined_100k, "h100-100k-3tier")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(size, dragonfly_plus_100k, "h100-100k-dragonfly-plus")->Unit(benchmark::kMillisecond);

}  // namespace
