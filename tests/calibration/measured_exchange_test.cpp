// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"

#include "calibration/measured/measured_group.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;

namespace {

MeasuredCollective dispatch_of(int tokens, int ranks) {
  MeasuredCollective out;
  out.op = "ep_dispatch";
  out.ranks = ranks;
  out.ranks_per_node = 8;
  out.tokens_per_rank = tokens;
  out.top_k = 4;
  return out;
}

MeasuredHardware one_node() {
  MeasuredHardware out;
  out.accelerator = "H100-SXM";
  out.accelerators = out.accelerators_per_node = out.scale_up_domain = 8;
  out.scale_up_kind = "nvswitch";
  out.scale_out_kind = "none";
  return out;
}

}  // namespace

TEST_CASE("few tokens of a rank go by low-latency kernels, many by bulk ones", "[calibration][experts]") {
  const GroupShape nodes{4, 8, 0};
  const ExpertExchange few = measured_exchange(dispatch_of(128, 32), nodes);
  CHECK(few.transfer == Algorithm::direct);
  CHECK(few.top_k == 4);
  CHECK(few.experts == 256);
  CHECK(few.ranks == 32);
  CHECK(few.ranks_in_domain == 8);
  CHECK(measured_exchange(dispatch_of(256, 32), nodes).transfer == Algorithm::hierarchical);
}

TEST_CASE("a domain limit counts where there are more domains", "[calibration][experts]") {
  MeasuredCollective limited = dispatch_of(4096, 32);
  limited.domain_limit = 4;
  CHECK(measured_exchange(limited, {4, 8, 0}).domain_limit == 0);
  CHECK(measured_exchange(limited, {8, 8, 0}).domain_limit == 4);
}

TEST_CASE("kernels that know only the network find NICs in a node without any published", "[calibration][experts]") {
  const Catalog catalog = load_catalog(CLUSTERWRIGHT_CONFIGS "/parts");
  MeasuredCollective measured = dispatch_of(128, 8);
  CHECK_FALSE(measured_exchange(measured, {1, 8, 0}).network_only);
  CHECK(measured_group(one_node(), measured, catalog).cluster.nic_bandwidth == BytesPerSecond{});
  measured.scale_up_used = false;
  CHECK(measured_exchange(measured, {1, 8, 0}).network_only);
  const MeasuredGroup group = measured_group(one_node(), measured, catalog);
  CHECK(group.cluster.nic_bandwidth == 400 * gigabit_per_second);
  CHECK(group.assumed == "network rate not published, took 400 Gbit/s");
}
