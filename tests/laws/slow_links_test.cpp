// SPDX-License-Identifier: Apache-2.0
// Links run at the rate of the slowest part on their way, hops have the latency of their switches, and variants of a
// part keep what they do not change.
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Scenario dense_job_with(const std::vector<std::string>& settings) {
  ScenarioOptions options;
  options.settings = settings;
  return load_scenario(configs / "scenarios" / "llama3-8b-h100-64.json", options);
}

const std::string own_accelerator = "cluster.node.accelerator=Mine";

std::string variant_with(const std::string& fields) {
  return R"(cluster.parts={"accelerators":[{"id":"Mine","like":"H100-SXM",)" + fields + "}]}";
}

/// Two tiers of one switch.
std::string tiers_of(const std::string& part) {
  return R"(cluster.fabric.tiers=[{"name":"leaf","switch":")" + part + R"("},{"name":"spine","switch":")" + part +
         R"("}])";
}

}  // namespace

TEST_CASE("a variant does not inherit what was measured beside a value that it changes", "[laws][links]") {
  // An H100 has 85.52 GB that can be addressed of 80 GB; 141 GB of an own part are all its own.
  const Scenario own_memory = dense_job_with({variant_with(R"("memory_gb":141)"), own_accelerator});
  CHECK(memory_capacity(own_memory.cluster.accelerator).in(gigabyte) == Approx(141));
  const Scenario same = dense_job_with({variant_with(R"("power_w":600)"), own_accelerator});
  CHECK(memory_capacity(same.cluster.accelerator).in(gigabyte) == Approx(85.52));
}

TEST_CASE("links run at the slowest of NIC, slot, slots of accelerators and switch port", "[laws][links]") {
  const auto rate = [](const std::vector<std::string>& settings) {
    return dense_job_with(settings).cluster.nic_bandwidth.in(gigabit_per_second);
  };
  CHECK(rate({}) == Approx(400));
  CHECK(rate({tiers_of("QM8700/QM8790")}) == Approx(200));
  CHECK(rate({"cluster.node.nic_rate_gbit_per_s=1000000"}) == Approx(504).epsilon(1e-3));  // PCIe 5 x16: 63 GB/s
  CHECK(rate({"cluster.node.pcie.nic_slot_gb_per_s=31.5"}) == Approx(252));                // PCIe 4 x16
  CHECK(rate({"cluster.node.nics=64"}) == Approx(8 * 63 * 8 / 64.0).epsilon(1e-3));
  CHECK(rate({"cluster.node.nics=64", "cluster.node.pcie.nics=accelerator"}) == Approx(400));
}

TEST_CASE("slower ports and slots make a step slower", "[laws][links]") {
  const auto time = [](const std::vector<std::string>& settings) {
    return predict_step(dense_job_with(settings)).step_time.in(second);
  };
  const double usual = time({tiers_of("QM9700/QM9790")});
  CHECK(time({tiers_of("QM8700/QM8790")}) > 1.005 * usual);
  const std::string offload = "job.offload.optimizer=true";
  CHECK(time({offload, "cluster.node.pcie.link_gb_per_s=1"}) > 1.5 * time({offload}));
  CHECK(time({offload, "cluster.node.pcie.link_gb_per_s=63"}) <= 1.1 * time({offload}));
}

TEST_CASE("a hop has the latency of the named switch, else of a usual one, never zero", "[laws][links]") {
  const auto hop = [](const std::string& fabric) {
    return dense_job_with({"cluster.fabric=" + fabric}).cluster.spec.fabric.hop_latency;
  };
  // 0.2 us of a QM9700 and 10 m of fibre at 4.9 ns/m
  const auto named =
      hop(R"({"tiers":[{"name":"leaf","switch":"QM9700/QM9790"},{"name":"spine","switch":"QM9700/QM9790"}]})");
  CHECK(named.value.in(microsecond) == Approx(0.249));
  CHECK(named.source.find("QM9700") != std::string::npos);
  CHECK(hop(R"({"transport":"roce","tiers":[{"name":"leaf","accelerators":64}]})").value.in(microsecond) ==
        Approx(0.649));
  CHECK(hop(R"({"tiers":[{"name":"leaf","accelerators":64}],"hop_latency_us":0})").value.in(microsecond) == 0);
}

TEST_CASE("cables are bought for NIC and switch port, whatever the slot of the host carries", "[laws][links]") {
  const auto cabled = [](const std::string& setting) {
    return dense_job_with({setting}).cluster.cabled_size().nic_rate.in(gigabyte_per_second);
  };
  CHECK(cabled("cluster.node.pcie.nic_slot_gb_per_s=10") == Approx(50));  // 400 Gbit/s
  CHECK(cabled(tiers_of("QM8700/QM8790")) == Approx(25));                 // ports of 200 Gbit/s
}
