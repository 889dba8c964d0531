// SPDX-License-Identifier: Apache-2.0
// Two jobs on one machine. Steps of a joined replay by hand arithmetic: tests/sim/joined_steps_test.cpp.
#include "models/prediction/beside_step.hpp"

#include <set>

#include "models/settling/step_simulation.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct TwoJobs {
  explicit TwoJobs(const SmallCase& c, PlacementSpec placement = {})
      : own(small_scenario(c)), other(small_scenario(c)) {
    own.job.placement = std::move(placement);
    share_machine(own, other);
  }

  BesideStep replayed() const { return replay_beside(own, plan_of(own), other, plan_of(other)); }

  Scenario own, other;
};

PlacementSpec scattered(int machine_nodes) {
  PlacementSpec placement;
  placement.order = PlacementOrder::scattered;
  placement.machine_nodes = machine_nodes;
  return placement;
}

std::set<int> domains_of(const Cluster& cluster) {
  std::set<int> out;
  for (int domain = 0; domain < cluster.domains(); ++domain) out.insert(cluster.blocks.place(domain));
  return out;
}

SmallCase over_leaves(double taper) {
  SmallCase c = two_stages_over_leaves(taper);
  c.tiers.back().accelerators = 256;
  return c;
}

std::string refusal(Scenario own, Scenario other) {
  try {
    share_machine(own, other);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code + " " + error.diagnostics().front().message;
  }
  return {};
}

}  // namespace

TEST_CASE("two jobs take different nodes of a machine that holds both", "[models][beside]") {
  for (const PlacementSpec& placement : {PlacementSpec{}, scattered(0), scattered(20)}) {
    const TwoJobs jobs(over_leaves(1), placement);
    const int machine = placement.machine_nodes > 0 ? placement.machine_nodes : 16;
    CHECK(jobs.own.cluster.machine_nodes() == machine);
    CHECK(jobs.other.cluster.machine_nodes() == machine);
    std::set<int> all = domains_of(jobs.own.cluster);
    all.merge(domains_of(jobs.other.cluster));
    CHECK(all.size() == 16);
  }
}

TEST_CASE("jobs below switches of their own take the time that they take alone", "[models][beside]") {
  const TwoJobs jobs(over_leaves(4));
  const BesideStep step = jobs.replayed();
  CHECK(step.meet_on.empty());
  CHECK(step.own.factor() == 1);
  const Seconds alone = to_seconds(simulate_step(jobs.own, plan_of(jobs.own)).result.end);
  CHECK(step.own.alone.in(second) == Approx(alone.in(second)).epsilon(1e-9));
}

TEST_CASE("jobs on the same tapered leaves hold each other up, by at most the whole traffic of the other",
          "[models][beside]") {
  const TwoJobs jobs(over_leaves(4), scattered(0));
  const BesideStep step = jobs.replayed();
  CHECK_FALSE(step.meet_on.empty());
  // The second job is more local, as it takes the nodes that are left: alone it is faster, beside the other no longer.
  for (const BesideTime* time : {&step.own, &step.other}) {
    CHECK(time->beside.size() == 3);
    CHECK(time->factor() > 1.01);
    CHECK(time->mean() < step.own.alone + step.other.alone);
  }
}

TEST_CASE("jobs that do not fit one machine are refused", "[models][beside]") {
  const SmallCase c = over_leaves(1);
  Scenario small_machine = small_scenario(c);
  small_machine.job.placement = scattered(12);
  CHECK(refusal(small_machine, small_scenario(c)) == "E0335 jobs of 8 and 8 nodes do not fit the machine of 12");
  SmallCase ampere = c;
  ampere.hopper = false;
  CHECK(refusal(small_scenario(c), small_scenario(ampere)).starts_with("E0335 the job beside is described on nodes"));
  SmallCase one_node;
  one_node.data = 8;
  CHECK(refusal(small_scenario(one_node), small_scenario(one_node)).starts_with("E0339"));
}
