// SPDX-License-Identifier: Apache-2.0
// `wave`: what it prints in each format, and what it refuses.
#include <cmath>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

namespace clusterwright {

namespace {

const std::string waved_job = "wave llama3-8b-h100-64";

double level(const JsonValue& answer, const char* name, const char* key) {
  return answer.at("variants").elements()[0].at("levels").at(name).at(key).as_number();
}

}  // namespace

TEST_CASE("run and wave say the same of a step", "[tools][wave]") {
  const testing::ProgramRoom room;
  const JsonValue run = room.run("run llama3-8b-h100-64 --format json").json();
  const JsonValue wave = room.run(waved_job + " --format json").json();
  const JsonValue& power = run.at("power");
  CHECK(level(wave, "hall", "mean_kw") == Approx(power.at("it_kw_mean").as_number()).epsilon(0.01));
  CHECK(level(wave, "hall", "swing_kw") == Approx(power.at("swing_kw").as_number()).epsilon(0.07));
  CHECK(level(wave, "hall", "ramp_kw_per_s") == Approx(power.at("ramp_kw_per_s").as_number()).epsilon(0.07));
  CHECK(level(wave, "grid", "mean_kw") == Approx(power.at("facility_kw_mean").as_number()).epsilon(0.01));
}

TEST_CASE("samples are there as CSV and in the format of OpenMetrics, with the mean of the tables", "[tools][wave]") {
  const testing::ProgramRoom room;
  const auto outcome = room.run(waved_job + " --quiet -o wave.csv -o wave.prom -o wave.json");
  REQUIRE(outcome.code == 0);
  std::istringstream csv(testing::content(room.at("wave.csv")));
  std::string line;
  std::getline(csv, line);
  CHECK(line == "time_s,accelerator_w,node_w,rack_w,hall_w,grid_w\r");
  double sum = 0;
  int rows = 0;
  for (; std::getline(csv, line); ++rows) sum += std::stod(line.substr(line.rfind(',') + 1));
  CHECK(rows == 30000);
  const JsonValue wave = read_json(std::make_shared<SourceText>("wave", testing::content(room.at("wave.json"))));
  CHECK(sum / rows / 1e3 == Approx(level(wave, "grid", "mean_kw")).epsilon(1e-5));
  const std::string metrics = testing::content(room.at("wave.prom"));
  CHECK(testing::has(metrics, "# TYPE clusterwright_power_watts gauge\n"));
  CHECK(testing::has(metrics, "\nclusterwright_power_watts{level=\"grid\"} "));
  CHECK(metrics.ends_with("# EOF\n"));
}

TEST_CASE("a limit of the utility that fails is an exit code, and says what to do", "[tools][wave]") {
  const testing::ProgramRoom room;
  const auto fails = room.run("wave llama3-405b-h100 --utility 'IESO, 2026'");
  CHECK(fails.code == 1);
  CHECK(testing::has(fails.out, "fails"));
  CHECK(testing::has(fails.out, "Next: range of steps fails"));
  const auto holds = room.run("wave llama3-405b-h100 --utility 'CAISO straw proposal, 2026'");
  CHECK(holds.code == 0);
}

TEST_CASE("measures on the command line are those of the facility", "[tools][wave]") {
  const testing::ProgramRoom room;
  const auto options = room.run(waved_job + " --floor 65% --filler 0.6 --storage 'ORv3 battery shelf' --format csv");
  const auto settings =
      room.run(waved_job +
               " --set cluster.facility.stabilization.smoothing.floor=0.65 --set "
               "cluster.facility.stabilization.filler.floor=0.6 --set "
               "'cluster.facility.stabilization.storage=[{\"part\":\"ORv3 battery shelf\"}]' --format csv");
  REQUIRE(options.code == 0);
  CHECK(options.out == settings.out);
}

TEST_CASE("what cannot be is refused with its place", "[tools][wave]") {
  const testing::ProgramRoom room;
  const auto refused = [&](const std::string& options, const std::string& words) {
    INFO(options);
    const auto outcome = room.run("wave " + options);
    CHECK(outcome.code == 2);
    INFO(outcome.err);
    CHECK(testing::has(outcome.err, words));
  };
  refused("llama3-8b-h100-64 --floor 120%", "more than the power limit");
  refused("llama3-8b-h100-64 --length 5s", "2 minutes to an hour");
  refused("llama3-8b-h100-64 --stall 100s", "longer than half");
  refused("llama3-8b-h100-64 --storage 'ORv3 batery shelf'", "did you mean \"ORv3 battery shelf\"");
  refused("llama3-8b-h100-64 --utility nobody", "list all: clusterwright catalog interconnections");
  refused("llama3-70b-mixed", "E0367");
  refused(
      "llama3-8b-h100-64 --set 'cluster.parts={\"energy_storage\":[{\"id\":\"Mine\",\"place\":\"rack\","
      "\"energy_j\":1000,\"power_w\":0,\"efficiency\":0.9}]}'",
      "E0202");
}

TEST_CASE("size buys the storage that a facility states", "[tools][wave]") {
  const testing::ProgramRoom room;
  const auto sized = [&](const std::string& storage) {
    return room
        .run("size llama3-405b-h100 --format json --set 'cluster.facility.stabilization.storage=" + storage + "'")
        .json();
  };
  const JsonValue none = sized("[]"), battery = sized(R"([{"part": "Battery container, 2 h", "modules": 12}])");
  const double more = battery.at("capex_usd").as_number() - none.at("capex_usd").as_number();
  CHECK(more >= 12 * 1156200 * 0.99);
  CHECK(testing::has(room.run("size llama3-405b-h100 --set "
                              "'cluster.facility.stabilization.storage=[{\"part\": \"ORv3 battery shelf\"}]'")
                         .out,
                     "ORv3 battery shelf"));
}

TEST_CASE("a timeline shows watts and clocks beside work", "[tools][wave]") {
  const testing::ProgramRoom room;
  REQUIRE(room.run("run llama3-8b-h100-64 --cap 60% --timeline trace.json --quiet").code == 0);
  const std::string trace = testing::content(room.at("trace.json"));
  CHECK(testing::has(trace, "power of a rank with its share of the host, W"));
  CHECK(testing::has(trace, "clock of a rank, % of the reference"));
  CHECK(testing::has(trace, "\"args\":{\"W\":"));
}

}  // namespace clusterwright
