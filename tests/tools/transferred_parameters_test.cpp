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

TEST_CASE("a part that nobody measured takes the transferred set and says so", "[cli]") {
  for (const char* cluster : {"mi300x-64", "tpu-v5p-512", "gaudi2-64"}) {
    INFO(cluster);
    const JsonValue prediction = prediction_on(cluster);
    CHECK(has(origin_of_curves(prediction), "transferred from measured relatives"));
    CHECK(prediction.at("mfu").as_number() > 0.1);
    CHECK(prediction.at("mfu").as_number() < 0.7);
  }
}

TEST_CASE("a transferred prediction is less sure than one on a measured part", "[cli]") {
  const JsonValue measured = prediction_on("h100-single-node"), transferred = prediction_on("mi300x-64");
  CHECK(has(origin_of_curves(measured), "published microbenchmarks of H100-SXM"));
  CHECK(relative_width(transferred) > relative_width(measured));
}

TEST_CASE("the transferred set does not give a part formats that it lacks", "[cli]") {
  const ProgramRoom room;
  room.write("scenario.json", scenario_on("tpu-v5p-512", "nvfp4"));
  check_refused(room, "run scenario.json", "E0314", "nvfp4");
}
