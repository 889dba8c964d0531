// SPDX-License-Identifier: Apache-2.0
// Relations between two predictions that hold whatever the numbers are: more of a resource never slows a step, and
// neither names nor the order of keys matter.
#include <fmt/format.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Clocks settle in other rounds: a faster part may cost this much.
constexpr double slower_by = 1.005;

/// The same where pipelines of several replicas wait for one uplink: a faster kernel changes which message goes first.
constexpr double slower_in_queues = 1.01;

bool waits_for_messages(const StepPrediction& step) {
  return step.breakdown[static_cast<std::size_t>(StepCharge::pp_exposed)] > 0.25 * step.step_time;
}

struct More {
  const char* what;
  std::function<void(Scenario&)> change;
};

/// Gives every accelerator of the cluster a quarter more of something.
std::function<void(Scenario&)> of_part(const std::function<void(AcceleratorPart&)>& change) {
  return [=](Scenario& s) {
    change(s.cluster.accelerator);
    for (NodeGroup& group : s.cluster.groups) change(group.accelerator);
  };
}

const std::vector<More>& more_of_a_part() {
  static const std::vector<More> all = {
      {"matrix units", of_part([](AcceleratorPart& part) {
         for (auto& [format, rate] : part.peak_dense_tflops) rate.value = 1.25 * rate.value;
       })},
      {"memory bandwidth",
       of_part([](AcceleratorPart& part) { part.memory_bandwidth.value = 1.25 * part.memory_bandwidth.value; })},
      {"memory", of_part([](AcceleratorPart& part) {
         part.memory.value = 1.25 * part.memory.value;
         if (part.addressable_memory) part.addressable_memory->value = 1.25 * part.addressable_memory->value;
       })},
      {"power", of_part([](AcceleratorPart& part) { part.power.value = 1.25 * part.power.value; })},
      {"clock", of_part([](AcceleratorPart& part) {
         if (part.max_mhz) part.max_mhz->value *= 1.25;
       })},
      {"host link", of_part([](AcceleratorPart& part) {
         if (part.host_bandwidth) part.host_bandwidth->value = 1.25 * part.host_bandwidth->value;
         if (part.measured_host_bandwidth)
           part.measured_host_bandwidth->value = 1.25 * part.measured_host_bandwidth->value;
       })},
  };
  return all;
}

Scenario shipped(const std::filesystem::path& file, std::vector<std::string> settings = {}) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  return load_scenario(file, {std::move(settings), {}});
}

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(configs / "scenarios")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void check_no_slower(const std::string& where, const StepPrediction& before, const StepPrediction& after) {
  INFO(where << ": " << before.step_time.in(second) << " s, then " << after.step_time.in(second) << " s");
  CHECK(after.step_time <= (waits_for_messages(before) ? slower_in_queues : slower_by) * before.step_time);
}

/// Text of a document with the keys of all objects in reverse order.
JsonValue reversed(const JsonValue& value) {
  if (value.is(JsonKind::list)) {
    JsonValue out = JsonValue::list();
    for (const JsonValue& element : value.elements()) out.push_back(reversed(element));
    return out;
  }
  if (!value.is(JsonKind::object)) return value;
  JsonValue out = JsonValue::object();
  for (auto member = value.members().rbegin(); member != value.members().rend(); ++member)
    out.set(member->first, reversed(member->second));
  return out;
}

SmallCase drawn_job() {
  SmallCase c;
  c.hopper = *rc::gen::arbitrary<bool>();
  c.tensor = *rc::gen::element(1, 2, 8);
  c.pipeline = *rc::gen::element(1, 2);
  c.data = 32 / c.tensor / c.pipeline;
  c.layers = *rc::gen::inRange(2, 5);
  c.heads = *rc::gen::element(16, 32);
  c.hidden = c.heads * 128;
  c.sequence = 256 * *rc::gen::inRange(4, 33);
  c.vocabulary = 32000;
  c.micro_batches = *rc::gen::inRange(1, 5);
  c.sharding = c.pipeline == 1 ? *rc::gen::element(Sharding::zero1, Sharding::fsdp) : Sharding::zero1;
  c.nic_gbit_per_s = *rc::gen::element(100, 200, 400);
  c.recompute = Recompute::full;
  return c;
}

}  // namespace

TEST_CASE("more of a part never slows a step of a shipped scenario", "[laws]") {
  for (const auto& file : scenario_files()) {
    const Scenario s = shipped(file);
    const StepPrediction before = predict_step(s);
    for (const More& more : more_of_a_part()) {
      Scenario better = s;
      more.change(better);
      check_no_slower(file.stem().string() + " with more " + more.what, before, predict_step(better));
    }
  }
}

TEST_CASE("faster links never slow a step of a shipped scenario", "[laws]") {
  for (const auto& file : scenario_files()) {
    const Scenario s = shipped(file);
    const StepPrediction before = predict_step(s);
    const double nic = s.cluster.nic_bandwidth.in(gigabyte_per_second)*8;
    const double scale_up = s.cluster.scale_up_bandwidth.in(gigabyte_per_second);
    std::vector<std::string> settings;
    if (scale_up > 0) settings.push_back(fmt::format("cluster.node.scale_up_gb_per_s={}", 1.5 * scale_up));
    if (s.cluster.has_network() && s.cluster.spec.fabric.transport == Transport::infiniband)
      settings.push_back(fmt::format("cluster.node.nic_rate_gbit_per_s={}", 0.5 * nic));
    for (const std::string& setting : settings) {
      const StepPrediction other = predict_step(shipped(file, {setting}));
      const bool slower_link = setting.find("nic_rate") != std::string::npos;
      check_no_slower(file.stem().string() + " " + setting, slower_link ? other : before, slower_link ? before : other);
    }
  }
}

TEST_CASE("more of a part or a link never slows a drawn step by 0.5 %", "[laws]") {
  CHECK(rc::check([] {
    SmallCase c = drawn_job();
    const Scenario s = small_scenario(c);
    const Seconds before = predict_step(s).step_time;
    for (const More& more : more_of_a_part()) {
      Scenario better = s;
      more.change(better);
      const Seconds after = predict_step(better).step_time;
      RC_LOG() << more.what << ": " << before.in(second) << " s, then " << after.in(second) << " s\n";
      RC_ASSERT(after <= slower_by * before);
    }
    c.nic_gbit_per_s *= 2;
    RC_ASSERT(predict_step(small_scenario(c)).step_time <= slower_by * before);
  }));
}

TEST_CASE("the order of keys changes nothing", "[laws]") {
  const auto file = std::filesystem::temp_directory_path() / ("clusterwright-keys-" + std::to_string(::getpid()));
  for (const auto& scenario : scenario_files()) {
    const Scenario s = shipped(scenario);
    std::ofstream(file) << write_json(reversed(s.source));
    const StepPrediction plain = predict_step(s), turned = predict_step(shipped(file));
    INFO(scenario.stem().string());
    CHECK(turned.step_time == plain.step_time);
    CHECK(turned.low == plain.low);
    CHECK(turned.high == plain.high);
    CHECK(turned.memory.total() == plain.memory.total());
    CHECK(turned.warnings == plain.warnings);
  }
  std::filesystem::remove(file);
}
