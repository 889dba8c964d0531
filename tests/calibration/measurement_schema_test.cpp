// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measurement_schema.hpp"

#include <fstream>

#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path folder = CLUSTERWRIGHT_MEASUREMENTS;

const MeasurementSchema& schema() {
  static const MeasurementSchema shared(read_json_file(folder / "schema.json"));
  return shared;
}

/// A case that holds, to be broken in one place.
JsonValue whole_case() {
  static const JsonValue cases = read_json_file(folder / "training-vtrain-a100.json").at("cases");
  return cases.elements().front();
}

void check_broken(const JsonValue& measurement, const std::string& code, const std::string& pointer) {
  const std::vector<Diagnostic> errors = schema().check(measurement, "/cases/0");
  INFO(write_json(measurement));
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().code == code);
  CHECK(errors.front().places.front().pointer == pointer);
}

}  // namespace

TEST_CASE("every shipped case holds against the schema", "[calibration][validation]") {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "schema.json") continue;
    for (const ReadCase& one : read_cases(entry.path(), schema())) {
      INFO(one.measurement.id << (one.errors.empty() ? "" : one.errors.front().message)
                              << (one.ignored.empty() ? "" : one.ignored.front().message));
      CHECK(one.errors.empty());
      CHECK(one.ignored.empty());
      CHECK_FALSE(one.measurement.id.empty());
      ++cases;
    }
  }
  CHECK(cases > 3000);
}

TEST_CASE("what breaks the schema is named with its place", "[calibration][validation]") {
  CHECK(schema().check(whole_case(), "/cases/0").empty());
  JsonValue one = whole_case();
  one.find("job")->set("global_batch", -4);
  check_broken(one, "E0202", "/cases/0/job/global_batch");
  one = whole_case();
  one.find("model")->set("hidden", "wide");
  check_broken(one, "E0201", "/cases/0/model/hidden");
  one = whole_case();
  one.find("job")->set("batch", 4);
  check_broken(one, "E0102", "/cases/0/job/batch");
  one = whole_case();
  one.find("job")->set("sharding", "zero9");
  check_broken(one, "E0203", "/cases/0/job/sharding");
  one = whole_case();
  std::erase_if(one.members(), [](const auto& member) { return member.first == "job"; });
  check_broken(one, "E0104", "/cases/0");  // that its kind asks for, not every case
}

TEST_CASE("the words for networks are checked, though their key is called kind", "[calibration][validation]") {
  for (const char* network : {"scale_up", "scale_out"}) {
    JsonValue one = whole_case();
    one.find("hardware")->find(network)->set("kind", "string");
    check_broken(one, "E0203", std::string("/cases/0/hardware/") + network + "/kind");
  }
}

TEST_CASE("a list of another length is told how many entries it must hold", "[calibration][validation]") {
  JsonValue one = read_json_file(folder / "gemm.json").at("cases").elements().front();
  one.find("gemm")->find("points")->elements().front().elements().pop_back();
  check_broken(one, "E0202", "/cases/0/gemm/points/0");
  CHECK(schema().check(one, "").front().message == "must hold 4 entries (got 3)");
  one.find("gemm")->find("points")->elements().clear();
  CHECK(schema().check(one, "").front().message == "must hold at least 1 entry (got 0)");
}

TEST_CASE("parts and frameworks that nobody listed are no mistake, kinds are", "[calibration][validation]") {
  JsonValue one = whole_case();
  one.find("hardware")->set("accelerator", "H999");
  one.find("job")->set("framework", "tomorrow");
  CHECK(schema().check(one, "").empty());
  one.set("kind", "storage");  // no reader could say what it holds
  REQUIRE(schema().check(one, "").size() == 1);
  CHECK(schema().check(one, "").front().message.starts_with("must be one of: training_step, collective"));
}

TEST_CASE("a broken case keeps its place, its names and its errors", "[calibration][validation]") {
  JsonValue broken = whole_case(), nameless = whole_case(), list = JsonValue::list();
  broken.find("hardware")->set("accelerators", 0);
  std::erase_if(nameless.members(), [](const auto& member) { return member.first == "id"; });
  for (const JsonValue& one : {whole_case(), broken, nameless}) list.push_back(one);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "clusterwright-broken-cases.json";
  std::ofstream(file) << write_json(JsonValue::object({{"schema", 1}, {"cases", list}}));
  const std::vector<ReadCase> cases = read_cases(file, schema());
  std::filesystem::remove(file);
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].errors.empty());
  CHECK(cases[1].errors.front().code == "E0202");
  CHECK(cases[1].measurement.id == cases[0].measurement.id);
  CHECK(cases[1].measurement.family == cases[0].measurement.family);
  CHECK(cases[2].errors.front().code == "E0104");
  CHECK(cases[2].measurement.id == "/cases/2");
}

TEST_CASE("keys of a newer set are ignored and named", "[calibration][validation]") {
  JsonValue newer = whole_case(), misspelt = whole_case(), list = JsonValue::list();
  newer.find("job")->set("moe_router_dtype", "fp32");
  misspelt.find("job")->set("shardings", "zero1");
  std::erase_if(misspelt.find("job")->members(), [](const auto& member) { return member.first == "sharding"; });
  for (const JsonValue& one : {newer, misspelt}) list.push_back(one);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "clusterwright-newer-cases.json";
  std::ofstream(file) << write_json(JsonValue::object({{"schema", 1}, {"cases", list}}));
  const std::vector<ReadCase> cases = read_cases(file, schema());
  std::filesystem::remove(file);
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].errors.empty());
  REQUIRE(cases[0].ignored.size() == 1);
  CHECK(cases[0].ignored.front().places.front().pointer == "/cases/0/job/moe_router_dtype");
  CHECK(cases[1].errors.size() == 2);
}
