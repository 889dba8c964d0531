// SPDX-License-Identifier: Apache-2.0
// Files that travel on the network of the training: rates by hand, bytes that arrive once, and what training pays.
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <string>

#include "models/lowering/input_side.hpp"
#include "models/lowering/step_traffic.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/training_run.hpp"
#include "models/settling/settle_input.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/fed_step.hpp"
#include "support/small_scenario.hpp"
#include "topology/cluster/cluster_network.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr int micro_batches = 8;

/// 16 replicas on two nodes with 8 NICs of 50 GB/s; each reads micro-batches of 1,024 tokens.
SmallCase sixteen_readers() {
  SmallCase c;
  c.data = 16;
  c.micro_batches = micro_batches;
  c.sequence = 1024;
  return c;
}

Scenario with_servers(const SmallCase& c, int servers, double megabyte_per_micro_batch) {
  Scenario s = small_scenario(c);
  s.parameters.network.bandwidth_share.value = 1;
  s.cluster.spec.fabric.file_servers = servers;
  s.cluster = resized(s.cluster, s.cluster.spec.accelerators);
  s.job.input = InputSpec{};
  s.job.input->bytes_per_token = 1e6 * megabyte_per_micro_batch / c.sequence;
  s.job.input->prefetch = 2;
  return s;
}

/// @param milliseconds  for the data of a micro-batch
void check_pace(const Scenario& s, double milliseconds) {
  const InputSupply supply = input_supply(s, plan_of(s));
  CHECK(supply.limited_by == "network");
  CHECK(supply.micro_batch.in(millisecond) == Approx(milliseconds).epsilon(1e-6));
  const double step = fed_step_time(s).in(millisecond);
  CHECK(step >= 0.999 * micro_batches * milliseconds);  // links have a little slack for rounding
  CHECK(step <= 1.25 * micro_batches * milliseconds);   // the fitted factor of communication, and a step's own traffic
}

std::string refusal_of(const SmallCase& c, const std::function<void(FabricSpec&)>& change) {
  Scenario s = small_scenario(c);
  change(s.cluster.spec.fabric);
  try {
    resized(s.cluster, s.cluster.spec.accelerators);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code;
  }
  return "";
}

}  // namespace

TEST_CASE("input comes at the rate of the NICs of file servers and readers", "[laws][files]") {
  // 1,000 MB for each of 16 readers. One server sends 2,000 MB over each of its 8 NICs; with two, every NIC of servers
  // and of readers carries 1,000 MB; more servers leave the readers' own NICs.
  check_pace(with_servers(sixteen_readers(), 1, 1000), 40);
  check_pace(with_servers(sixteen_readers(), 2, 1000), 20);
  check_pace(with_servers(sixteen_readers(), 5, 1000), 20);
}

TEST_CASE("input shares tapered uplinks", "[laws][files]") {
  SmallCase c = sixteen_readers();
  c.tiers = {{"leaf", 8, 4, ""}, {"spine", 4096, 1, ""}};
  // 8 readers below a leaf with two cables of 50 GB/s up: 8,000 MB at 100 GB/s. The servers' leaves send 2 x 8,000 MB
  // in all, over as many cables each.
  check_pace(with_servers(c, 2, 1000), 80);
  check_pace(with_servers(c, 4, 1000), 80);
}

TEST_CASE("every byte of the input crosses the network once", "[laws][files]") {
  for (const int pipeline : {1, 2}) {
    SmallCase c = sixteen_readers();
    c.pipeline = pipeline;
    c.data = 16 / pipeline;
    const Scenario s = with_servers(c, 3, 10);
    Plan plan = plan_of(s);
    settle_input(s, plan);
    const LoweredStep step(s, plan, Folding::folded);
    const StepTraffic traffic(s, step);
    const auto bytes = traffic.bytes(step.structure(), step.timing());
    const NetworkGraph& graph = s.cluster.network().graph;
    double arrived = 0;
    for (const LinkId link : graph.link_ids())
      if (graph.is_endpoint(graph.to(link))) arrived += bytes.at(Stream::files)[link];
    CHECK(arrived == Approx(16 * micro_batches * 10e6).epsilon(1e-6));  // under a pipeline the last stage reads labels
  }
}

TEST_CASE("a step that reads over its network folds", "[laws][files]") {
  CHECK(rc::check("folded = unfolded", [] {
    SmallCase c = sixteen_readers();
    c.tensor = *rc::gen::element(1, 2);
    c.pipeline = *rc::gen::element(1, 2);
    c.data = 16 / c.tensor / c.pipeline;
    c.hidden = 2048;
    if (*rc::gen::arbitrary<bool>()) c.tiers = {{"leaf", 8, 4, ""}, {"spine", 4096, 1, ""}};
    const Scenario s = with_servers(c, *rc::gen::element(1, 2, 3, 8), *rc::gen::element(1.0, 100.0, 1000.0));
    const double ratio = fed_step_time(s, Folding::folded) / fed_step_time(s, Folding::unfolded);
    RC_LOG() << ratio;
    RC_ASSERT(std::abs(ratio - 1) <= 1e-6);
  }));
}

TEST_CASE("reading over the training's network never speeds a step up", "[laws][files]") {
  for (const int servers : {1, 3}) {
    SmallCase c = sixteen_readers();
    c.hidden = 2048;
    const Scenario s = with_servers(c, servers, 300);
    CHECK(fed_step_time(s) >= 0.9999 * fed_step_time(with_servers(c, 0, 300)));
  }
}

TEST_CASE("a checkpoint takes as long as its busiest link on the network", "[laws][files]") {
  SmallCase c = sixteen_readers();
  c.sharding = Sharding::fsdp;
  Scenario s = with_servers(c, 1, 0.01);
  s.job.input->checkpoint = CheckpointSpec{100, CheckpointMode::synchronous, Store::file_system};
  const CheckpointUse use = checkpoint_use(s, plan_of(s), 1 * second);
  CHECK(use.limits == "network");
  CHECK(use.write.in(second) == Approx(use.bytes.in(byte) / 8 / 50e9).epsilon(1e-3));  // 8 NICs of the server
  CHECK(use.contended == Seconds{});
  CHECK(checkpoint_source(s, plan_of(s)).limits == "network");
}

TEST_CASE("a checkpoint beside training may slow it by the time of its links", "[laws][files]") {
  SmallCase c = sixteen_readers();
  c.sharding = Sharding::fsdp;
  Scenario s = with_servers(c, 1, 0.01);
  s.job.input->checkpoint = CheckpointSpec{10, CheckpointMode::asynchronous, Store::file_system};
  const StepPrediction step = predict_step(s);
  REQUIRE(step.checkpoint);
  CHECK(step.checkpoint->contended == step.checkpoint->write);
  const TrainingRun run = training_run(step, c.sequence, 1000);
  const Seconds longest = 1000 * (step.high + step.checkpoint->per_step()) + 100 * step.checkpoint->contended;
  CHECK(run.time.high.in(second) == Approx(longest.in(second)));
}

TEST_CASE("file servers need a network with places for them", "[laws][files]") {
  const SmallCase c = sixteen_readers();
  CHECK(refusal_of(c, [](FabricSpec& fabric) { fabric.file_servers = 4; }).empty());
  CHECK(refusal_of(c, [](FabricSpec& fabric) {
          fabric.file_servers = 4;
          fabric.sites = SitesSpec{};
        }) == "E0338");
  CHECK(refusal_of(c, [](FabricSpec& fabric) { fabric.file_servers = 600; }) == "E0302");  // 4,816 of 4,096 places
}
