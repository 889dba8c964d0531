// SPDX-License-Identifier: Apache-2.0
// Laws of jobs that use a part of each scale-up domain.
#include <algorithm>

#include "models/job/job_blocks.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Racks of 18 nodes with 4 accelerators; leaves join four racks, whatever is used of them.
SmallCase racks(int domain, int tensor, int data, double taper = 1) {
  SmallCase c;
  c.per_node = 4;
  c.scale_up_domain = domain;
  c.tensor = tensor;
  c.data = data;
  c.micro_batches = 2;
  c.heads = 64;
  c.hidden = 64 * 32;
  c.tiers = {{"leaf", 2 * domain, taper, ""}, {"spine", 64 * domain, 1, ""}};
  return c;
}

StepPrediction step_on(const SmallCase& c) {
  return predict_step(small_scenario(c));
}

}  // namespace

TEST_CASE("64 of 72 take the time of domains of 64, and the idle ones draw idle power", "[laws]") {
  for (const int tensor : {1, 4, 16, 64}) {
    const StepPrediction part = step_on(racks(72, tensor, 256 / tensor));
    const StepPrediction whole = step_on(racks(64, tensor, 256 / tensor));
    INFO(tensor);
    CHECK(part.domain_ranks == 64);
    CHECK(part.idle_accelerators == 4 * 8);
    CHECK(part.nodes == 72);
    CHECK(part.step_time == whole.step_time);
    CHECK(part.tokens_per_second_per_accelerator() == whole.tokens_per_second_per_accelerator());
    // 32 accelerators at idle power, 8 more hosts of 1,200 W.
    const Scenario s = small_scenario(racks(72, tensor, 256 / tensor));
    const StepFactors factors = step_factors(s.steps, s.stack, s.job, s.cluster.accelerator);
    const Watts idle = KernelTimes(s.cluster.accelerator, s.parameters, s.stack, factors, s.job.precision).idle_power();
    const Watts more = 32 * idle + 8 * 1200 * watt;
    CHECK((part.power.nodes_mean - whole.power.nodes_mean).in(watt) == Approx(more.in(watt)).epsilon(1e-6));
    CHECK(std::any_of(part.warnings.begin(), part.warnings.end(), [](const std::string& warning) {
      return warning.find("64 of 72 accelerators of each scale-up domain") != std::string::npos;
    }));
  }
}

TEST_CASE("a job that fills its domains takes the time of before, to the picosecond", "[laws]") {
  for (const int tensor : {1, 4, 8, 72}) {
    SmallCase c = racks(72, tensor, 288 / tensor);
    c.heads = 72;
    c.hidden = 72 * 32;
    Scenario asked = small_scenario(c);
    const StepPrediction plain = predict_step(asked);
    asked.job.accelerators_per_domain = 72;
    asked.cluster = cluster_of_size(asked, 288);
    const StepPrediction stated = predict_step(asked);
    CHECK(stated.step_time == plain.step_time);
    CHECK(stated.power.nodes_mean == plain.power.nodes_mean);
    CHECK(plain.idle_accelerators == 0);
  }
}

TEST_CASE("fewer accelerators of more racks never speed up a tensor group that fills them", "[laws]") {
  Seconds before{};
  for (const int used : {64, 32, 16, 8}) {
    Scenario s = small_scenario(racks(72, 64, 4));
    s.job.accelerators_per_domain = used;
    s.cluster = cluster_of_size(s, 256);
    const StepPrediction step = predict_step(s);
    CHECK(step.step_time >= before);
    before = step.step_time;
  }
}

TEST_CASE("a part of a node has the node's links, its nearest NICs and all of its host", "[laws]") {
  SmallCase half, own;
  half.tensor = own.tensor = 4;
  own.per_node = 4;
  const StepPrediction four = step_on(half), node = step_on(own);
  CHECK(four.step_time == node.step_time);  // switched links: as fast in a smaller node
  CHECK(four.idle_accelerators == 4);
  CHECK(four.power.node_host == 2 * node.power.node_host);
  CHECK(four.power.nodes_mean > node.power.nodes_mean);
  half.data = own.data = 4;  // 16 over four nodes, 4 of 8 each
  Scenario parts_of_nodes = small_scenario(half);
  parts_of_nodes.job.accelerators_per_domain = 4;
  parts_of_nodes.cluster = cluster_of_size(parts_of_nodes, 16);
  CHECK(parts_of_nodes.cluster.nodes() == 4);
  CHECK(parts_of_nodes.cluster.network_per_accelerator() == 400 * gigabit_per_second);
  CHECK(predict_step(parts_of_nodes).step_time == step_on(own).step_time);
}

TEST_CASE("ranks share a NIC with those beside it that are used", "[laws]") {
  Scenario s = small_scenario({});
  ClusterSpec spec = s.cluster.spec;
  spec.accelerators = 8;
  spec.node.nics = 2;  // one for each four accelerators
  const auto share = [&](int used) {
    return build_cluster(spec, parts(), s.source, "", {used, {}}).network_per_accelerator();
  };
  CHECK(share(1) == 400 * gigabit_per_second);
  CHECK(share(2) == 200 * gigabit_per_second);
  CHECK(share(4) == 100 * gigabit_per_second);
  CHECK(share(8) == 2 * 400 * gigabit_per_second / 8);
}

TEST_CASE("a straggler slows the job down only where it works", "[laws]") {
  SmallCase c = racks(72, 16, 16);
  c.hidden = 8192;  // wide enough that kernels take longer than their launches
  c.sequence = 4096;
  const Seconds plain = step_on(c).step_time;
  c.slow = {{70, 0.5, {}}};  // in the idle nodes of the first rack
  CHECK(step_on(c).step_time == plain);
  c.slow = {{72, 0.5, {}}};  // first one of the second rack
  CHECK(step_on(c).step_time > plain);
}

TEST_CASE("a curve from one accelerator up counts idle ones of its node", "[laws]") {
  SmallCase c;
  c.data = 8;
  c.micro_batches = 8;
  const ScaleCurve curve = predict_scale(small_scenario(c), {1, 2, 4, 8, 16}, true, {});
  const std::vector<int> idle = {7, 6, 4, 0, 0};
  for (std::size_t i = 0; i < idle.size(); ++i) {
    CHECK(curve.points[i].reason.empty());
    CHECK(curve.points[i].step.idle_accelerators == idle[i]);
    CHECK(curve.points[i].step.nodes == (i == 4 ? 2 : 1));
  }
  CHECK(curve.points[4].speedup > curve.points[0].speedup);
}
