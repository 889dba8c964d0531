// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_levels.hpp"

#include "models/memory/parameter_memory.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/settling/steady_state.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// One node of `ranks` accelerators; 8 of them unless said.
Scenario on_one_node(Offload offload, int ranks = 8, Sharding sharding = Sharding::none) {
  SmallCase c;
  c.data = ranks;
  c.per_node = ranks;
  c.layers = 8;
  c.hidden = 1024;
  c.sharding = sharding;
  c.offload = offload;
  Scenario s = small_scenario(c);
  s.stack.kernel_launch.value = {};
  return s;
}

Offload optimizer_in(MemoryLevel tier) {
  return {.weights = MemoryLevel::device, .optimizer = tier, .activations = MemoryLevel::device};
}

Offload activations_in(MemoryLevel tier) {
  return {.weights = MemoryLevel::device, .optimizer = MemoryLevel::device, .activations = tier};
}

HostSpec& host(Scenario& s) {
  return s.cluster.spec.node.host;
}

Scenario with_drives(Scenario s, double gb_per_s) {
  host(s).nvme_read = gb_per_s * gigabyte / second;
  host(s).nvme_write = gb_per_s * gigabyte / second;
  return s;
}

Scenario with_pool(Scenario s, double of_one, double of_all) {
  s.cluster.spec.pool = PoolSpec{{}, of_one * gigabyte / second, of_all * gigabyte / second, PoolLink::own};
  return s;
}

double step_seconds(const Scenario& s) {
  return to_seconds(simulate_step(s, plan_of(s)).result.end).in(second);
}

Seconds charged_on(const Scenario& s, StepCharge charge) {
  return simulate_step(s, plan_of(s)).breakdown.mean[static_cast<std::size_t>(charge)];
}

std::string error_of(const Scenario& s) {
  try {
    resolve_plan(s);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code;
  }
  return "";
}

double trained(const Scenario& s) {
  return total_parameters(s.transformer);
}

}  // namespace

TEST_CASE("waits for activations on drives are no recomputation", "[models][memory]") {
  const Scenario s = with_drives(on_one_node(activations_in(MemoryLevel::nvme)), 0.5);
  CHECK(charged_on(s, StepCharge::offload).in(second) > 0.5 * step_seconds(s));
  CHECK(charged_on(s, StepCharge::recompute) == Seconds{});
  CHECK(charged_on(on_one_node(Offload{}), StepCharge::offload) == Seconds{});
}

TEST_CASE("true and false still say host and device", "[models][tiers]") {
  const auto read = [](const char* text) {
    return decode_record<Offload>(read_json(std::make_shared<const SourceText>("job.json", text)));
  };
  const Offload old = read(R"({"weights": true, "optimizer": false, "activations": "nvme"})");
  CHECK(old.weights == MemoryLevel::host);
  CHECK(old.optimizer == MemoryLevel::device);
  CHECK(old.activations == MemoryLevel::nvme);
  CHECK_THROWS_AS(read(R"({"weights": "hots"})"), ConfigError);
}

TEST_CASE("host memory that is fast enough changes nothing", "[models][tiers]") {
  Scenario s = on_one_node(activations_in(MemoryLevel::host));
  const double before = step_seconds(s);
  host(s).memory_bandwidth = 10'000 * gigabyte / second;
  CHECK(step_seconds(s) == before);
}

TEST_CASE("the optimizer on a host goes at the rate of its memory", "[models][tiers]") {
  const auto update = [](double gb_per_s) {
    Scenario s = on_one_node(optimizer_in(MemoryLevel::host));
    host(s).memory_bandwidth = gb_per_s * gigabyte / second;
    return step_seconds(s);
  };
  // 8 ranks x 24 bytes per parameter at 10 and at 20 GB/s; copies of gradients and weights share that memory too:
  // 4 and 2 bytes
  const Scenario s = on_one_node(optimizer_in(MemoryLevel::host));
  const double bytes = 8 * trained(s) * (24 + s.stack.reduced_size.value + 2);
  CHECK(update(10) - update(20) == Approx(bytes / 10e9 - bytes / 20e9).epsilon(1e-3));
}

TEST_CASE("eight ranks share what one has to itself", "[models][tiers]") {
  const auto added = [](MemoryLevel tier, int ranks) {
    Scenario s = with_pool(with_drives(on_one_node(activations_in(tier), ranks), 10), 10, 20);
    host(s).memory_bandwidth = 20 * gigabyte / second;
    return step_seconds(s) - step_seconds(on_one_node({}, ranks));
  };
  for (const MemoryLevel tier : {MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme}) {
    CHECK(added(tier, 1) > 0);
    CHECK(added(tier, 8) > 2 * added(tier, 1));
  }
  // 20 GB/s are shared by 8, or 10 GB/s that one reaches alone are all its own
  CHECK(added(MemoryLevel::pool, 8) / added(MemoryLevel::pool, 1) == Approx(4).epsilon(0.1));
}

TEST_CASE("more bandwidth is never slower", "[models][tiers]") {
  for (const Offload offload :
       {optimizer_in(MemoryLevel::nvme), activations_in(MemoryLevel::nvme), optimizer_in(MemoryLevel::pool)}) {
    double before = 1e9;
    for (const double rate : {1.0, 5.0, 25.0, 125.0}) {
      const Scenario s = with_pool(with_drives(on_one_node(offload), rate), rate, 2 * rate);
      CHECK(step_seconds(s) <= before * (1 + 1e-9));
      before = step_seconds(s);
    }
  }
}

TEST_CASE("drives are slower than the host's memory that they are reached through", "[models][tiers]") {
  const auto in = [](MemoryLevel tier) {
    Scenario s = with_drives(on_one_node(optimizer_in(tier)), 1000);
    host(s).memory_bandwidth = 100 * gigabyte / second;
    return step_seconds(s);
  };
  CHECK(in(MemoryLevel::nvme) > 1.5 * in(MemoryLevel::host));  // states pass memory once more
}

TEST_CASE("a pool over the network shares it with collectives", "[models][tiers]") {
  SmallCase c;
  c.data = 16;
  c.hidden = 1024;
  c.offload.activations = MemoryLevel::pool;
  Scenario own = with_pool(small_scenario(c), 50, 1e6);
  Scenario shared = own;
  shared.cluster.spec.pool->over = PoolLink::network;
  CHECK(step_seconds(shared) > step_seconds(own));
}

TEST_CASE("tiers hold what left the device", "[models][tiers]") {
  Scenario s = with_drives(on_one_node(optimizer_in(MemoryLevel::nvme), 8, Sharding::zero1), 10);
  const auto uses = level_uses(s, plan_of(s));
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].level == MemoryLevel::host);
  CHECK(uses[0].bytes.total().in(byte) == Approx(s.stack.reduced_size.value * trained(s)));  // gradients
  CHECK(uses[1].level == MemoryLevel::nvme);
  CHECK(uses[1].bytes.total().in(byte) == Approx(12 * trained(s)));
  s.job.offload = {.weights = MemoryLevel::pool, .optimizer = MemoryLevel::pool, .activations = MemoryLevel::device};
  s.job.sharding = Sharding::fsdp;
  s.cluster.spec.pool = PoolSpec{1 * gigabyte, 10 * gigabyte / second, 10 * gigabyte / second, PoolLink::own};
  const auto pooled = level_uses(s, plan_of(s));
  REQUIRE(pooled.size() == 1);
  CHECK(pooled[0].bytes.total().in(byte) == Approx(12 * trained(s)));  // master weights and moments
}

TEST_CASE("a tier that is too small is named", "[models][tiers]") {
  Scenario s = with_drives(on_one_node(optimizer_in(MemoryLevel::nvme), 8, Sharding::zero1), 10);
  host(s).nvme = 12 * trained(s) * byte * 1.001;
  CHECK(predict_step(s).fits);
  host(s).nvme = 12 * trained(s) * byte * 0.999;
  const StepPrediction step = predict_step(s);
  CHECK_FALSE(step.fits);
  CHECK(step.verdict.find("the drives of a node") != std::string::npos);
  CHECK(step.verdict.find("optimizer state") != std::string::npos);
  host(s).nvme.reset();
  host(s).memory = 1 * megabyte;
  CHECK(predict_step(s).verdict.find("host memory of a node") != std::string::npos);
}

TEST_CASE("a tier without bandwidth is an error", "[models][tiers]") {
  CHECK(error_of(on_one_node(optimizer_in(MemoryLevel::nvme))) == "E0328");
  CHECK(error_of(with_drives(on_one_node(optimizer_in(MemoryLevel::nvme)), 10)) == "");
  Scenario s = on_one_node(activations_in(MemoryLevel::pool));
  CHECK(error_of(s) == "E0328");
  s.cluster.spec.pool = PoolSpec{};
  CHECK(error_of(s) == "E0328");
  s.cluster.spec.pool->total = 100 * gigabyte / second;
  CHECK(error_of(s) == "E0328");
  s.cluster.spec.pool->over = PoolLink::scale_up;
  CHECK(error_of(s) == "");
  CHECK(error_of(with_pool(s, 10, 10)) == "");
}
