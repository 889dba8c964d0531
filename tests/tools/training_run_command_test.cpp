// SPDX-License-Identifier: Apache-2.0
// A job with an end, as a user runs it: the same run from every command, in every format.
#include <fmt/format.h>

#include <cmath>

#include "sim/json_writer.hpp"
#include "support/program_room.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string llama_405b = shipped_file("scenarios/llama3-405b-h100");
const std::string with_end = "--set job.tokens=15600000000000 ";

JsonValue answer(const std::string& arguments) {
  const Outcome outcome = ProgramRoom().run(arguments + " --format json");
  INFO(arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.json();
}

void check_interval(const JsonValue& object, const std::string& key) {
  INFO(key);
  CHECK(number(object, "/" + key + "_low") < number(object, "/" + key));
  CHECK(number(object, "/" + key) < number(object, "/" + key + "_high"));
}

}  // namespace

TEST_CASE("run, scale, size and audit agree on the days of a run, and its arithmetic can be done by hand",
          "[cli][training_run]") {
  const JsonValue run = answer("run " + llama_405b + with_end);
  const JsonValue& training = run.at("training_run");
  const double days = number(training, "/days");
  // 15.6e12 / (2,048 x 8,192) = 929,832.5 steps
  CHECK(training.at("steps").as_integer() == 929'833);
  CHECK(days == Approx(929'833 * number(run, "/step_time_s") / 86'400).epsilon(1e-12));
  CHECK(days == Approx(15.6e12 / number(run, "/tokens_per_s") / 86'400).epsilon(1e-6));
  CHECK(number(training, "/gpu_hours") == Approx(16'384 * 24 * days));
  CHECK(number(training, "/nodes_mwh") == Approx(number(run, "/power/nodes_kw_mean") / 1000 * 24 * days));
  CHECK(number(training, "/it_mwh") == Approx(number(run, "/power/it_kw_mean") / 1000 * 24 * days));
  CHECK(number(training, "/facility_mwh") == Approx(number(run, "/power/facility_kw_mean") / 1000 * 24 * days));
  for (const char* key : {"days", "gpu_hours", "nodes_mwh", "it_mwh", "facility_mwh"}) check_interval(training, key);
  CHECK(number(training, "/days_low") / days == Approx(number(run, "/low") / number(run, "/step_time_s")));

  const JsonValue curve = answer("scale " + llama_405b + with_end + "--gpus 8192,16384");
  CHECK(write_json(curve.at("points").elements()[1].at("training_run")) == write_json(training));
  const JsonValue size = answer("size " + llama_405b + with_end);
  CHECK(write_json(size.at("step").at("training_run").at("days")) == write_json(training.at("days")));
  CHECK(write_json(size.at("step").at("training_run").at("gpu_hours")) == write_json(training.at("gpu_hours")));

  const ProgramRoom room;
  const std::string configs = CLUSTERWRIGHT_CONFIGS;
  room.write("blueprint.json", R"({"name": "405B", "cluster": ")" + configs + R"(/clusters/llama3-report.json",
    "transformer": ")" + configs + R"(/transformers/llama3-405b.json",
    "job": )" + write_json(run.at("scenario").at("job"), -1) +
                                   R"(,
    "claims": [{"claim": "training_days", "stated": 70}]})");
  const Outcome audited = room.run("audit blueprint.json --format json");
  INFO(audited.err);
  REQUIRE(audited.code == 0);
  // A claim is judged with failures and checkpoints; the days without them stand beside.
  const JsonValue claim = audited.json().at("claims").elements()[0];
  CHECK(claim.at("computed").as_number() > 1.05 * days);
  CHECK(has(claim.at("arithmetic").as_text(), fmt::format("= {:.0f} days", days)));
}

TEST_CASE("size prices the hours that are paid, and says which use and goodput its prices assume",
          "[cli][training_run]") {
  const JsonValue size = answer("size " + llama_405b + with_end);
  const JsonValue& cost = size.at("run_cost");
  const double hours = number(cost, "/paid_gpu_hours");
  CHECK(number(cost, "/utilisation") == 0.85);
  CHECK(number(cost, "/goodput") == 0.9);
  CHECK(number(cost, "/paid_days") == Approx(number(size, "/step/training_run/days") / 0.9));
  CHECK(hours == Approx(16'384 * 24 * number(cost, "/paid_days")));
  CHECK(number(cost, "/usd") == Approx(hours * number(size, "/cost/usd_per_gpu_hour/total")));
  CHECK(number(cost, "/usd") ==
        Approx(number(size, "/step/training_run/tokens") / 1e6 * number(size, "/cost/usd_per_million_tokens")));
  CHECK(number(cost, "/usd") ==
        Approx(number(cost, "/capital_usd") + number(cost, "/operations_usd") + number(cost, "/energy_usd")));
  CHECK(number(cost, "/it_mwh") == Approx(number(size, "/it_kw") / 1000 * 24 * number(cost, "/paid_days")));
  CHECK(number(cost, "/facility_mwh") == Approx(number(cost, "/it_mwh") * number(size, "/pue")));
  for (const char* key : {"paid_days", "paid_gpu_hours", "it_mwh", "facility_mwh", "usd"}) check_interval(cost, key);
  const std::string text = ProgramRoom().run("size " + llama_405b + with_end).out;
  CHECK(has(text, "a year at 85 % use"));
  CHECK(has(text, "at 85 % use and 90 % goodput"));
  CHECK(has(text, "at 85 % use over 5 years"));
  CHECK(has(text, "without failures and"));
}

TEST_CASE("run and scale give dollars where a rent is known, and say what to give where none is",
          "[cli][training_run]") {
  const std::string rented = llama_405b + with_end + "--set prices=2024-h100 ";
  const JsonValue run = answer("run " + rented);
  const JsonValue& training = run.at("training_run");
  CHECK(number(training, "/rent_usd") == Approx(number(training, "/gpu_hours") / 0.9 * 2.5));  // 27.5 M / 0.9 x $2.50
  CHECK(number(training, "/goodput") == Approx(0.9));
  check_interval(training, "rent_usd");
  // The scenario in the result repeats the result.
  const ProgramRoom room;
  room.write("again.json", write_json(run.at("scenario")));
  CHECK(write_json(room.run("run again.json --format json").json().at("training_run")) == write_json(training));
  CHECK(has(ProgramRoom().run("run " + rented).out, "at $2.50 per GPU-hour and 90"));
  CHECK(has(ProgramRoom().run("scale --gpus 16384 " + rented).out,
            "Rent is paid at $2.50 per GPU-hour and 90 % goodput."));
  const Outcome open = ProgramRoom().run("run " + llama_405b + with_end);
  CHECK(has(open.out, "prices.rent_usd_per_accelerator_hour"));
  CHECK(answer("run " + llama_405b + with_end).at("training_run").at("rent_usd").is_null());
  CHECK(has(ProgramRoom().run("scale --gpus 16384 " + llama_405b + with_end).out,
            "Cost: `clusterwright size` prices the run"));
}

TEST_CASE("prices that no rent uses are refused on the command line of run", "[cli][training_run]") {
  const std::string rented = "run " + llama_405b + "--set prices=2024-h100 ";
  check_refused("run " + llama_405b + "--set prices.rent_usd_per_accelerator_hour=2", "E0339",
                "size reads it");  // the job has no end
  CHECK(ProgramRoom().run(rented + with_end + "--set prices.goodput=0.8").code == 0);
  check_refused(rented + with_end + "--set prices.interest=0.2", "E0339",
                "prices.interest changes nothing here: size reads it");
}

TEST_CASE("every format shows the run, and none does without an end", "[cli][training_run]") {
  const ProgramRoom room;
  for (const std::string command : {"run ", "scale --gpus 8192,16384 ", "size "}) {
    INFO(command);
    CHECK(room.run(command + llama_405b + with_end + "-o a.txt -o a.csv -o a.md -o a.html").code == 0);
    for (const char* file : {"a.txt", "a.md", "a.html"}) {
      INFO(file);
      CHECK(has(content(room.at(file)), "Training run"));
    }
    CHECK(has(content(room.at("a.csv")), "gpu_hours") == (command != "size "));  // size writes the bill
    const Outcome open = room.run(command + llama_405b + "--format md");
    CHECK_FALSE(has(open.out, "Training run"));
  }
  CHECK(answer("size " + llama_405b).at("run_cost").is_null());
  CHECK(answer("run " + llama_405b).at("training_run").is_null());
}

TEST_CASE("a run that is given twice is refused where it stands", "[cli][training_run]") {
  check_refused("run " + llama_405b + with_end + "--set job.steps=5", "E0355", "given twice");
  for (const char* bad : {"job.tokens=0", "job.tokens=2.5", "job.tokens=1000000000000000000000", "job.steps=0"})
    CHECK(ProgramRoom().run("run " + llama_405b + "--set " + bad).code == 2);
  const ProgramRoom room;
  const std::string blueprint = shipped_file("blueprints/dense-500b-1200-h100");
  check_refused(room, "audit " + blueprint + "--set job.steps=5 --set training_tokens=1e12", "E0355",
                "by the blueprint and by its job");
  check_refused("collective " + llama_405b + "--bytes 1M --gpus 16 " + with_end, "E0402", "it reads no job");
}

TEST_CASE("a job that does not fit has the time that it would take, and no price", "[cli][training_run]") {
  const Outcome outcome = ProgramRoom().run("size " + shipped_file("scenarios/llama3-8b-single-node") +
                                            "--set job.tokens=1000000000 --set transformer='" CLUSTERWRIGHT_CONFIGS
                                            "/transformers/llama3-70b.json' --format json");
  CHECK(outcome.code == 1);
  const JsonValue size = outcome.json();
  CHECK(size.at("run_cost").is_null());
  CHECK(number(size, "/step/training_run/days") > 0);
}
