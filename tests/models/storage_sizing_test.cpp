// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/storage_sizing.hpp"

#include "models/memory/checkpoint_use.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Reads 90 GB/s, writes 65 GB/s, keeps 500 TB.
const StoragePart& appliance() {
  return *find_part(parts().storage_systems, "DDN AI400X2");
}

StorageNeedSpec need_of_nodes(double read_gb_per_s, double write_gb_per_s) {
  StorageNeedSpec need;
  need.part = appliance().id;
  need.read_per_node = read_gb_per_s * gigabyte_per_second;
  need.write_per_node = write_gb_per_s * gigabyte_per_second;
  return need;
}

StorageSizing sized(const StorageNeedSpec& need, int nodes = 100) {
  return size_storage({need, appliance(), nodes, {}, nullptr, nullptr});
}

/// A job of 16 ranks on two nodes with its step.
struct SmallTraining {
  Scenario scenario;
  StepPrediction step;

  SmallTraining() {
    SmallCase c;
    c.data = 16;
    c.hidden = 1024;
    scenario = small_scenario(c);
    predict();
  }
  void predict() { step = predict_step(scenario); }
  Bytes checkpoint() const { return 14 * total_parameters(scenario.transformer) * byte; }
  StorageSizing sized(const StorageNeedSpec& need) const {
    return size_storage({need, appliance(), 2, scenario.cluster.spec.node.host.memory, &scenario, &step});
  }
};

}  // namespace

TEST_CASE("appliances are as many as the hardest need asks for", "[models][storage]") {
  const StorageSizing reading = sized(need_of_nodes(8, 4));  // 800 / 90 = 8.9, 400 / 65 = 6.2
  CHECK(reading.part == "DDN AI400X2");
  CHECK(reading.appliances == 9);
  CHECK(reading.bound == StorageBound::read);
  CHECK(reading.read_needed.in(gigabyte_per_second) == Approx(800));
  CHECK(reading.read_given.in(gigabyte_per_second) == Approx(810));
  CHECK(reading.write_given.in(gigabyte_per_second) == Approx(585));
  CHECK_FALSE(reading.checkpoint);

  const StorageSizing writing = sized(need_of_nodes(4, 8));  // 800 / 65 = 12.3
  CHECK(writing.appliances == 13);
  CHECK(writing.bound == StorageBound::write);

  StorageNeedSpec need = need_of_nodes(4, 4);
  need.capacity = 5001 * terabyte;
  CHECK(sized(need).appliances == 11);
  CHECK(sized(need).bound == StorageBound::capacity);
  CHECK(sized(need).capacity_given.in(terabyte) == Approx(5500));
}

TEST_CASE("what the whole cluster must have goes before what nodes must have", "[models][storage]") {
  StorageNeedSpec need = need_of_nodes(8, 4);
  need.read = 90 * gigabyte_per_second;
  need.write = 65 * gigabyte_per_second;
  CHECK(sized(need).appliances == 1);  // exactly met
  CHECK(sized(need).bound == StorageBound::read);
  CHECK(sized(need_of_nodes(0, 0)).appliances == 0);
  CHECK(sized(need_of_nodes(0, 0)).bound == StorageBound::none);
}

TEST_CASE("a checkpoint is written in the time that it may take", "[models][storage]") {
  const SmallTraining job;
  StorageNeedSpec need = need_of_nodes(1, 1);
  CHECK_FALSE(job.sized(need).checkpoint);                                // none is asked for
  need.checkpoint_time = job.checkpoint() / (300 * gigabyte_per_second);  // 300 / 65 = 4.6
  const StorageSizing sizing = job.sized(need);
  CHECK(*sizing.checkpoint == checkpoint_source(job.scenario, job.step.plan).bytes);
  CHECK(sizing.checkpoint->in(byte) == Approx(job.checkpoint().in(byte)));
  CHECK(sizing.write_needed.in(gigabyte_per_second) == Approx(300));
  CHECK(sizing.appliances == 5);
  CHECK(sizing.bound == StorageBound::write);
  CHECK(sized(need).write_needed.in(gigabyte_per_second) == Approx(100));  // without a job
}

TEST_CASE("hosts that hand over slowly are not helped by appliances", "[models][storage]") {
  SmallTraining job;
  StorageNeedSpec need = need_of_nodes(1, 1);
  need.checkpoint_time = job.checkpoint() / (300 * gigabyte_per_second);
  // of 14 bytes a parameter the first of two hosts writes 2 of weights and half of 12 of states
  job.scenario.cluster.spec.storage.host_write = job.checkpoint() * (8.0 / 14) / (100 * second);
  CHECK(job.sized(need).appliances == 5);
  CHECK(job.sized(need).checkpoint_time->in(second) == Approx(100));
  CHECK(checkpoint_source(job.scenario, job.step.plan).limits == "host storage");
  job.scenario.cluster.spec.storage.host_write.reset();
  const Seconds hosts = checkpoint_source(job.scenario, job.step.plan).hand_over;
  const Seconds written = job.checkpoint() / (5 * 65 * gigabyte_per_second);
  CHECK(job.sized(need).checkpoint_time->in(second) == Approx(std::max(hosts, written).in(second)));
}

TEST_CASE("checkpoints are kept beside what is asked for", "[models][storage]") {
  const SmallTraining job;
  StorageNeedSpec need = need_of_nodes(0, 0);
  need.checkpoints = static_cast<int>(1.2 * (appliance().capacity.value / job.checkpoint()));
  CHECK(job.sized(need).appliances == 2);
  CHECK(job.sized(need).bound == StorageBound::capacity);
  need.capacity = 1100 * terabyte;
  CHECK(job.sized(need).appliances == 3);
}

TEST_CASE("host memory that the job asks for is passed on", "[models][storage]") {
  SmallTraining job;
  const StorageNeedSpec need = need_of_nodes(1, 1);
  CHECK_FALSE(job.sized(need).host_memory_needed);
  job.scenario.job.offload.optimizer = MemoryLevel::host;
  job.scenario.cluster.spec.node.host.memory = 2 * terabyte;
  job.predict();
  const StorageSizing sizing = job.sized(need);
  REQUIRE(job.step.tiers.size() == 1);
  CHECK(*sizing.host_memory_needed == job.step.tiers.front().bytes.total());
  CHECK(*sizing.host_memory == 2 * terabyte);
}

TEST_CASE("needing more never takes fewer appliances", "[models][storage]") {
  long long before = 0;
  for (double need = 0; need < 20; need += 0.37) {
    const StorageSizing sizing = sized(need_of_nodes(need, need / 2));
    CHECK(sizing.appliances >= before);
    CHECK(sizing.read_given >= sizing.read_needed * (1 - 1e-8));
    CHECK(sizing.write_given >= sizing.write_needed * (1 - 1e-8));
    before = sizing.appliances;
  }
}
