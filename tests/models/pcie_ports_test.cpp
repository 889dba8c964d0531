// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pcie_ports.hpp"

#include "models/prediction/folding_check.hpp"
#include "models/settling/steady_state.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Layers whose copies and gathers take much longer than their kernels.
SmallCase thin(Offload offload) {
  SmallCase c;
  c.data = 16;
  c.layers = 8;
  c.hidden = 1024;
  c.micro_batches = 2;
  c.sharding = Sharding::zero3;
  c.offload = offload;
  c.nic_gbit_per_s = 80;
  return c;
}

Offload activations_on_host() {
  return {.weights = MemoryLevel::device, .optimizer = MemoryLevel::device, .activations = MemoryLevel::host};
}

/// @param slot  in GB/s; as fast as the NICs if absent
Scenario scenario(const SmallCase& c, int per_switch, NicAttachment nics = NicAttachment::pcie_switch,
                  double slot = 10) {
  Scenario s = small_scenario(c);
  ClusterSpec spec = small_cluster(c);
  spec.node.pcie.accelerators_per_switch = per_switch;
  spec.node.pcie.link = slot * gigabyte / second;
  spec.node.pcie.nics = nics;
  s.cluster =
      build_cluster(spec, parts(), s.source, "", block_request(s.transformer, s.job, s.cluster.spec.accelerators));
  s.stack.kernel_launch.value = {};
  return s;
}

double seconds(const Scenario& s, Folding folding = Folding::folded) {
  return to_seconds(simulate_step(s, plan_of(s), folding).result.end).in(second);
}

}  // namespace

TEST_CASE("copies of accelerators below one switch share its uplink", "[models][pcie]") {
  SmallCase c = thin(activations_on_host());
  c.data = 8;
  c.sharding = Sharding::none;
  const auto slow = [&](int per_switch) {  // copies take all of the step but a little
    return seconds(scenario(c, per_switch, NicAttachment::accelerator, 0.5));
  };
  CHECK(slow(2) / slow(1) == Approx(2).epsilon(0.05));
  CHECK(slow(4) / slow(1) == Approx(4).epsilon(0.05));
}

TEST_CASE("copies and the NIC of an accelerator share its slot", "[models][pcie]") {
  const auto with = [](Offload offload, NicAttachment nics) { return seconds(scenario(thin(offload), 1, nics)); };
  const double meeting = with(activations_on_host(), NicAttachment::pcie_switch);
  const double apart = with(activations_on_host(), NicAttachment::accelerator);
  CHECK(meeting > 1.1 * apart);
  // one after the other is the most that sharing can cost
  CHECK(meeting < apart + with({}, NicAttachment::pcie_switch));
  CHECK(with({}, NicAttachment::pcie_switch) == Approx(with({}, NicAttachment::accelerator)).epsilon(1e-3));
}

TEST_CASE("NICs on the host bridge cross the uplink of the switch", "[models][pcie]") {
  const auto with = [](NicAttachment nics) { return seconds(scenario(thin(activations_on_host()), 2, nics)); };
  CHECK(with(NicAttachment::host_bridge) > 1.1 * with(NicAttachment::pcie_switch));
}

TEST_CASE("folding knows the ranks that share a switch", "[models][pcie]") {
  for (const int tensor : {1, 2, 4}) {
    SmallCase c = thin(activations_on_host());
    c.tensor = tensor;
    c.pipeline = 2;
    c.data = 16 / tensor / 2;
    c.sharding = Sharding::zero1;
    const Scenario s = scenario(c, 2);
    CHECK(seconds(s) == Approx(seconds(s, Folding::unfolded)).epsilon(1e-9));
  }
}
