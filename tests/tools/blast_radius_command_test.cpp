// SPDX-License-Identifier: Apache-2.0
// Failures as users ask for them: --blast-radius, and --fail where it stops the job.
#include "sim/json_writer.hpp"
#include "support/program_room.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string llama_70b = "run " + shipped_file("scenarios/llama3-70b-h100") + " ";
const std::string single_node = "run " + shipped_file("scenarios/llama3-8b-single-node") + " ";

}  // namespace

TEST_CASE("each row of --blast-radius is what --fail says of its part", "[cli][blast_radius]") {
  const Outcome all = ProgramRoom().run(llama_70b + "--blast-radius --format json");
  REQUIRE(all.code == 0);
  const JsonValue document = all.json();
  std::size_t stopped = 0;
  for (const JsonValue& row : document.at("blast_radius").elements()) {
    const std::string name = row.at("fails").as_text();
    INFO(name);
    const Outcome one = ProgramRoom().run(llama_70b + "--fail " + name + " --format json");
    const JsonValue answer = one.json();
    if (row.at("stops").as_boolean()) {
      ++stopped;
      CHECK(one.code == 1);
      CHECK(answer.at("step_time_s").is_null());
      CHECK(answer.at("fits").as_boolean() == false);
      CHECK(write_json(answer.at("blast_radius").elements()[0].at("ways")) == write_json(row.at("ways")));
    } else {
      CHECK(one.code == 0);
      CHECK(number(answer, "/step_time_s") == Approx(number(row, "/step_time_s")).epsilon(1e-12));
      CHECK(number(row, "/loss") ==
            Approx(1 - number(document, "/step_time_s") / number(row, "/step_time_s")).margin(1e-12));
    }
  }
  CHECK(stopped == 2);  // accelerator and node
}

TEST_CASE("the table names what fails and the ways on, in every format for people", "[cli][blast_radius]") {
  const ProgramRoom room;
  for (const char* format : {"table", "md", "html"}) {
    const Outcome outcome = room.run(llama_70b + "--blast-radius --format " + format);
    INFO(format);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, "What one failure costs"));
    CHECK(has(outcome.out, "restart with 63 of 64 replicas, batch 1,008"));
  }
  const Outcome dead = room.run(llama_70b + "--fail gpu:9 --fail leaf:0");
  CHECK(dead.code == 1);
  CHECK(has(dead.out, "leaf:0, gpu:9: 1 GPU is dead: the job stops"));
  CHECK_FALSE(has(dead.out, "Step time by cause"));
}

TEST_CASE("a cluster without a network has accelerators and nodes that fail", "[cli][blast_radius]") {
  const Outcome outcome = ProgramRoom().run(single_node + "--blast-radius --format json");
  CHECK(outcome.code == 0);
  CHECK(outcome.json().at("blast_radius").elements().size() == 2);
  CHECK(ProgramRoom().run(single_node + "--fail gpu:7").code == 1);
  check_refused(single_node + "--fail leaf:0", "E0339", "the cluster has no network");
  check_refused(single_node + "--fail gpu:8", "E0321", "the job does not use accelerator 8");
}

TEST_CASE("parts that are not there and options without a step are refused", "[cli][blast_radius]") {
  check_refused(llama_70b + "--fail node:128", "E0321", "the job does not use node 128");
  check_refused(llama_70b + "--fail gpu:x", "E0321", "cannot read the fault");
  check_refused(llama_70b + "--fail gpu:3 --heat heat.html", "E0339", "gpu:3 stops the job");
  check_refused(llama_70b + "--fail gpu:3 --blast-radius", "E0339", "gpu:3 stops the job");
  check_refused(llama_70b + "--fail gpu:3 --format html", "E0404", "html");
  check_refused("scale " + shipped_file("scenarios/llama3-70b-h100") + " --gpus 512 --fail gpu:3", "E0321",
                "a dead accelerator ends the job");
}
