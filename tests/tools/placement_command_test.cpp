// SPDX-License-Identifier: Apache-2.0
// `run` and `scale` with --placement, --slow and --samples.
#include <algorithm>
#include <string>
#include <vector>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string on_1024 = "llama3-70b-h100 --set job.placement.machine_nodes=256 ";

double step_seconds(const JsonValue& answer) {
  return answer.at("step_time_s").as_number();
}

std::string nodes_from(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(first + i) + "\n";
  return text;
}

std::vector<double> times_by_size(const ProgramRoom& room, const std::string& arguments) {
  std::vector<double> times;
  const JsonValue answer = json_answer(room, "scale llama3-8b-h100-64 --gpus 8,16,64 " + arguments);
  for (const JsonValue& point : answer.at("points").elements()) times.push_back(step_seconds(point));
  return times;
}

}  // namespace

TEST_CASE("a job runs on any nodes of a larger machine", "[cli][placement]") {
  const ProgramRoom room;
  const double packed = step_seconds(json_answer(room, "run llama3-70b-h100"));
  for (const std::string order : {"packed", "scattered", "shuffled"}) {
    const Outcome outcome = room.run("run " + on_1024 + "--placement " + order);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, "placement: 128 of 256 nodes of the machine, " + order));
    CHECK(step_seconds(json_answer(room, "run " + on_1024 + "--placement " + order)) == Approx(packed).epsilon(0.05));
  }
  room.write("first.txt", nodes_from(0, 128));
  CHECK(step_seconds(json_answer(room, "run " + on_1024 + "--placement first.txt")) == packed);
  CHECK(has(room.run("run " + on_1024 + "--placement first.txt").out, "in the order given"));
  room.write("list.json", "[0, 1, 3, 2,\n 4,5, 7, 6]");
  CHECK(room.run("run llama3-8b-h100-64 --placement list.json").code == 0);
}

TEST_CASE("a wrong placement says what is wrong, and where", "[cli][placement]") {
  const ProgramRoom room;
  const auto refused = [&](const std::string& text, const std::string& words) {
    room.write("nodes.txt", text);
    check_refused(room, "run " + on_1024 + "--placement nodes.txt", "E0335", words);
    check_refused(room, "run " + on_1024 + "--placement nodes.txt", "E0335", "--> --placement:1:1");
  };
  refused(nodes_from(0, 127) + "5", "names node 5 twice");
  refused(nodes_from(0, 127), "has 127 nodes, the job fills 128");
  refused(nodes_from(200, 128), "names node 256, the machine has 256");
  refused("0 1 two", "is no list of nodes (found \"t\")");
  refused("0, -1", "is no list of nodes (found \"-\")");
  refused("12345678901", "is no list of nodes (found 1234567890)");
  refused("[]\n", "holds no numbers of nodes");
  const std::string job = "run llama3-70b-h100 ";
  check_refused(job + "--placement sideways", "E0401", "\"sideways\" is no order of nodes, and no file");
  check_refused(job + "--placement shuffled --set job.placement.machine_nodes=16", "E0335",
                "the machine has 16 nodes, the job fills 128");
  check_refused("run llama3-405b-tpu-v5p --set job.placement.machine_nodes=16", "E0335", "/job/placement");
  check_refused(job + "--set job.placement.machine_nodes=1000000", "E0306", "tier \"spine\" has too few ports");
  check_refused(job + "--set job.placement.seed=3", "E0339", "nodes are not shuffled");
  check_refused(job + "--set job.placement.order=sideways", "E0203", "\"packed\", \"scattered\"");
}

TEST_CASE("a slow node slows the step, and its effective scenario gives the same answer", "[cli][placement]") {
  const ProgramRoom room;
  const std::string placed = "run " + on_1024 + "--placement shuffled --seed 4 ";
  const double usual = step_seconds(json_answer(room, placed));
  const JsonValue slow = json_answer(room, placed + "--slow node:10% --slow 3xgpu:2%");
  CHECK(step_seconds(slow) > 1.01 * usual);
  CHECK(step_seconds(slow) < usual / 0.9);
  CHECK(has(room.run(placed + "--slow node:10%").out, "slower than the others: accelerators "));
  const std::string text = room.run(placed + "--slow node:10% --slow 3xgpu:2% --format json").out;
  const std::size_t begin = text.find("\"scenario\": {") + 12, end = text.find("\n  },", begin) + 4;
  room.write("effective.json", text.substr(begin, end - begin));
  CHECK(step_seconds(json_answer(room, "run effective.json")) == step_seconds(slow));
}

TEST_CASE("a wrong --slow says what is wrong", "[cli][placement]") {
  const std::string job = "run llama3-8b-h100-64 ";
  check_refused(job + "--slow node", "E0336", "cannot read \"node\"");
  check_refused(job + "--slow node:0%", "E0336", "must be above 0 % and at most 95 %");
  check_refused(job + "--slow 9xnode:5%", "E0336", "9 nodes cannot be slow, the job has 8");
  check_refused(job + "--slow node.8:5%", "E0336", "the job does not use node 8");
  check_refused(job + "--slow node.1:5% --slow gpu.9:5%", "E0336", "accelerator 9, or it is slow already");
  check_refused(job + "--set 'cluster.slow=[{\"accelerator\":3}]'", "E0336", "nothing says how slow accelerator 3 is");
  check_refused(job + "--set 'cluster.slow=[{\"accelerator\":64,\"clock\":0.9}]'", "E0336",
                "there is no accelerator 64");
}

TEST_CASE("samples are the steps that run predicts for each seed", "[cli][placement]") {
  const ProgramRoom room;
  const std::string job = "run llama3-8b-h100-64 --slow 2xnode:8% --slow gpu:3% ";
  const JsonValue samples = json_answer(room, job + "--samples 12 --seed 5").at("samples");
  CHECK(samples.at("first_seed").as_integer() == 5);
  const auto& times = samples.at("step_times_s").elements();
  REQUIRE(times.size() == 12);
  const auto at_seed = [&](std::int64_t seed) {
    return step_seconds(json_answer(room, job + "--seed " + std::to_string(seed)));
  };
  const auto& expected = samples.at("expected_jitter_s").elements();
  REQUIRE(expected.size() == 12);
  CHECK(at_seed(5) == expected[0].as_number());
  CHECK(at_seed(8) == expected[3].as_number());
  const double slowest = at_seed(samples.at("slowest_seed").as_integer());
  for (const JsonValue& time : expected) CHECK(slowest >= time.as_number());
  CHECK(times[0].as_number() != expected[0].as_number());  // each draw has a jitter of its own, within a few percent
  CHECK(times[0].as_number() == Approx(expected[0].as_number()).epsilon(0.03));
  CHECK(samples.at("median_s").as_number() <= samples.at("p90_s").as_number());
  const std::string table = room.run(job + "--samples 12 --seed 5").out;
  for (const char* words :
       {"Step time over 12 draws (seeds 5 to 16)", "10th percentile", "At the expected jitter", "slowest"})
    CHECK(has(table, words));
  CHECK_FALSE(has(room.run(job + "--samples 3").out, "percentile"));
  CHECK(json_answer(room, job).at("samples").is_null());
}

TEST_CASE("samples of nothing that is drawn are refused", "[cli][placement]") {
  const std::string job = "run llama3-8b-h100-64 --gpus 8 --set job.parallel.data=1 --set job.parallel.tensor=8 ";
  check_refused(job + "--samples 3", "E0339", "--samples changes nothing");
  check_refused(job + "--samples 3 --slow node.0:5%", "E0339", "--samples changes nothing");
  for (const char* count : {"0", "-1", "x", "1.5", "100001"})
    check_refused(job + "--slow node:5% --samples " + count, "E0403", "--samples:1:1");
}

TEST_CASE("slow devices of a curve are in its smallest size, so that they slow all sizes", "[cli][placement]") {
  const ProgramRoom room;
  for (const std::string placement : {"", "--placement shuffled "})
    for (const std::string seed : {"0", "1", "2", "3"}) {
      const std::vector<double> usual = times_by_size(room, placement + "--seed " + seed);
      const std::vector<double> slow = times_by_size(room, placement + "--seed " + seed + " --slow gpu:20%");
      REQUIRE(slow.size() == 3);
      INFO(placement << seed);
      for (std::size_t i = 0; i < slow.size(); ++i) CHECK(slow[i] > 1.02 * usual[i]);
    }
}
