// SPDX-License-Identifier: Apache-2.0
// `share` against `run`, and with wrong words.
#include <fmt/format.h>

#include <string>

#include "sim/plain_number.hpp"
#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string shared = "share llama3-8b-h100-64 mixtral-8x7b-h100";

double number_of(const JsonValue& value, const char* key) {
  return value.at(key).as_number();
}

}  // namespace

TEST_CASE("run confirms each share digit for digit", "[tools][share]") {
  const ProgramRoom room;
  const JsonValue free = room.run(shared + " --power 1GW --format json").json();
  const double budget = 0.85 * number_of(free, "free_kw");
  const JsonValue answer = room.run(shared + " --power " + plain_number(budget, 6) + "kW --format json").json();
  for (const JsonValue& division : answer.at("divisions").elements()) {
    double drawn = 0;
    for (const JsonValue& share : division.at("jobs").elements()) {
      drawn += number_of(share, "drawn_kw");
      const int gpus = static_cast<int>(number_of(share.at("step"), "gpus"));
      std::string words = fmt::format("run {} --gpus {} --format json", share.at("job").as_text(), gpus);
      if (!share.at("limit_w").is_null()) words += " --cap " + plain_number(number_of(share, "limit_w"), 6) + "W";
      const JsonValue run = room.run(words).json();
      CHECK(number_of(run, "step_time_s") == number_of(share.at("step"), "step_time_s"));
      CHECK(number_of(run.at("power"), "nodes_kw_mean") == number_of(share.at("step").at("power"), "nodes_kw_mean"));
      CHECK(number_of(run.at("power"), "facility_kw_mean") == Approx(number_of(share, "facility_kw_mean")));
      CHECK(number_of(share, "drawn_kw") > number_of(share, "facility_kw_mean"));  // the design day is the hottest
    }
    CHECK(drawn <= budget * (1 + 1e-5));
  }
}

TEST_CASE("the text of share says what to do next, and that command runs", "[tools][share]") {
  const ProgramRoom room;
  const Outcome outcome = room.run(shared + " --power 1200kW");
  REQUIRE(outcome.code == 0);
  const std::size_t next = outcome.out.find("Next: clusterwright ");
  REQUIRE(next != std::string::npos);
  std::string words = outcome.out.substr(next + 20);
  words = words.substr(0, words.find('\n'));
  CHECK(room.run(words).code == 0);
  for (const char* power : {"Grid, design day", "Grid, year mean"}) CHECK(outcome.out.find(power) != std::string::npos);
  for (const char* format : {"csv", "md"})
    CHECK(room.run(shared + " --power 1200kW --format " + format).out.find("proportional") != std::string::npos);
}

TEST_CASE("share refuses what means nothing", "[tools][share]") {
  check_refused("share llama3-8b-h100-64 --power 1MW", "E0404", "one job has nobody to share with");
  check_refused(shared, "E0404", "share needs the power");
  check_refused(shared + " --power 20kW", "E0368", "does not feed the jobs");
  check_refused(shared + " --power 5", "E0403", "--power");
  check_refused(shared + " --power 1MW --weights 1,2,3", "E0404", "3 weights for 2 jobs");
  check_refused(shared + " --power 1MW --weights 1,0", "E0403", "must be > 0");
  check_refused("share llama3-8b-h100-64 llama3-70b-mixed --power 1MW", "E0324", "a division of power");
}

TEST_CASE("shares do not depend on the number of threads", "[tools][share]") {
  const ProgramRoom room;
  const std::string words = shared + " --power 1200kW --format json";
  CHECK(room.run(words + " --threads 1").out == room.run(words + " --threads 3").out);
}

TEST_CASE("a job that does not fit ends share", "[tools][share]") {
  const ProgramRoom room;
  const Outcome outcome = room.run(
      "share llama3-8b-h100-64 llama3-8b-h100-64 --power 1MW --set job.recompute=none --set job.global_batch=1024 "
      "--set job.micro_batch=16");
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("does not fit") != std::string::npos);
}
