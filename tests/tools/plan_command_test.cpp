// SPDX-License-Identifier: Apache-2.0
// `plan` against `size`, at its edges, and with wrong words.
#include <fmt/format.h>

#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string small_plan = "plan llama3-8b --tokens 1T --days 60 --budget 20M --on H100-SXM,B200 --precisions bf16";
const std::string tight_plan = "plan llama3-8b --tokens 1T --days 30 --budget 20M --on H100-SXM,B200 --precisions bf16";

double number_at(const JsonValue& value, const char* key) {
  return value.at(key).as_number();
}

}  // namespace

TEST_CASE("size confirms the best purchase digit for digit", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue answer = room.run(small_plan + " --format json").json();
  const auto& frontier = answer.at("frontier").elements();
  REQUIRE_FALSE(frontier.empty());
  const JsonValue& best = frontier[static_cast<std::size_t>(number_at(answer, "best"))];
  std::string confirm = best.at("confirm").as_text();
  REQUIRE(confirm.starts_with("clusterwright "));
  const JsonValue sized = room.run(confirm.substr(std::string("clusterwright ").size()) + " --format json").json();
  CHECK(number_at(sized, "capex_usd") == number_at(best.at("capex_usd"), "value"));
  CHECK(number_at(sized, "facility_kw_rated") == Approx(1000 * number_at(best, "facility_mw")).epsilon(1e-12));
  CHECK(number_at(sized.at("racks"), "total") == number_at(best, "racks"));
  const JsonValue step =
      room.run("run" + confirm.substr(std::string("clusterwright size").size()) + " --format json").json();
  CHECK(number_at(step, "step_time_s") == number_at(best, "step_time_s"));
}

TEST_CASE("a purchase meets its targets, and the frontier is free of dominated plans", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue answer = room.run(small_plan + " --format json").json();
  const auto& frontier = answer.at("frontier").elements();
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    CHECK(number_at(frontier[i].at("days"), "value") <= 60);
    CHECK(number_at(frontier[i].at("capex_usd"), "value") <= 20e6);
    CHECK(number_at(frontier[i], "chance_in_time") >= 0.5);
    if (i > 0)
      CHECK(number_at(frontier[i].at("capex_usd"), "value") >= number_at(frontier[i - 1].at("capex_usd"), "value"));
  }
  CHECK(answer.at("accelerators").elements().size() == 2);
}

TEST_CASE("a purchase does not depend on the number of threads", "[tools][plan]") {
  const ProgramRoom room;
  CHECK(room.run(small_plan + " --threads 1").out == room.run(small_plan + " --threads 3").out);
}

TEST_CASE("a higher chance to be in time takes a larger machine", "[tools][plan]") {
  const ProgramRoom room;
  const auto best_of = [&](const std::string& more) {
    const JsonValue answer = room.run(tight_plan + more + " --format json").json();
    return answer.at("frontier").elements()[static_cast<std::size_t>(number_at(answer, "best"))];
  };
  const JsonValue usual = best_of(""), sure = best_of(" --chance 90%");
  CHECK(number_at(sure, "chance_in_time") >= 0.9);
  CHECK(number_at(sure, "gpus") > number_at(usual, "gpus"));
}

TEST_CASE("a plan that may well be late says so beside a surer one", "[tools][plan]") {
  const ProgramRoom room;
  const std::string usual = room.run(tight_plan).out;
  CHECK(usual.find("It is in time with a chance of ") != std::string::npos);
  CHECK(usual.find(" x B200, bf16 would be with ") != std::string::npos);
  const std::string sure = room.run(tight_plan + " --chance 95%").out;
  CHECK(sure.find("Cheapest: ") != std::string::npos);
  CHECK(sure.find("It is in time with") == std::string::npos);
}

TEST_CASE("targets that nothing meets name the nearest miss", "[tools][plan]") {
  const ProgramRoom room;
  const auto missed = room.run("plan llama3-8b --tokens 2T --days 30 --budget 3M --on H100-SXM --precisions bf16");
  CHECK(missed.code == 1);
  CHECK(has(missed.out, "Nothing meets all targets."));
  CHECK(has(missed.out, "With all but the money: "));
  CHECK(has(missed.out, "With all but the days: "));
}

TEST_CASE("the best without the budget is what plan finds without one", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question =
      "plan llama3-8b --tokens 2T --days 30 --on H100-SXM,B200 --precisions bf16 --format json";
  const JsonValue open = room.run(question).json();
  const JsonValue& best = open.at("frontier").elements()[static_cast<std::size_t>(number_at(open, "best"))];
  for (const char* budget : {"1M", "2M"}) {
    const JsonValue missed = room.run(question + " --budget " + budget).json();
    REQUIRE_FALSE(missed.at("misses").elements().empty());
    const JsonValue& miss = missed.at("misses").elements().back();  // the days come before the money
    INFO(budget);
    CHECK(miss.at("missed").as_text() == "money");
    CHECK(miss.at("node").as_text() == best.at("node").as_text());
    CHECK(number_at(miss, "gpus") == number_at(best, "gpus"));
  }
}

TEST_CASE("without tokens the plan with the most of them comes first", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue answer =
      room.run("plan llama3-8b --days 60 --budget 10M --on H100-SXM,B200 --precisions bf16 --format json").json();
  const auto& frontier = answer.at("frontier").elements();
  REQUIRE(frontier.size() > 1);
  CHECK(number_at(answer, "best") == 0);
  for (std::size_t i = 1; i < frontier.size(); ++i)
    CHECK(number_at(frontier[i], "trillion_tokens") <= number_at(frontier[i - 1], "trillion_tokens"));
  CHECK(number_at(frontier[0].at("capex_usd"), "value") > 7e6);  // most of the budget
  // A run that fills the days has the price of the days: tokens and their price grow together.
  const auto rent_of_one = [](const JsonValue& plan) { return number_at(plan, "rent_usd") / number_at(plan, "gpus"); };
  for (const JsonValue& plan : frontier)
    if (plan.at("accelerator").as_text() == frontier[0].at("accelerator").as_text())
      CHECK(rent_of_one(plan) == Approx(rent_of_one(frontier[0])).epsilon(1e-6));
}

TEST_CASE("without tokens the next command carries those of the answer", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --days 60 --budget 5M --on B200 --precisions bf16";
  const JsonValue answer = room.run(question + " --format json").json();
  const JsonValue& best = answer.at("frontier").elements().front();
  const std::string confirm = best.at("confirm").as_text();
  const std::string tokens = fmt::format("{:.0f}", 1e12 * number_at(best, "trillion_tokens"));
  CHECK(has(confirm, "job.tokens=" + tokens));
  CHECK(has(room.run(question).out, "Next: " + confirm));
  const JsonValue run =
      room.run(confirm.substr(std::string("clusterwright ").size()) + " --format json").json().at("run_cost");
  CHECK(number_at(run, "paid_days") <= 60 * (1 + 1e-9));
  CHECK(number_at(run, "paid_days") == Approx(60).epsilon(1e-4));  // a step less than the days at most
  CHECK(number_at(run, "usd") == Approx(number_at(best, "run_usd")).epsilon(1e-4));
}

TEST_CASE("a purchase says from how many runs on it is cheaper than rent", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on B200 --precisions bf16 --gpus 128";
  const JsonValue answer = room.run(question + " --format json").json();
  const JsonValue& best = answer.at("frontier").elements().front();
  const double runs = number_at(best, "break_even_runs");
  // Rent pays for operation and interest too, so it has to exceed the price of the machine.
  CHECK(runs * number_at(best, "rent_usd") > number_at(best.at("capex_usd"), "value"));
  const std::string confirm = best.at("confirm").as_text();
  const JsonValue cost =
      room.run(confirm.substr(std::string("clusterwright ").size()) + " --format json").json().at("cost");
  const double months = number_at(cost.at("rent"), "break_even_months");
  const double days_of_a_month = 365.25 / 12;
  CHECK(runs * number_at(best.at("days"), "value") ==
        Approx(months * days_of_a_month * number_at(cost, "utilisation")).epsilon(1e-9));
  const std::string text = room.run(question).out;
  CHECK(has(text, "To buy costs $"));
  CHECK(has(text, "for this run alone renting is cheaper"));
  CHECK_FALSE(has(text, "buying is cheaper."));
}

TEST_CASE("a layout that may not fit says so beside the chance to be in time", "[tools][plan]") {
  const ProgramRoom room;
  const std::string doubtful = "plan llama3-70b --tokens 15T --days 90 --on B200 --precisions fp8 --gpus 704";
  const JsonValue answer = room.run(doubtful + " --format json").json();
  const double fits = number_at(answer.at("frontier").elements().front(), "chance_fits");
  CHECK(fits > 0.5);   // the typical memory is below the capacity
  CHECK(fits < 0.95);  // and the end of its 90 % interval beyond
  CHECK(has(room.run(doubtful).out,
            fmt::format("Its layout may not fit in memory: it does with a chance of {:.0f} %", 100 * fits)));
  const std::string roomy = "plan llama3-8b --tokens 1T --days 90 --on MI355X --precisions bf16 --gpus 256";
  CHECK(number_at(room.run(roomy + " --format json").json().at("frontier").elements().front(), "chance_fits") > 0.95);
  CHECK_FALSE(has(room.run(roomy).out, "may not fit"));
}

TEST_CASE("accelerators that meet the targets at no size are named", "[tools][plan]") {
  const ProgramRoom room;
  const auto answer =
      room.run("plan llama3-8b --tokens 1T --days 30 --budget 2500k --on B200,A100-80-SXM --precisions bf16");
  REQUIRE(answer.code == 0);
  CHECK(has(answer.out, "beyond the targets at every size tried: A100-80-SXM."));
}

TEST_CASE("a purchase is a page to forward", "[tools][plan]") {
  const ProgramRoom room;
  REQUIRE(room.run(small_plan + " -o plan.html -o plan.csv -o plan.md --quiet").code == 0);
  const std::string page = content(room.at("plan.html"));
  CHECK(has(page, "<h1>Llama 3.1 8B: 1.000 T tokens in 60.0 days within $20.00 M</h1>"));
  CHECK(has(page, "p-limit"));
  CHECK(has(page, "The best of each accelerator"));
  CHECK_FALSE(has(page, "http://"));
  CHECK(content(room.at("plan.csv")).starts_with("machine,node,days,"));
  CHECK(has(content(room.at("plan.md")), "| Machine | Node |"));
}

TEST_CASE("wrong words of a purchase are refused", "[tools][plan]") {
  check_refused("plan llama3-8b", "E0404", "neither the tokens of the run nor its days");
  check_refused("plan llama3-8b --days 30", "E0404", "nothing limits the tokens");
  check_refused("plan llama3-8b --tokens 0 --days 30", "E0403", "must be > 0");
  check_refused("plan llama3-8b --tokens 1T --days 30 --on B20", "E0203", "unknown node or accelerator");
  check_refused("plan llama3-8b --tokens 1T --budget 5X", "E0403", "--budget");
  check_refused("plan llama3-8b --tokens 1T --days 30 --caps 150", "E0404", "no share of the rating");
  check_refused("plan llama3-8b --tokens 1T --days 30 --chance 100%", "E0404", "at most 99 %");
  check_refused("plan llama3-8b --tokens 99999999999T --days 30", "E0404", "at most 1,000,000 T tokens");
  check_refused("plan llama3-8b --tokens 1T --days 30 --hall nowhere", "E0203", "--hall:1:1");
  check_refused("plan llama3-8b --tokens 1T --days 30 --precisions fp4", "E0404", "unknown value \"fp4\"");
  check_refused("plan llama3-8b --tokens 1T --days 30 --on B200 --caps 10", "E0404", "B200 takes no less than 140 W");
  check_refused("plan llama3-8b --tokens 1T --days 30 --budget 150", "E0404", "did you mean 150M?");
  check_refused("plan llama3-8b --tokens 1T --days 30 --on B200 --budget 150k", "E0404", "buys no node: the cheapest");
  check_refused("plan nemo-2024 --tokens 1T --days 30", "E0401", "no such file");
}

TEST_CASE("a node by name is a cluster, and a model on it a scenario", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue step = room.run("run llama3-8b --on 'DGX H100' --gpus 64 --format json").json();
  CHECK(number_at(step, "gpus") == 64);
  const JsonValue own = room.run("run llama3-8b-h100-64 --on B200 --format json").json();
  CHECK(number_at(own, "gpus") == 64);
  CHECK(number_at(own, "step_time_s") <
        number_at(room.run("run llama3-8b-h100-64 --format json").json(), "step_time_s"));
  const auto curve = room.run("scale llama3-8b --on H100-SXM --gpus 64..4096x8");
  CHECK(curve.code == 0);
  CHECK(has(curve.out, "--on H100-SXM --gpus 4096"));
  check_refused("run llama3-8b", "E0404", "a model alone names no machine");
  check_refused("run llama3-8b --on H100-SXM", "E0104", "nothing says how many accelerators");
  check_refused("run llama3-8b --on H100-SXM --gpus 61", "E0301", "multiple");
}

TEST_CASE("a price that is set makes a part a candidate, and dearer ones lose", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question =
      "plan llama3-8b --tokens 1T --days 60 --on H100-SXM,B200 --precisions bf16 --format json";
  const auto best_of = [&](const std::string& more) {
    const JsonValue answer = room.run(question + more).json();
    return answer.at("accelerators").elements().front();
  };
  const JsonValue usual = best_of("");
  const JsonValue dear = best_of(" --set 'prices.parts_usd={\"" + usual.at("node").as_text() + "\":3000000}'");
  CHECK(dear.at("accelerator").as_text() != usual.at("accelerator").as_text());
  CHECK(number_at(usual, "may_wait_days") > 0);
}

TEST_CASE("a purchase chooses fields that vary, and size confirms them", "[tools][plan]") {
  const ProgramRoom room;
  const std::string question = "plan llama3-8b --tokens 4T --days 30 --on H100-SXM --precisions bf16 --gpus 384,512";
  const JsonValue plain = room.run(question + " --format json").json();
  const JsonValue varied = room.run(question + " --vary taper=1,3 --vary cap=stated,90% --format json").json();
  CHECK(number_at(varied, "planned") > number_at(plain, "planned"));
  const JsonValue& best = varied.at("frontier").elements()[static_cast<std::size_t>(number_at(varied, "best"))];
  CHECK(has(best.at("variant").as_text(), "taper=3"));  // a job of 8B hardly feels it
  CHECK(number_at(best.at("capex_usd"), "value") <
        number_at(plain.at("frontier").elements().front().at("capex_usd"), "value"));
  const std::string confirm = best.at("confirm").as_text();
  CHECK(has(confirm, "cluster.fabric.taper=3"));
  const JsonValue sized = room.run(confirm.substr(std::string("clusterwright ").size()) + " --format json").json();
  CHECK(number_at(sized, "capex_usd") == number_at(best.at("capex_usd"), "value"));
  check_refused(question + " --vary node=B200,H200", "E0404", "an option of its own");
  check_refused(question + " --vary precision=bf16,fp8", "E0404", "an option of its own");
  check_refused(question + " --vary hall=air,airr", "E0203", "unknown facility \"airr\"");
  check_refused(question + " --vary stack=generic-2025,megatron-2055", "E0203", "unknown stack");
  check_refused(question + " --vary tapr=1,2", "E0404", "did you mean \"taper\"");
}

namespace {

const std::string few = "plan llama3-8b --tokens 100B --days 90 --on H100-SXM --gpus 8 --precisions bf16 ";

JsonValue best_of_few(const ProgramRoom& room, const std::string& more) {
  const JsonValue answer = room.run(few + more + " --format json").json();
  REQUIRE_FALSE(answer.at("frontier").elements().empty());
  return answer.at("frontier").elements()[static_cast<std::size_t>(number_at(answer, "best"))];
}

}  // namespace

TEST_CASE("fields of the layout that are set stay as they are", "[tools][plan]") {
  const ProgramRoom room;
  for (const std::string tensor : {"2", "8"}) {
    const JsonValue best = best_of_few(room, "--set job.parallel.tensor=" + tensor);
    CHECK(has(best.at("layout").as_text(), "TP " + tensor + " x"));
    CHECK(has(best.at("confirm").as_text(), "job.parallel.tensor=" + tensor));
  }
  for (const std::string setting : {"job.recompute=full", "job.recompute=none", "job.micro_batch=1",
                                    "job.micro_batch=2", "job.parallel.data=1", "job.parallel.data=4"}) {
    INFO(setting);
    const JsonValue best = best_of_few(room, "--set " + setting);
    const std::string confirm = best.at("confirm").as_text();
    CHECK(has(confirm, "--set " + setting));
    const std::string run = "run" + confirm.substr(std::string("clusterwright size").size()) + " --format json";
    CHECK(number_at(room.run(run).json(), "step_time_s") == number_at(best, "step_time_s"));
  }
}

TEST_CASE("rows of a layout that varies have the value of their name", "[tools][plan]") {
  const ProgramRoom room;
  const JsonValue answer = room.run(few + "--vary tensor=2,8 --format json").json();
  CHECK(number_at(answer, "planned") == 2);
  for (const JsonValue& plan : answer.at("frontier").elements()) {
    const std::string variant = plan.at("variant").as_text();
    CHECK(has(plan.at("layout").as_text(), "TP " + variant.substr(variant.find('=') + 1) + " x"));
  }
}

TEST_CASE("a layout that no number of accelerators takes is refused, not replaced", "[tools][plan]") {
  check_refused(few + "--set job.parallel.tensor=64", "E0369", "tensor must divide the attention heads");
  check_refused("plan llama3-8b --tokens 100B --days 90 --on H100-SXM --precisions bf16 --set job.parallel.tensor=64",
                "E0369", "tensor must divide the attention heads");
}

TEST_CASE("what an option of plan gives, no setting gives too", "[tools][plan]") {
  const std::string question = "plan llama3-8b --tokens 1T --days 60 --on B200 ";
  check_refused(question + "--set job.tokens=5", "E0404", "job.tokens=5 gives what --tokens 1T gives too");
  check_refused(question + "--set job.steps=5", "E0404", "job.steps=5 gives what --tokens 1T gives too");
  check_refused(question + "--vary job.tokens=1e12,2e12", "E0404", "job.tokens=1e12 gives what --tokens 1T gives too");
  check_refused("plan llama3-8b --days 60 --budget 5M --set job.tokens=5", "E0404", "asks for without --tokens");
  check_refused(question + "--precisions bf16 --set job.precision=fp8", "E0404", "what --precisions bf16 gives too");
  check_refused(question + "--hall air --set cluster.facility.like=air", "E0404", "what --hall air gives too");
}

TEST_CASE("nodes that an option names are not replaced by a setting", "[tools][plan]") {
  const std::string other = "--set cluster=h100-superpod", part = "--set 'cluster.node.part=DGX H100'";
  const std::string question = "plan llama3-8b --tokens 1T --days 60 ";
  check_refused(question + "--on H100-SXM,B200 " + other, "E0404",
                "cluster=h100-superpod names nodes, and so does --on H100-SXM,B200");
  check_refused(question + "--on H100-SXM,B200 " + part, "E0404", "cluster.node.part=DGX H100 names nodes");
  check_refused(question + part, "E0404", "plan chooses them");
  check_refused(question + "--on B200 --vary cluster.node.accelerator=H100-SXM,B200", "E0404", "--vary");
  const std::string twice = "the nodes are named twice: --on B200 and --set cluster";
  for (const std::string& setting : {other, part, std::string("--set cluster.node.accelerator=H100-SXM"),
                                     std::string("--set 'cluster.node={\"part\": \"DGX H100\"}'")})
    check_refused("run llama3-8b-h100-64 --on B200 " + setting, "E0404", twice);
  check_refused("compare llama3-8b-h100-64 --vary node=H100-SXM,B200 " + other, "E0404", "cluster=h100-superpod");
  CHECK(
      ProgramRoom().run("run llama3-8b-h100-64 --on B200 --set cluster.node.accelerator_power_limit_share=0.9").code ==
      0);
}
