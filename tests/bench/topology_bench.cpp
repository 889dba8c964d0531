// SPDX-License-Identifier: Apache-2.0
// Networks cable by cable, at the sizes of large clusters: building, routes, what they carry, and collectives on them.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "tools/cluster_session.hpp"
#include "tools/output/network_picture.hpp"
#include "tools/output/topology_facts.hpp"

namespace {

using namespace clusterwright;

/// The shipped H100 nodes on another fabric.
struct Shape {
  int accelerators;
  std::vector<TierSpec> tiers;
  RailLayout rails = RailLayout::joined;
};

const Shape joined_16k{
    16384,
    {{"leaf", 256, 1, "QM9700/QM9790"}, {"spine", 2048, 1, "QM9700/QM9790"}, {"core", 16384, 1, "QM9700/QM9790"}}};
const Shape joined_131k{
    131072, {{"leaf", 512, 1, "Q3400-RA"}, {"spine", 8192, 1, "Q3400-RA"}, {"core", 131072, 1, "Q3400-RA"}}};
const Shape planes_131k{
    131072,
    {{"leaf", 256, 1, "QM9700/QM9790"}, {"spine", 8192, 1, "QM9700/QM9790"}, {"core", 131072, 1, "QM9700/QM9790"}},
    RailLayout::planes};

ClusterSession session_of(const Shape& shape) {
  const auto path = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / "h100-3tier.json";
  ClusterSession session = open_cluster(path, {});
  ClusterSpec spec = session.cluster.spec;
  spec.accelerators = shape.accelerators;
  spec.fabric.tiers = shape.tiers;
  spec.fabric.rails = shape.rails;
  session.cluster = build_cluster(spec, session.catalog, JsonValue());
  return session;
}

/// Most memory that this process has held so far, so run one benchmark alone to read it (--benchmark_filter).
double peak_resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void count(benchmark::State& state, const NetworkGraph& graph) {
  state.counters["switches"] = static_cast<double>(graph.switches());
  state.counters["cables"] = static_cast<double>(graph.cables());
  state.counters["peak_mb"] = peak_resident_megabytes();
}

void build_and_route(benchmark::State& state, const Shape& shape) {
  const ClusterSession session = session_of(shape);
  std::optional<RoutedNetwork> network;
  for (auto _ : state) {
    network.reset();
    network = route_network(session, {});
  }
  count(state, network->graph);
}

void facts(benchmark::State& state, const Shape& shape) {
  const ClusterSession session = session_of(shape);
  const std::optional<Network> network = network_of(session.cluster);
  for (auto _ : state) benchmark::DoNotOptimize(topology_facts(session.cluster, *network));
  count(state, network->graph);
}

void picture(benchmark::State& state, const Shape& shape) {
  const ClusterSession session = session_of(shape);
  const std::optional<Network> network = network_of(session.cluster);
  for (auto _ : state) benchmark::DoNotOptimize(network_picture(session.cluster, &network->graph));
}

/// The table of `collective` over one group, 8 B to 8 GiB by factors of two. Traffic is laid on the links once for each
/// algorithm, which the first row that takes it pays.
void collective_table(benchmark::State& state, const Shape& shape, CollectiveOp op, int ranks) {
  ClusterSession session = session_of(shape);
  const std::optional<RoutedNetwork> network = route_network(session, {});
  const CollectiveSet parameters = load_collective_set(session.cluster.accelerator, "", session.inputs);
  GroupRequest grouping;
  grouping.ranks = ranks;
  CollectiveRequest request;
  request.op = op;
  request.groups = make_groups(grouping, session.cluster);
  int rows = 0;
  for (auto _ : state) {
    const CollectivePredictor predictor(session.cluster, parameters, &*network, request);
    for (Bytes bytes = 8 * byte; bytes <= 8 * gibibyte; bytes = 2 * bytes, ++rows)
      benchmark::DoNotOptimize(predictor.predict(bytes));
  }
  state.counters["per_row"] = benchmark::Counter(rows, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["peak_mb"] = peak_resident_megabytes();
}

BENCHMARK_CAPTURE(build_and_route, joined_16k, joined_16k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_and_route, joined_131k, joined_131k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_and_route, planes_131k, planes_131k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(facts, joined_16k, joined_16k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(facts, joined_131k, joined_131k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, joined_16k, joined_16k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(picture, joined_131k, joined_131k)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective_table, all_reduce_100k, joined_131k, CollectiveOp::all_reduce, 100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective_table, all_to_all_100k, joined_131k, CollectiveOp::all_to_all, 100'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
