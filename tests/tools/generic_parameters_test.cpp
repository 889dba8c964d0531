// SPDX-License-Identifier: Apache-2.0
// What a scenario on an accelerator that nobody measured takes its parameters from.
#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string configs = CLUSTERWRIGHT_CONFIGS;

/// An 8B model, one replica per accelerator, on a shipped cluster.
std::string scenario_on(const std::string& cluster, const std::string& precision = "bf16") {
  return R"({"cluster": ")" + configs + "/clusters/" + cluster + R"(.json", "transformer": ")" + configs +
         R"(/transformers/llama3-8b.json", "job": {"sequence": 4096, "global_batch": 512, "micro_batch": 1,
             "precision": ")" +
         precision + R"(", "recompute": "full", "stack": "megatron-2024"}})";
}

JsonValue prediction_on(const std::string& cluster) {
  const ProgramRoom room;
  room.write("scenario.json", scenario_on(cluster));
  const Outcome outcome = room.run("run scenario.json --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code != 2);
  return outcome.json();
}

/// Why the assumption about curves was made.
std::string origin_of_curves(const JsonValue& prediction) {
  for (const JsonValue& one : prediction.at("assumptions").elements())
    if (one.at("what").as_text() == "kernel, link and memory curves") return one.at("why").as_text();
  return "";
}

double relative_width(const JsonValue& prediction) {
  return prediction.at("high").as_number() / prediction.at("low").as_number();
}

}  // namespace

TEST_CASE("a part that nobody measured takes the generic set and says so", "[cli]") {
  for (const char* cluster : {"gaudi3-512", "tpu-v5p-512", "gaudi2-64"}) {
    INFO(cluster);
    const JsonValue prediction = prediction_on(cluster);
    CHECK(has(origin_of_curves(prediction), "generic, from measured relatives"));
    CHECK(prediction.at("mfu").as_number() > 0.1);
    CHECK(prediction.at("mfu").as_number() < 0.7);
  }
}

TEST_CASE("a generic prediction is less sure than one on a measured part", "[cli]") {
  const JsonValue measured = prediction_on("h100-single-node"), generic = prediction_on("gaudi2-64");
  CHECK(has(origin_of_curves(measured), "published microbenchmarks of H100-SXM"));
  CHECK(relative_width(generic) > relative_width(measured));
}

TEST_CASE("the generic set does not give a part formats that it lacks", "[cli]") {
  const ProgramRoom room;
  room.write("scenario.json", scenario_on("tpu-v5p-512", "nvfp4"));
  check_refused(room, "run scenario.json", "E0314", "nvfp4");
}

TEST_CASE("the shipped scenarios on other vendors' parts, wafers and desktops fit and are believable", "[cli]") {
  for (const char* name : {"llama3-405b-tpu-v5p", "llama3-70b-tpu-v5p", "llama3-70b-mi300x", "llama3-70b-gaudi3",
                           "llama3-70b-consumer-wan", "llama3-8b-cs3"}) {
    INFO(name);
    const Outcome outcome = ProgramRoom().run("run '" + configs + "/scenarios/" + name + ".json' --format json");
    REQUIRE(outcome.code == 0);
    const JsonValue prediction = outcome.json();
    CHECK(prediction.at("fits").as_boolean());
    CHECK(prediction.at("mfu").as_number() > 0.01);  // desktops wait for lines of 1 Gbit/s
    CHECK(prediction.at("mfu").as_number() < 0.70);  // TPUs: 4/3 of the 0.50 with full recomputation
    CHECK(relative_width(prediction) > 1.4);
  }
}

TEST_CASE("a model over the internet waits for its activations", "[cli]") {
  const std::string scenario = "'" + configs + "/scenarios/llama3-70b-consumer-wan.json'";
  const JsonValue prediction = ProgramRoom().run("run " + scenario + " --format json").json();
  const JsonValue& spent = prediction.at("breakdown_s");
  const double waiting = spent.at("pp_exposed").as_number() + spent.at("bubble").as_number();
  CHECK(waiting > 0.7 * prediction.at("step_time_s").as_number());
}

TEST_CASE("a part of one's own is predicted like any other", "[cli]") {
  const ProgramRoom room;
  room.write("scenario.json", R"({"cluster": {"name": "mine", "accelerators": 8,
      "parts": {"accelerators": [{"id": "Next-1", "vendor": "Somebody", "peak_dense_tflops": {"bf16": 3000},
        "memory_gb": 256, "memory_bandwidth_tb_per_s": 10, "multiprocessors": 160,
        "scale_up_bandwidth_gb_per_s": 900, "scale_up_domain": 8, "power_w": 1400}]},
      "node": {"accelerator": "Next-1", "nics": 0}}, "transformer": ")" +
                                  configs + R"(/transformers/llama3-8b.json",
      "job": {"sequence": 4096, "global_batch": 64, "recompute": "full", "stack": "megatron-2024"}})");
  const Outcome outcome = room.run("run scenario.json --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.json().at("mfu").as_number() > 0.15);
}
