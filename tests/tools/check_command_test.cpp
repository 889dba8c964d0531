// SPDX-License-Identifier: Apache-2.0
// `clusterwright check` against `run`: both refuse the same scenarios.
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string with(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(has(text, from));
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

// Micro-batches of 1 on 3 replicas of 8 do not divide 2,048 sequences; other layouts of 24 accelerators do.
TEST_CASE("check accepts a scenario whose open layout run finds", "[cli][check]") {
  const ProgramRoom room;
  REQUIRE(room.run("init k --model llama3-8b --on H100-SXM --gpus 24").code == 0);
  const Outcome checked = room.run("check k.json");
  INFO(checked.err);
  CHECK(checked.code == 0);
  CHECK(has(checked.out, "k.json: ok (scenario)"));
  CHECK(room.run("run k.json").code == 0);
}

TEST_CASE("check refuses what run refuses", "[cli][check]") {
  const ProgramRoom room;
  REQUIRE(room.run("init k --model llama3-8b --on H100-SXM --gpus 24").code == 0);
  room.write("seven.json", with(content(room.at("k.json")), "\"tensor\": \"auto\"", "\"tensor\": 7"));
  const Outcome ran = room.run("run seven.json"), checked = room.run("check seven.json");
  CHECK(ran.code == 2);
  CHECK(checked.code == 2);
  CHECK(has(ran.err, "error[E"));
  CHECK(has(checked.err, "error[E"));
}
