// SPDX-License-Identifier: Apache-2.0
// Fabrics whose flows differ by chance, as commands answer for them.
#include <string>

#include "support/catch.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string tail = " --set cluster.fabric.tail.p99=1.5";

double gather_time(const ProgramRoom& room, const std::string& more) {
  return number(json_answer(room, "collective h100-superpod --op all_gather --bytes 8G" + more), "/rows/0/time_us");
}

}  // namespace

TEST_CASE("a step waits for slow flows, names them, and says where quantiles end", "[cli][tail]") {
  const ProgramRoom room;
  const JsonValue equal = json_answer(room, "run llama3-8b-h100-64"),
                  slow = json_answer(room, "run llama3-8b-h100-64" + tail);
  const double lost = number(slow, "/step_time_s") - number(equal, "/step_time_s");
  CHECK(lost > 0.005 * number(equal, "/step_time_s"));
  CHECK(number(slow, "/breakdown_s/jitter") - number(equal, "/breakdown_s/jitter") == Approx(lost).epsilon(1e-6));
  const Outcome large = room.run("run llama3-405b-h100 --explain" + tail);
  CHECK(has(large.out + large.err, "1 in 100 takes 1.5 times the median"));
  CHECK(has(large.out + large.err, "up to 16384 flows wait for the slowest of them"));
}

// The slowest of 1,024 flows takes 1.934 times the mean (flow_tail_test.cpp); rings keep their latency.
TEST_CASE("a collective between nodes takes the time of its slowest flow, one inside a node does not", "[cli][tail]") {
  const ProgramRoom room;
  const double equal = gather_time(room, ""), slow = gather_time(room, " --set fabric.tail.p99=1.5");
  CHECK(slow / equal > 1.6);
  CHECK(slow / equal < 1.935);
  CHECK(gather_time(room, " --gpus 8 --set fabric.tail.p99=1.5") == gather_time(room, " --gpus 8"));
}

// Only the continued part of the loss is open; eight ranks share one node.
TEST_CASE("a collective of more flows than quantiles tell of says so, and is less certain", "[cli][tail]") {
  const ProgramRoom room;
  const auto width = [&](const std::string& more) {
    const JsonValue found = json_answer(room, "collective h100-superpod --op all_gather --bytes 8G" + more);
    return number(found, "/rows/0/high") / number(found, "/rows/0/low");
  };
  CHECK(width(" --set fabric.tail.p99=1.5") > 1.05 * width(""));
  CHECK(width(" --gpus 8 --set fabric.tail.p99=1.5") == width(" --gpus 8"));
  const Outcome told = room.run("collective h100-superpod --op all_gather --bytes 8G --set fabric.tail.p99=1.5");
  CHECK(has(told.out + told.err, "up to 1024 flows wait for the slowest of them"));
  const Outcome few =
      room.run("collective h100-superpod --gpus 64 --op all_gather --bytes 8G --set fabric.tail.p99=1.5");
  CHECK_FALSE(has(few.out + few.err, "flows wait"));
}

TEST_CASE("a tail so wide that its worst case cannot be simulated is named", "[cli][tail]") {
  const ProgramRoom room;
  const Outcome outcome =
      room.run("run llama3-405b-h100 --set cluster.fabric.tail.p99=40 --set cluster.fabric.tail.p999=360");
  CHECK(outcome.code == 2);
  CHECK(has(outcome.err, "E0502"));
  CHECK(has(outcome.err, "fabric.tail allows"));
}

TEST_CASE("a tail that contradicts itself is refused at its place", "[cli][tail]") {
  const ProgramRoom room;
  const Outcome below = room.run("run llama3-8b-h100-64 --set cluster.fabric.tail.p999=1.2" + tail);
  CHECK(below.code == 2);
  CHECK(has(below.err, "E0348"));
  CHECK(has(below.err, "/fabric/tail/p999"));
  CHECK(room.run("run llama3-8b-h100-64 --set cluster.fabric.tail.p999=14" + tail).code == 2);
  CHECK(has(room.run("run llama3-8b-h100-64 --set cluster.fabric.tail.p99=0.9").err, "E0202"));
}
