// SPDX-License-Identifier: Apache-2.0
// A step and `collective` lay the same traffic on the same network: what one says of a group alone, or of all groups of
// a plan at once, the other says too.
#include <algorithm>
#include <string>
#include <vector>

#include "models/kernels/collectives/predict_collective.hpp"
#include "models/lowering/graph_loads.hpp"
#include "models/lowering/meetings.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/step_machine.hpp"
#include "models/lowering/step_shape.hpp"
#include "models/lowering/stream_traffic.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/shipped_clusters.hpp"
#include "support/small_scenario.hpp"
#include "topology/routing/routed_network.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr Bytes payload = 1 * gigabyte;

/// A cluster with a plan, and nothing but collectives to run on it.
class OnlyCollectives {
 public:
  OnlyCollectives(const Cluster& cluster, const Plan& plan)
      : scenario_(scenario_on(cluster)),
        plan_(plan),
        ranks_(scenario_, plan, Folding::folded),
        job_(planned_job(scenario_.transformer, scenario_.job, scenario_.stack, plan, ranks_.layout)),
        step_{scenario_, job_, ranks_.placement, ranks_.classes, ranks_.groups, experts_},
        prices_(scenario_) {}

  /// All data-parallel groups gather at once. @return until the last one has ended
  Seconds gather_in_step() const {
    StepGraphBuilder builder({"wait", "launch", "throttle", "bubble"}, {ChargeId(1), ChargeId(2), ChargeId(3)});
    StepMachine machine(builder, step_, prices_, nullptr);
    const PowerDomainId domain = builder.add_power_domain("all");
    const WorkId work = builder.add_work("all-gather", {});
    Meetings meetings(builder, ranks_.classes.count(), StepCharge(0));
    for (const RankClassId c : ranks_.classes.ids()) {
      builder.add_rank_class("rank", static_cast<std::uint32_t>(ranks_.classes.multiplicity(c)), domain, 1 * watt,
                             1e9 * watt);
      const LaneId lane = builder.add_lane(c, LaneKind::communication, "data");
      const ChainId chain = machine.links().replicas(ReplicaGroup::all, CollectiveOp::all_gather, payload, c);
      const RankClassId group = ranks_.groups.replica_group(ReplicaGroup::all, c);
      builder.add_op(lane, work, ChargeId(0), meetings.join(group, c, chain));
    }
    const StepGraph graph = std::move(builder).build();
    return to_seconds(replay(graph.structure, graph.timing).end);
  }

  Seconds gather_by_collective() const {
    CollectiveRequest request;
    request.op = CollectiveOp::all_gather;
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int t = 0; t < plan_.tensor; ++t) {
        Communicator& group = request.groups.emplace_back();
        for (const RankCoordinates& at : ranks_.placement.members(ReplicaGroup::all, {t, 0, p}))
          group.push_back(ranks_.placement.accelerator(at));
      }
    const CollectiveSet parameters = collective_set(scenario_.parameters);
    return CollectivePredictor(scenario_.cluster, parameters, &scenario_.cluster.network(), std::move(request))
        .predict(payload)
        .time;
  }

 private:
  static Scenario scenario_on(const Cluster& cluster) {
    SmallCase small;
    small.data = 8;
    Scenario scenario = small_scenario(small);
    scenario.cluster = cluster;
    for (auto& [name, entry] : scenario.steps.stacks) entry.communication.value = 1;  // as `collective` counts
    return scenario;
  }

  Scenario scenario_;
  Plan plan_;
  StepRanks ranks_;
  PlannedJob job_;
  ExpertWork experts_;
  PlannedStep step_;
  KindPrices prices_;
};

Plan plan_with(int tensor, int pipeline, const Cluster& cluster) {
  Plan plan;
  plan.tensor = tensor;
  plan.pipeline = pipeline;
  plan.data = cluster.spec.accelerators / (tensor * pipeline);
  plan.shard_group = plan.data;
  return plan;
}

/// Shipped clusters that a data-parallel group can span.
std::vector<std::string> spanned_clusters() {
  std::vector<std::string> names = shipped_cluster_names();
  std::erase_if(names, [](const std::string& name) {
    const Cluster cluster = shipped_cluster(name);
    return cluster.mixed() || !cluster.has_network() || cluster.domains() < 4 || cluster.spec.accelerators > 20'000;
  });
  return names;
}

Cluster routed_by(const std::string& name, const std::string& routing) {
  return open_cluster(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (name + ".json"),
                      {"fabric.routing=" + routing})
      .cluster;
}

void check_agreement(const Cluster& cluster, const Plan& plan) {
  const OnlyCollectives on(cluster, plan);
  const Seconds step = on.gather_in_step(), alone = on.gather_by_collective();
  CHECK(step / alone == Approx(1).epsilon(2e-3));
}

}  // namespace

TEST_CASE("A step and a collective agree on one group alone on every shipped cluster") {
  for (const std::string& name : spanned_clusters()) {
    CAPTURE(name);
    const Cluster cluster = shipped_cluster(name);
    check_agreement(cluster, plan_with(1, 1, cluster));
  }
}

TEST_CASE("A step and a collective agree on all groups of a plan at once on every shipped cluster") {
  for (const std::string& name : spanned_clusters()) {
    CAPTURE(name);
    const Cluster cluster = shipped_cluster(name);
    check_agreement(cluster, plan_with(cluster.blocks.used, 2, cluster));
  }
}

TEST_CASE("A step and a collective agree on hashed, sprayed and diverted paths") {
  for (const std::string routing : {"hash", "spray", "valiant", "adaptive"}) {
    CAPTURE(routing);
    const Cluster cluster = routed_by("llama3-report", routing);
    for (const int pipeline : {1, 2, 4, 8, 16}) {
      CAPTURE(pipeline);
      check_agreement(cluster, plan_with(8, pipeline, cluster));
    }
  }
}
