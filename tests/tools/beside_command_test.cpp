// SPDX-License-Identifier: Apache-2.0
// `run --beside`.
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("run says what another job on the machine costs both", "[cli][beside]") {
  const ProgramRoom room;
  const std::string both = "run llama3-70b-h100 --beside mixtral-8x7b-h100 --set cluster.fabric.routing=hash";
  const Outcome packed = room.run(both);
  CHECK(packed.code == 0);
  CHECK(has(packed.out, "Two jobs on one machine of 256 nodes"));
  const JsonValue answer = room.run(both + " --placement scattered --format json").json();
  const JsonValue& beside = answer.at("beside");
  CHECK(beside.at("machine_nodes").as_number() == 256);
  for (const char* job : {"this_job", "other_job"})
    CHECK(beside.at(job).at("beside_s").as_number() >= 0.999 * beside.at(job).at("alone_s").as_number());
  CHECK(room.run("run llama3-8b-h100-64 --format json").json().at("beside").is(JsonKind::null));
}

// Their stacks get different shares of the links that they have in common.
TEST_CASE("jobs of different stacks share links", "[cli][beside]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("run llama3-70b-h100 --placement shuffled --beside llama3-8b-h100-64 --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const JsonValue answer = outcome.json();
  for (const char* job : {"this_job", "other_job"}) {
    const JsonValue& times = answer.at("beside").at(job);
    CHECK(times.at("beside_s").as_number() >= 0.999 * times.at("alone_s").as_number());
  }
}

TEST_CASE("run refuses a job beside that cannot be", "[cli][beside]") {
  const ProgramRoom room;
  const auto refused = [&](const std::string& words, const std::string& why) {
    const Outcome outcome = room.run("run " + words);
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(has(outcome.err, why));
  };
  refused("llama3-8b-h100-64 --beside nowhere", "E0401");
  refused("llama3-8b-h100-64 --beside h100-superpod", "E0401");
  refused("llama3-8b-h100-64 --beside gpt3-175b-a100", "E0335");
  refused("llama3-8b-h100-64 --beside llama3-8b-h100-64 --samples 3", "E0339");
  refused("llama3-8b-single-node --beside llama3-8b-single-node", "E0339");
}
