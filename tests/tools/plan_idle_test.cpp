// SPDX-License-Identifier: Apache-2.0
// `plan` where its own words could contradict each other: days against tokens, idle accelerators, halls that suit no
// node.
#include <fmt/format.h>

#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// TP 1 of 20 accelerators takes 5 of each 8, so four nodes are bought.
const std::string idle_plan = "plan llama3-8b --tokens 1T --days 60 --on B200 --gpus 20 --precisions bf16";

JsonValue first_plan_of(const ProgramRoom& room, const std::string& question) {
  return json_answer(room, question).at("frontier").elements().front();
}

}  // namespace

TEST_CASE("without tokens the days of a plan are those that its tokens take", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --days 60 --on B200 --precisions bf16 --gpus 64 --budget 20M";
  const JsonValue best = first_plan_of(room, question);
  const JsonValue& days = best.at("days");
  CHECK(days.at("value").as_number() == Approx(60));
  CHECK(days.at("low").as_number() < 0.9 * 60);
  CHECK(days.at("high").as_number() > 1.1 * 60);
  const std::string confirm = best.at("confirm").as_text();
  const JsonValue paid = json_answer(room, confirm.substr(std::string("clusterwright ").size())).at("run_cost");
  CHECK(days.at("value").as_number() == Approx(paid.at("paid_days").as_number()).epsilon(1e-4));
  REQUIRE(room.run(question + " -o plan.html --quiet").code == 0);
  CHECK(has(content(room.at("plan.html")), "Money against tokens"));
  CHECK(has(content(room.at("plan.html")), ">T tokens</text>"));
}

TEST_CASE("a plan rents the idle accelerators of its nodes too, as run does", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue best = first_plan_of(room, idle_plan);
  CHECK(best.at("gpus").as_integer() == 20);
  CHECK(best.at("idle_gpus").as_integer() == 12);
  const double rent = best.at("rent_usd").as_number();
  const std::string confirm = best.at("confirm").as_text();
  const std::string same = confirm.substr(std::string("clusterwright size").size());
  const JsonValue run = json_answer(room, "run" + same + " --set prices.rent_usd_per_accelerator_hour=6");
  CHECK(rent == Approx(run.at("training_run").at("rent_usd").as_number()).epsilon(1e-9));
  CHECK(rent == Approx(32 * 6 * 24 * best.at("days").at("value").as_number()).epsilon(1e-9));
}

TEST_CASE("a search rents the idle accelerators too", "[tools][search]") {
  const ProgramRoom room;
  const Outcome found = room.run("search llama3-8b --on B200 --gpus 20 --objective cost --set job.precision=bf16");
  CHECK(has(found.out, "At $6.000 per GPU-hour, rent follows the step time: 32 GPUs are held either way."));
  const JsonValue best =
      json_answer(room, "search llama3-8b --on B200 --gpus 20 --objective cost").at("plans").elements().front();
  const double million_tokens_per_hour = best.at("tokens_per_s").as_number() * 3600 / 1e6;
  CHECK(best.at("usd_per_million_tokens").as_number() == Approx(32 * 6 / million_tokens_per_hour));
}

TEST_CASE("a row of a plan names the accelerators that are bought beside those in use", "[tools][plan]") {
  const ProgramRoom room;
  CHECK(has(room.run(idle_plan).out, "20 of 32 x B200, bf16 in HGX B200"));
  REQUIRE(room.run(idle_plan + " -o plan.csv").code == 0);
  CHECK(has(content(room.at("plan.csv")), "20 of 32 x B200"));
  const Outcome whole = room.run("plan llama3-8b --tokens 1T --days 60 --on B200 --gpus 32 --precisions bf16");
  CHECK(has(whole.out, "\n32 x B200, bf16"));
}

TEST_CASE("a cluster that is named by its nodes counts those that are bought", "[tools][plan]") {
  const ProgramRoom room;
  const std::string words = " llama3-8b --on B200 --gpus 20 --set job.parallel.tensor=1";
  for (const char* command : {"size", "run"}) {
    const std::string out = room.run(command + words).out;
    INFO(out);
    CHECK(has(out, "(HGX B200 8-GPU (OEM 4-10U))"));
    CHECK_FALSE(has(out, "3 x HGX"));
  }
  CHECK(has(room.run("size" + words).out, "4 HGX B200"));
}

TEST_CASE("a hall that suits no number of nodes is the reason, not the days", "[tools][plan]") {
  const std::string question = "plan llama3-8b --tokens 4T --days 30 --precisions bf16 ";
  check_refused(question + "--on H100-SXM --hall direct-to-chip", "E0369",
                "air for the nodes: DGX H100 is sold for air only");
  check_refused(question + "--on GB200-GPU --hall air", "E0369", "cooling: one GB200 NVL72 rack does not fit");
  const ProgramRoom room;
  const Outcome both = room.run(question + "--on H100-SXM,B200 --hall direct-to-chip");
  CHECK(both.code == 0);
  CHECK(has(both.out, "Not planned: DGX H100, bf16: air for the nodes: DGX H100 is sold for air only"));
  CHECK_FALSE(has(both.out, "without any wait"));
}
