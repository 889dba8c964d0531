// SPDX-License-Identifier: Apache-2.0
// Laws of the bytes that steps put on links: nothing is lost on the way, and no link carries more than it can.
#include <filesystem>
#include <string>

#include "models/job/scenario_loader.hpp"
#include "models/lowering/step_shape.hpp"
#include "models/lowering/step_traffic.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/shipped_folders.hpp"
#include "tools/output/link_heat.hpp"
#include "topology/routing/routed_network.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// A step and the heat of its links.
struct HeatedStep {
  explicit HeatedStep(const Scenario& s)
      : scenario(s),
        plan(plan_of(s)),
        step(s, plan, Folding::folded),
        heat(s.cluster, StepTraffic(s, step).bytes(step.structure(), step.timing()),
             to_seconds(time_step(s, plan).end)) {}

  double peak() const {
    const std::vector<LinkId> first = heat.busiest(1);
    return first.empty() ? 0 : heat.utilisation(first.front());
  }

  /// Bytes of a stream that leave NICs, and that arrive at them.
  std::pair<double, double> ends(const LinkLoads& loads) const {
    const NetworkGraph& graph = heat.graph();
    double out = 0, in = 0;
    for (const LinkId link : graph.link_ids()) {
      if (graph.is_endpoint(graph.from(link))) out += loads[link];
      if (graph.is_endpoint(graph.to(link))) in += loads[link];
    }
    return {out, in};
  }

  /// Bytes that all messages of a stream send, from the ranks of the classes alone.
  double sent_messages(Stream stream) const {
    const RankClasses& classes = step.ranks().classes;
    const std::vector<double> runs = chain_runs(step.structure());
    double sum = 0;
    for (const ChainTraffic& chain : step.traffic()) {
      if (chain.stream != stream || chain.share == 0) continue;
      const Bytes each = chain_bytes(step.structure(), step.timing(), chain.chain);
      for (const RankClassId sender : chain.classes)
        sum += runs[chain.chain.value] * each.in(byte)*classes.multiplicity(sender);
    }
    return sum;
  }

  Scenario scenario;
  Plan plan;
  LoweredStep step;
  LinkHeat heat;
};

/// NICs and links have 0.05 % to spare for the rounding of rates (models/lowering/link_timings.cpp).
constexpr double most = 1 + 6e-4;

}  // namespace

TEST_CASE("no link of a shipped scenario carries more than its rate allows in a step", "[laws][traffic]") {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs / "scenarios")) {
    const Scenario scenario = load_scenario(entry.path(), {});
    if (!scenario.cluster.has_network()) continue;
    INFO(entry.path().filename().string());
    const HeatedStep step(scenario);
    CHECK(step.peak() > 0);
    CHECK(step.peak() <= 1);
    for (const auto& [stream, loads] : step.heat.streams()) {
      const auto [out, in] = step.ends(loads);
      CHECK(out == Approx(in).epsilon(1e-9));
    }
    for (const Stream stream : {Stream::forward, Stream::backward})
      CHECK(step.heat.sent(stream) == Approx(step.sent_messages(stream)).epsilon(1e-9));
    ++checked;
  }
  CHECK(checked >= 10);
}

TEST_CASE("every byte that leaves a NIC arrives at one, on any fabric of any small job", "[laws][traffic]") {
  CHECK(rc::check("conservation", [] {
    const Scenario scenario = random_scenario();
    if (!scenario.cluster.has_network()) return;
    describe(scenario);
    const HeatedStep step(scenario);
    // Nested groups join the rails of a tapered tier, so their steps find more room than single links have.
    const bool tapered = std::ranges::any_of(scenario.cluster.fabric.tiers(), &FabricTiers::Tier::tapered);
    if (!tapered) RC_ASSERT(step.peak() <= most);
    for (const auto& [stream, loads] : step.heat.streams()) {
      const auto [out, in] = step.ends(loads);
      RC_ASSERT(std::abs(out - in) <= 1e-9 * out);
    }
    for (const Stream stream : {Stream::forward, Stream::backward})
      RC_ASSERT(std::abs(step.heat.sent(stream) - step.sent_messages(stream)) <= 1e-9 * step.sent_messages(stream));
  }));
}
