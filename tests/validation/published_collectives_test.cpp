// SPDX-License-Identifier: Apache-2.0
// Bus bandwidths and times that were published one by one; docs/validation.md, "Collectives", says what part they had
// in fits and where the misses come from.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/kernels/collectives/expert_exchange.hpp"
#include "support/catch.hpp"
#include "support/predicted_groups.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr Bytes gib = 1073741824 * byte;
constexpr CollectiveChoice ring{Algorithm::ring, {}};
constexpr CollectiveChoice nvls_tree{Algorithm::nvls_tree, {}};

/// Nodes of 8 below one leaf, 8 NICs each.
struct System {
  std::string accelerator = "H100-SXM";
  std::string parameters = "h100-sxm";
  double nic_gbit_per_s = 400;
};
const System h100;
const System h200{"H200", "h200", 400};
const System h800{"H800", "h100-sxm", 400};
const System a100{"A100-80-SXM", "a100-80-sxm", 200};

struct Question {
  CollectiveOp op = CollectiveOp::all_reduce;
  int nodes = 1;
  Bytes bytes = 8 * gib;
  CollectiveChoice choice{};
  ExpertExchange experts{};
};

CollectiveAnswer answer(const System& system, const Question& question) {
  SmallCase small;
  small.data = question.nodes * 8;
  small.nic_gbit_per_s = system.nic_gbit_per_s;
  ClusterSpec spec = small_cluster(small);
  spec.node.accelerator = system.accelerator;
  spec.fabric = fat_tree({{question.nodes * 8, 1}});
  const Cluster cluster = build_cluster(spec, parts(), JsonValue::object());
  const CollectiveSet set = collective_set(fitted_parameters(system.parameters));
  const RoutedNetwork network = routed(cluster);
  CollectiveRequest request;
  request.op = question.op;
  request.groups = first_groups(cluster, question.nodes * 8);
  request.choice = question.choice;
  request.experts = question.experts;
  return CollectivePredictor(cluster, set, &network, request).predict(question.bytes);
}

double busbw(const System& system, const Question& question) {
  return answer(system, question).bus_bandwidth.in(gigabyte_per_second);
}

/// `most`: |log(predicted / published)| when this was written, rounded up.
struct Point {
  std::string what;
  double published;
  double predicted;
  double most;

  double error() const { return std::log(predicted / published); }
};

void check(const std::vector<Point>& points, const char* unit) {
  std::string table;
  for (const Point& p : points)
    table += fmt::format("{:<56} {:>7.1f} {:>7.1f} {}  {:+6.1f} %\n", p.what, p.published, p.predicted, unit,
                         100 * p.error());
  INFO(table);
  for (const Point& p : points) {
    INFO(p.what);
    CHECK(std::abs(p.error()) <= p.most);
  }
}

Question all_reduce(int nodes, const CollectiveChoice& choice = {}) {
  return {CollectiveOp::all_reduce, nodes, 8 * gib, choice};
}
Question all_to_all(int nodes) {
  return {CollectiveOp::all_to_all, nodes, 8 * gib, {}};
}

/// 256 experts, 8 for each token.
ExpertExchange large_mixture(Algorithm transfer, int domain_limit) {
  ExpertExchange out;
  out.experts = 256;
  out.top_k = 8;
  out.domain_limit = domain_limit;
  out.transfer = transfer;
  return out;
}

constexpr double hidden = 7168;

/// Few tokens to all their experts: 128 tokens, 8 bits and a scale for each 128 elements, or 16 bits on the way back.
double decode_us(CollectiveOp op, int nodes) {
  const double size = op == CollectiveOp::dispatch ? hidden + hidden / 128 * 4 : 2 * hidden;
  const Question question{op, nodes, 128 * 8 * size * byte, {}, large_mixture(Algorithm::direct, 0)};
  return answer(h800, question).time.in(microsecond);
}

/// Many tokens, one copy for each of at most 4 nodes. Published are the bytes for distinct nodes (distinct ranks inside
/// one), the own included, over the time: more than NICs carry.
double prefill_gb_per_s(const System& system, CollectiveOp op, int nodes) {
  const double tokens = 4096, size = op == CollectiveOp::dispatch ? hidden : 2 * hidden;
  Question question{op, nodes, tokens * 8 * size * byte, {}, large_mixture(Algorithm::hierarchical, 4)};
  ExpertExchange exchange = question.experts;
  exchange.ranks = nodes * 8;
  exchange.ranks_in_domain = 8;
  exchange.tokens = 1;
  exchange.token_size = 1 * byte;
  const ExpertTraffic traffic = expert_traffic(exchange);
  const double copies = nodes == 1 ? traffic.distinct_ranks : traffic.distinct_domains;
  return tokens * size * copies * 1e-9 / answer(system, question).time.in(second);
}

}  // namespace

// Issues of NVIDIA/nccl-tests (290, 272, 212) and NVIDIA/nccl (1374).
TEST_CASE("published all-reduces inside one node", "[validation][collectives]") {
  check({{"8 H100, NVLS (nccl-tests 290)", 476, busbw(h100, all_reduce(1)), 0.02},
         {"8 H200, NVLS (nccl-tests 272)", 475, busbw(h200, all_reduce(1)), 0.04},
         {"8 H100, ring (nccl-tests 212)", 370, busbw(h100, all_reduce(1, ring)), 0.07},
         {"8 H800, NVLS (nccl 1374)", 215, busbw(h800, all_reduce(1)), 0.01}},
        "GB/s");
}

// Issues of NVIDIA/nccl (1221, 2409, 812, 1218) and NVIDIA/nccl-tests (290).
TEST_CASE("published collectives between nodes", "[validation][collectives]") {
  const Question gather{CollectiveOp::all_gather, 32, 2 * gib, {}};
  check({{"2 x 8 H100, 8 x 400G RoCE, NVLS off (nccl 1221)", 330, busbw(h100, all_reduce(2, ring)), 0.13},
         {"2 x 8 H100, 8 x 400G RoCE, NVLS on (nccl 1221)", 430, busbw(h100, all_reduce(2, nvls_tree)), 0.12},
         {"4 x 8 H100, the same site (nccl 1221)", 320, busbw(h100, all_reduce(4)), 0.16},
         {"2 x 8 H100, expected (nccl 2409)", 470, busbw(h100, all_reduce(2)), 0.03},
         {"8 NDR NICs at 47 GB/s each (nccl-tests 290)", 376, busbw(h100, all_reduce(4, ring)), 0.02},
         {"2 x 8 A100, 8 x 200G (nccl 812)", 192, busbw(a100, all_reduce(2)), 0.03},
         {"32 x 8 H100, all-gather of 2 GiB (nccl 1218)", 200, busbw(h100, gather), 0.45}},
        "GB/s");
}

// Issues 196 of NVIDIA/nccl-tests and 812 of NVIDIA/nccl.
TEST_CASE("two nodes can exceed the rate of their NICs with trees, not with a ring", "[validation][collectives]") {
  const double nics = 8 * 50;
  CHECK(busbw(h100, all_reduce(2, nvls_tree)) > nics);
  CHECK(busbw(h100, all_reduce(2, ring)) < nics);
}

// Issues 130 and 267 of NVIDIA/nccl-tests: N / (N - 1) times the NIC, which carries 46 to 49 GB/s.
TEST_CASE("published all-to-alls between nodes", "[validation][collectives]") {
  check({{"2 x 8 H100 (nccl-tests 130, with 46 GB/s)", 92, busbw(h100, all_to_all(2)), 0.05},
         {"64 x 8 H100 (nccl-tests 267)", 48.5, busbw(h100, all_to_all(64)), 0.02}},
        "GB/s");
}

// README of deepseek-ai/DeepEP, June 2025; these are in the fit of low-latency kernels.
TEST_CASE("published exchanges of few tokens between experts", "[validation][collectives]") {
  std::vector<Point> points;
  struct Row {
    int nodes;
    double dispatch, combine, most_dispatch, most_combine;
  };
  for (const Row& row : {Row{1, 77, 114, 0.04, 0.02}, Row{2, 118, 195, 0.05, 0.04}, Row{8, 173, 314, 0.03, 0.02},
                         Row{16, 192, 369, 0.01, 0.1}}) {
    const std::string group = fmt::format("8 x {} H800, 128 tokens, ", row.nodes);
    points.push_back(
        {group + "dispatch", row.dispatch, decode_us(CollectiveOp::dispatch, row.nodes), row.most_dispatch});
    points.push_back({group + "combine", row.combine, decode_us(CollectiveOp::combine, row.nodes), row.most_combine});
  }
  check(points, "us");
}

// README of deepseek-ai/DeepEP, first generation and second; the latter says Hopper, taken for H100. They are in the
// fit of bulk kernels.
TEST_CASE("published exchanges of many tokens between experts", "[validation][collectives]") {
  const auto dispatch = CollectiveOp::dispatch, combine = CollectiveOp::combine;
  check({{"8 H800, 4,096 tokens, dispatch", 153, prefill_gb_per_s(h800, dispatch, 1), 0.01},
         {"8 H800, 4,096 tokens, combine", 158, prefill_gb_per_s(h800, combine, 1), 0.01},
         {"2 x 8 H800, 4,096 tokens, dispatch", 43, prefill_gb_per_s(h800, dispatch, 2), 0.1},
         {"2 x 8 H800, 4,096 tokens, combine", 43, prefill_gb_per_s(h800, combine, 2), 0.12},
         {"4 x 8 H800, 4,096 tokens, dispatch", 58, prefill_gb_per_s(h800, dispatch, 4), 0.05},
         {"4 x 8 H800, 4,096 tokens, combine", 57, prefill_gb_per_s(h800, combine, 4), 0.08},
         {"2 x 8 H100, second release, dispatch", 90, prefill_gb_per_s(h100, dispatch, 2), 0.05},
         {"2 x 8 H100, second release, combine", 81, prefill_gb_per_s(h100, combine, 2), 0.12}},
        "GB/s");
}
