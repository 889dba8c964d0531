// SPDX-License-Identifier: Apache-2.0
// Published steps on racks of 72 accelerators take the way of users: a scenario file, the ordinary loader, `run`.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "calibration/validation/validate_case.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const ScenarioShelf& rack_shelf() {
  static const ScenarioShelf loaded = load_shelf(CLUSTERWRIGHT_CONFIGS);
  return loaded;
}

/// A directory that goes with the test.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "clusterwright-racks-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name, const JsonValue& value) const {
    std::ofstream(path / name) << write_json(value);
    return path / name;
  }

  std::filesystem::path path;
};

/// The case as the files that a user would write: a scenario, and the stack with the switches of the published job.
Scenario as_file(const Scenario& described, const Folder& folder) {
  folder.write("stack.json", encode_record(described.stack));
  Scenario named = described;
  named.job.stack = "stack.json";
  return load_scenario(folder.write("scenario.json", effective_scenario(named)), {});
}

}  // namespace

TEST_CASE("every published step on racks of 72 is the same number from a scenario file", "[validation]") {
  const Folder folder;
  std::size_t rows = 0, mixtures = 0;
  const std::filesystem::path file =
      std::filesystem::path(CLUSTERWRIGHT_MEASUREMENTS) / "training-nvidia-blackwell.json";
  for (const Measurement& m : read_measurements(file)) {
    if (!m.step || m.hardware.scale_up_domain != 72) continue;
    const auto described = measured_scenario(m, rack_shelf());
    const auto* scenario = std::get_if<Scenario>(&described);
    if (!scenario) continue;
    INFO(m.id);
    const Scenario loaded = as_file(*scenario, folder);
    Seconds judged;
    try {
      judged = predict_step(*scenario).step_time;
    } catch (const ConfigError&) {  // published degrees that contradict each other
      CHECK_THROWS_AS(predict_step(loaded), ConfigError);
      continue;
    }
    CHECK(loaded.cluster.blocks.used == scenario->cluster.blocks.used);
    CHECK(predict_step(loaded).step_time.in(second) == Approx(judged.in(second)).epsilon(1e-9));
    ++rows;
    mixtures += m.step->model.experts ? 1 : 0;
  }
  CHECK(rows > 100);
  CHECK(mixtures >= 35);  // of 36; one states degrees that contradict each other
}
