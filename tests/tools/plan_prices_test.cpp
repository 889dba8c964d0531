// SPDX-License-Identifier: Apache-2.0
// `plan` of machines without a whole price, of rented ones, and what it takes for the best of them.
#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr double h200_hour = 3.8;  // dollars of rent in configs/prices/default.json

double figure_of(const JsonValue& value, const char* key) {
  return value.at(key).as_number();
}

const JsonValue& best_of(const JsonValue& answer) {
  return answer.at("frontier").elements()[static_cast<std::size_t>(figure_of(answer, "best"))];
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("rented machines cost their run and nothing to buy", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on 'AWS p5en.48xlarge' --gpus 128";
  const JsonValue answer = room.run(question + " --precisions bf16 --format json").json();
  const JsonValue& best = best_of(answer);
  CHECK(best.at("rented").as_boolean());
  CHECK_FALSE(best.at("lower_bound").as_boolean());
  CHECK(best.at("capex_usd").is_null());
  CHECK(figure_of(best, "run_usd") == Approx(128 * 24 * figure_of(best.at("days"), "value") * h200_hour));
  CHECK(figure_of(best, "rent_usd") == figure_of(best, "run_usd"));
  const std::string text = room.run(question + " --precisions bf16").out;
  CHECK(has(text, "Cheapest run: 128 x H200"));
  CHECK(has(text, "Nothing is bought: the rent of the accelerators for the run is $"));
  CHECK(has(text, " at $3.80 an accelerator-hour."));
  CHECK_FALSE(has(text, "No price list states a rent"));
  CHECK_FALSE(has(text, "$0 M"));
}

TEST_CASE("bought and rented machines stand in the order of what the run costs", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question =
      "plan llama3-8b --tokens 1T --days 60 --on 'H100-SXM,AWS p5en.48xlarge' --gpus 64,128,256 --precisions bf16";
  const JsonValue answer = room.run(question + " --format json").json();
  for (const JsonValue& plan : answer.at("frontier").elements())
    CHECK(figure_of(plan, "run_usd") >= figure_of(best_of(answer), "run_usd"));
  CHECK(answer.at("accelerators").elements().size() == 2);
  for (const JsonValue& plan : answer.at("accelerators").elements()) {
    CHECK(plan.at("capex_usd").is_null() == plan.at("rented").as_boolean());
    CHECK(plan.at("may_wait_days").is_null());
  }
  CHECK(has(room.run(question).out, "Rented machines take part: all rank by the money of the run"));
  CHECK(room.run(question + " -o plan.html --quiet").code == 0);
  CHECK(has(content(room.at("plan.html")), "the run, $ M"));
}

TEST_CASE("a budget of days alone rents as many machines as it pays for", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue answer =
      room.run("plan llama3-8b --days 60 --budget 1M --on 'AWS p5en.48xlarge' --precisions bf16 --format json").json();
  const JsonValue& best = best_of(answer);
  // 60 days of one accelerator are 60 x 24 x 3.80 = 5,472 dollars: 182 are paid for, in whole nodes 176.
  CHECK(figure_of(best, "run_usd") == Approx(figure_of(best, "gpus") * 60 * 24 * h200_hour));
  CHECK(figure_of(best, "gpus") <= 182);
  CHECK(figure_of(best, "gpus") >= 160);
}

TEST_CASE("a machine without a whole price is not called the cheapest", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on B200,TPU-v7x --precisions bf16";
  const JsonValue answer = room.run(question + " --format json").json();
  CHECK(best_of(answer).at("accelerator").as_text() == "B200");
  CHECK_FALSE(best_of(answer).at("lower_bound").as_boolean());
  const auto& each = answer.at("accelerators").elements();
  REQUIRE(each.size() == 2);
  CHECK(each[1].at("accelerator").as_text() == "TPU-v7x");
  CHECK(each[1].at("lower_bound").as_boolean());
  const std::string text = room.run(question).out;
  CHECK(has(text, "  at least  "));  // in its row
  CHECK(has(text, " x TPU-v7x, bf16 has no whole price: the list has none of "));
  CHECK(has(text, "Cheapest: "));
}

TEST_CASE("whether an unpriced machine keeps to the budget is said to be open", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --budget 20M --on B200,TPU-v7x --precisions bf16";
  const JsonValue answer = room.run(question + " --objective days --format json").json();
  CHECK(best_of(answer).at("accelerator").as_text() == "B200");
  for (const JsonValue& plan : answer.at("frontier").elements())
    CHECK(plan.at("budget_open").as_boolean() == plan.at("lower_bound").as_boolean());
  CHECK(has(room.run(question).out, "Whether it keeps to the budget is open."));
}

TEST_CASE("where no price is whole, no plan is the cheapest", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on TPU-v7x --precisions bf16";
  const auto answer = room.run(question);
  CHECK(answer.code == 0);
  CHECK(has(answer.out, "No plan that meets the targets has a whole price, so none is called the cheapest."));
  CHECK(has(answer.out, "Least sum of what has a price: "));
  CHECK(has(answer.out, " days, at least $"));
  CHECK_FALSE(has(answer.out, "Cheapest"));
  const JsonValue document = room.run(question + " --format json").json();
  CHECK(document.at("best").is_null());
  CHECK_FALSE(document.at("frontier").elements().empty());
}

TEST_CASE("without days the fastest machine within the targets is the best", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --budget 3M --on B200 --precisions bf16";
  const JsonValue fastest = room.run(question + " --format json").json();
  CHECK(figure_of(fastest, "best") == 0);
  for (const JsonValue& plan : fastest.at("frontier").elements())
    CHECK(figure_of(plan.at("days"), "value") >= figure_of(best_of(fastest).at("days"), "value"));
  CHECK(figure_of(best_of(fastest).at("capex_usd"), "value") > 2e6);  // most of the budget
  const std::string text = room.run(question).out;
  CHECK(has(text, "1.000 T tokens in the least time within $3.000 M"));
  CHECK(has(text, "Fastest: "));
  CHECK(has(text, "Without --days the best plan is the one that takes the least time within the targets"));
  const auto cheapest = room.run(question + " --objective cost");
  CHECK(has(cheapest.out, "Cheapest: "));
  CHECK_FALSE(has(cheapest.out, "Without --days"));
}

TEST_CASE("tokens without their unit are refused", "[tools][plan]") {
  check_refused("plan llama3-8b --tokens 15 --days 30", "E0404", "did you mean 15T?");
  check_refused("plan llama3-8b --tokens 15 --days 30", "E0404", "--tokens:1:1");
  check_refused("plan llama3-8b --tokens 500k --days 30", "E0404", "write tokens with M, B or T: 15T");
  check_refused("plan llama3-8b --tokens 1M --days 30 --on B200 --set job.global_batch=512", "E0404",
                "1,000,000 tokens are fewer than the 4,194,304 of one global batch");
}

TEST_CASE("the next command names a field once, and a fitted batch is said", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on B200 --precisions bf16 --gpus 16";
  const std::string fitted = room.run(question + " --set job.global_batch=500").out;
  CHECK(count_of(fitted, "job.global_batch=") == 1);
  CHECK(has(fitted, "job.global_batch=496"));  // 31 x 16
  CHECK(has(fitted, "Its global batch is 496 sequences, not 500, so that its replicas share it evenly."));
  const std::string stated = room.run(question + " --set job.global_batch=512").out;
  CHECK(count_of(stated, "job.global_batch=") == 1);
  CHECK_FALSE(has(stated, "Its global batch is"));
}
