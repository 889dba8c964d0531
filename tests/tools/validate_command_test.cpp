// `clusterwright validate` as a user runs it.
#include <algorithm>
#include <cmath>

#include "sim/json_writer.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::filesystem::path measurements = CLUSTERWRIGHT_MEASUREMENTS;

JsonValue cases_of(const std::string& file) {
  return read_json_file(measurements / file).at("cases");
}

const JsonValue& shipped() {
  static const JsonValue answer = ProgramRoom().run("validate --cross --format json").json();
  return answer;
}

const JsonValue& named(const JsonValue& list, const std::string& name) {
  const auto at = std::find_if(list.elements().begin(), list.elements().end(),
                               [&](const JsonValue& one) { return one.at("name").as_text() == name; });
  REQUIRE(at != list.elements().end());
  return *at;
}

double median(const JsonValue& list, const std::string& name) {
  return named(list, name).at("median_abs_log").as_number();
}

/// The first collective of the set, with one text replaced, as a file of its own.
std::string one_case(const std::string& from, const std::string& to) {
  JsonValue list = JsonValue::list();
  list.push_back(cases_of("collectives.json").elements().front());
  std::string text = write_json(JsonValue::object({{"schema", 1}, {"cases", list}}));
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

int code_of(const std::string& arguments) {
  return ProgramRoom().run(arguments).code;
}

}  // namespace

TEST_CASE("validate answers every case in its place", "[cli][validate]") {
  const JsonValue& answer = shipped();
  CHECK(answer.at("schema").as_number() == 1);
  CHECK(answer.at("simulator").as_text().starts_with("clusterwright "));
  const auto& results = answer.at("results").elements();
  const JsonValue cases = cases_of("collectives.json");
  REQUIRE(results.size() == cases.elements().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const JsonValue& published = cases.elements()[i];
    INFO(published.at("id").as_text());
    CHECK(results[i].at("id").as_text() == published.at("id").as_text());
    CHECK(results[i].at("status").as_text() == "ok");
    CHECK(results[i].at("unit").as_text() == "us");
    CHECK_FALSE(results[i].at("reason").as_text().empty());
    const auto& predicted = results[i].at("predicted").elements();
    REQUIRE(predicted.size() == published.at("collective").at("points").elements().size());
    for (std::size_t p = 0; p < predicted.size(); ++p) {
      const double value = predicted[p].as_number();
      CHECK(std::isfinite(value));
      CHECK(value > 0);
      CHECK(results[i].at("low").elements().at(p).as_number() <= value);
      CHECK(value <= results[i].at("high").elements().at(p).as_number());
    }
  }
}

TEST_CASE("validate sums up by family, over all, and over what was left out", "[cli][validate]") {
  const JsonValue& answer = shipped();
  for (const char* key : {"name", "n", "coverage", "median_abs_log", "p90_abs_log", "bias", "within_10_percent",
                          "in_interval", "median_half_width"}) {
    CHECK(answer.at("overall").find(key));
    for (const JsonValue& family : answer.at("families").elements()) CHECK(family.find(key));
  }
  CHECK(answer.at("cross_validation").at("by_size").elements().size() == 2);
  CHECK(answer.at("cross_validation").at("by_accelerator").elements().size() == 4);
  CHECK(answer.at("parameters_used").as_number() > 0);
  CHECK(answer.find("baseline_constant"));
  CHECK(ProgramRoom().run("validate --format json").json().at("cross_validation").is_null());
}

// Upper bounds of what docs/validation.md states.
TEST_CASE("predictions are as near as the documentation says", "[cli][validate]") {
  const JsonValue& families = shipped().at("families");
  CHECK(median(families, "nccl-intranode") <= 0.05);
  CHECK(median(families, "nccl-intranode-blackwell") <= 0.06);
  CHECK(median(families, "nccl-multinode") <= 0.10);
  for (const JsonValue& family : families.elements()) {
    INFO(family.at("name").as_text());
    CHECK(family.at("coverage").as_number() == 1);
    CHECK(family.at("in_interval").as_number() >= 0.85);
  }
}

TEST_CASE("what was left out of the fits is as near as the documentation says", "[cli][validate]") {
  const JsonValue& cross = shipped().at("cross_validation");
  CHECK(median(cross.at("by_size"), "rank count left out, from 1 MB") <= 0.08);
  CHECK(median(cross.at("by_size"), "rank count left out, below 1 MB") <= 0.10);
  CHECK(median(cross.at("by_accelerator"), "sibling left out, from 1 MB") <= 0.08);
  CHECK(median(cross.at("by_accelerator"), "generation left out, from 1 MB") <= 0.18);
}

TEST_CASE("an error beyond what is allowed ends with 3", "[cli][validate]") {
  CHECK(code_of("validate --max-error 0.001") == 3);
  CHECK(code_of("validate --max-error 0.5") == 0);
  CHECK(code_of("validate") == 0);
}

TEST_CASE("cases without a model say why", "[cli][validate]") {
  const ProgramRoom room;
  const JsonValue steps =
      room.run("validate --format json --cases '" + (measurements / "training-tpu.json").string() + "'").json();
  CHECK(steps.at("results").elements().size() == cases_of("training-tpu.json").elements().size());
  for (const JsonValue& result : steps.at("results").elements()) {
    CHECK(result.at("status").as_text() == "unsupported");
    CHECK_FALSE(result.at("reason").as_text().empty());
    CHECK_FALSE(result.find("predicted"));
  }
  CHECK(steps.at("overall").at("coverage").as_number() == 0);
  room.write("cases.json", one_case("\"H800\"", "\"H999\""));
  const JsonValue unknown = room.run("validate --format json --cases cases.json").json();
  CHECK(unknown.at("results").elements().at(0).at("status").as_text() == "unsupported");
  CHECK(has(unknown.at("results").elements().at(0).at("reason").as_text(), "no such accelerator"));
}

TEST_CASE("a limit is missed where nothing can be predicted", "[cli][validate]") {
  const ProgramRoom room;
  room.write("cases.json", one_case("\"H800\"", "\"H999\""));
  CHECK(room.run("validate --cases cases.json --max-error 0.5").code == 3);
  CHECK(room.run("validate --cases cases.json").code == 0);
}

TEST_CASE("several files are judged together", "[cli][validate]") {
  const std::string collectives = "'" + (measurements / "collectives.json").string() + "'";
  const std::string steps = "'" + (measurements / "training-tpu.json").string() + "'";
  const JsonValue both = ProgramRoom().run("validate --format json --cases " + collectives + " " + steps).json();
  CHECK(both.at("results").elements().size() ==
        cases_of("collectives.json").elements().size() + cases_of("training-tpu.json").elements().size());
  CHECK(both.at("inputs").elements().size() >= 2);
}

TEST_CASE("validate refuses files that it cannot read, at the place", "[cli][validate]") {
  const ProgramRoom room;
  const std::string path = room.write("broken.json", "{\"schema\": 1, \"cases\": [").string();
  check_refused("validate --cases '" + path + "'", "E0101", "broken.json:1:");
  const auto refused = [&](const std::string& from, const std::string& to, const char* code, const char* place) {
    const std::string file = room.write("case.json", one_case(from, to)).string();
    check_refused("validate --cases '" + file + "'", code, place);
  };
  refused("\"ranks\":", "\"rank\":", "E0104", "case.json:");
  refused("\"ranks\": 8", "\"ranks\": \"8\"", "E0201", "case.json:");
  refused("\"ranks_per_node\": 8", "\"ranks_per_node\": 0", "E0202", "case.json:");
  check_refused("validate --cases nothing.json", "E0401", "nothing.json");
  check_refused("validate --max-error much", "E0403", "--max-error:1:1");
  check_refused("validate --max-errors 0.1", "E0404", "did you mean \"--max-error\"?");
  check_refused("validate --format html", "E0404", "--format");
}

TEST_CASE("tables of validate name families, what was left out, and the largest errors", "[cli][validate]") {
  const ProgramRoom room;
  const std::string table = room.run("validate --cross").out;
  for (const char* part : {"nccl-intranode-blackwell", "generation left out, below 1 MB", "Largest errors",
                           "Fitted parameters behind these predictions"})
    CHECK(has(table, part));
  CHECK(room.run("validate --format md").out.starts_with("# Validation"));
  const std::string csv = room.run("validate --format csv").out;
  CHECK(csv.starts_with("id,family,status,point,measured,predicted,low,high,unit\r\n"));
}
