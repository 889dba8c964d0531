// SPDX-License-Identifier: Apache-2.0
// Bytes of a step on links, counted by hand.
#include "models/lowering/step_traffic.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/routing/routed_network.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Four nodes of one GPU and one NIC, two below each of two leaves: nodes 0 and 1 are the replicas of stage 0, nodes 2
/// and 3 those of stage 1.
SmallCase four_nodes() {
  SmallCase c;
  c.per_node = 1;
  c.pipeline = 2;
  c.data = 2;
  c.micro_batches = 4;
  c.tiers = {{"leaf", 2, 1, ""}, {"spine", 4, 1, ""}};
  return c;
}

/// A step with its bytes by link.
struct Counted {
  explicit Counted(const SmallCase& c)
      : scenario(small_scenario(c)), step(scenario, plan_of(scenario), Folding::folded) {
    bytes = StepTraffic(scenario, step).bytes(step.structure(), step.timing());
  }

  const NetworkGraph& graph() const { return scenario.cluster.network().graph; }
  /// Bytes over all links whose ends have names with those beginnings.
  double between(Stream stream, const std::string& from, const std::string& to) const {
    double sum = 0;
    const auto found = bytes.find(stream);
    for (const LinkId link : graph().link_ids())
      if (found != bytes.end() && graph().name(graph().from(link)).starts_with(from) &&
          graph().name(graph().to(link)).starts_with(to))
        sum += found->second[link];
    return sum;
  }

  Scenario scenario;
  LoweredStep step;
  std::map<Stream, LinkLoads> bytes;
};

}  // namespace

TEST_CASE("pipeline messages of two replicas over two leaves", "[models][traffic]") {
  const Counted step(four_nodes());
  // One message: 512 tokens x 512 numbers x 2 bytes; a replica sends 4 each way.
  const double message = 512 * 512 * 2, each = 4 * message;
  for (const std::string sender : {"node 0 ", "node 1 "}) {
    CHECK(step.between(Stream::forward, sender, "leaf 0") == each);
    CHECK(step.between(Stream::backward, "leaf 0", sender) == each);
    CHECK(step.between(Stream::backward, sender, "leaf") == 0);
  }
  CHECK(step.between(Stream::forward, "leaf 0", "spine") == 2 * each);
  CHECK(step.between(Stream::forward, "spine", "leaf 1") == 2 * each);
  CHECK(step.between(Stream::backward, "leaf 1", "spine") == 2 * each);
  CHECK(step.between(Stream::backward, "spine", "leaf 0") == 2 * each);
  CHECK(step.between(Stream::forward, "leaf 1", "") == 2 * each);  // down to nodes 2 and 3 alone
}

TEST_CASE("rings of the replicas stay below their leaf", "[models][traffic]") {
  const Counted step(four_nodes());
  CHECK(step.between(Stream::data_ring, "leaf", "spine") == 0);
  // A ring of two: what a chain sends leaves each of the two nodes once.
  double sent = 0;
  const std::vector<double> runs = chain_runs(step.step.structure());
  for (const ChainTraffic& chain : step.step.traffic())
    if (chain.stream == Stream::data_ring)
      sent += runs[chain.chain.value] * chain.share *
              chain_bytes(step.step.structure(), step.step.timing(), chain.chain).in(byte);
  CHECK(sent > 0);
  CHECK(step.between(Stream::data_ring, "node", "leaf") == Approx(2 * sent));
  CHECK(step.between(Stream::data_ring, "leaf", "node") == Approx(2 * sent));
  CHECK(step.between(Stream::data_ring, "node 0", "leaf 0") == step.between(Stream::data_ring, "node 1", "leaf 0"));
}

TEST_CASE("ports alone carry the tied embeddings of the first and last stage, and pictures show them",
          "[models][traffic]") {
  SmallCase c = four_nodes();
  c.tied_embeddings = true;
  const Counted step(c);
  // One all-reduce of 2,048 x 512 gradients between two ranks: each sends 2 x 1/2 of them, by LL128, whose lines of 128
  // bytes hold 120; two pairs, both ways.
  const double gradients = 2048.0 * 512 * step.scenario.stack.gradient_size.value * 128 / 120;
  CHECK(step.between(Stream::stage_pairs, "leaf 0", "spine") == Approx(2 * gradients));
  CHECK(step.between(Stream::stage_pairs, "spine", "leaf 0") == Approx(2 * gradients));
  CHECK(Counted(four_nodes()).bytes.count(Stream::stage_pairs) == 0);
}
