// SPDX-License-Identifier: Apache-2.0
// Notes about degrees of parallelism that a scenario leaves out.
#include <memory>
#include <string>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/unstated_degrees.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::string said = "both are 1; \"auto\" searches for them";

/// Note about a job of some accelerators. @param parallel  member of the job, with its comma, or nothing
std::string note(const std::string& parallel, int accelerators = 8) {
  const std::string text = "{\"cluster\": {\"name\": \"m\", \"accelerators\": " + std::to_string(accelerators) +
                           ", \"node\": {\"part\": \"DGX H100\"}},\n\"transformer\": \"" +
                           (configs_directory() / "transformers" / "llama3-8b.json").string() +
                           "\",\n\"job\": {\"sequence\": 4096, \"global_batch\": 64" + parallel + "}}";
  return unstated_degrees(scenario_of_document(read_json(std::make_shared<const SourceText>("mine.json", text)), {}));
}

}  // namespace

TEST_CASE("a job without tensor and pipeline degrees says that both are 1", "[models][files]") {
  CHECK(note("") == "job.parallel states no tensor and no pipeline (mine.json:3): " + said);
  CHECK(note(",\n\"parallel\": {\"data\": \"auto\"}") ==
        "job.parallel states no tensor and no pipeline (mine.json:4): " + said);
  CHECK(note("", 1).empty());  // 1 x 1 is all that there is
}

TEST_CASE("a job that states one of the degrees, or leaves them open, is left alone", "[models][files]") {
  CHECK(note(", \"parallel\": {\"tensor\": 8}").empty());
  CHECK(note(", \"parallel\": {\"pipeline\": \"auto\"}").empty());
  for (const std::string& name : config_names("scenarios")) {
    INFO(name);
    CHECK(unstated_degrees(load_scenario(configs_directory() / "scenarios" / (name + ".json"), {})).empty());
  }
  ScenarioOptions options;
  options.node = "DGX H100";
  options.accelerators = 64;
  const JsonValue usual = pretraining_of(configs_directory() / "transformers" / "llama3-8b.json", 0);
  CHECK(unstated_degrees(scenario_of_document(usual, options)).empty());
}
