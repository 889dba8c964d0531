// SPDX-License-Identifier: Apache-2.0
// `compare` and `sensitivity` against `run` and `size`, and with wrong words.
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string nodes = "compare llama3-8b --gpus 64 --vary node=H100-SXM,B200";

double figure(const JsonValue& value, const char* key) {
  return value.at(key).as_number();
}

/// Words of a command behind "clusterwright size ".
std::string words_behind_size(const JsonValue& option) {
  const std::string begin = "clusterwright size ";
  const std::string& command = option.at("command").as_text();
  REQUIRE(command.starts_with(begin));
  return command.substr(begin.size());
}

}  // namespace

TEST_CASE("run and size confirm each option digit for digit", "[tools][compare]") {
  const ProgramRoom room;
  const JsonValue answer = room.run(nodes + " --replan --format json").json();
  REQUIRE(answer.at("options").elements().size() == 2);
  for (const JsonValue& option : answer.at("options").elements()) {
    const std::string words = words_behind_size(option);
    const JsonValue step = room.run("run " + words + " --format json").json();
    CHECK(figure(step, "step_time_s") == figure(option.at("step"), "step_time_s"));
    const JsonValue sized = room.run("size " + words + " --format json").json();
    CHECK(figure(sized, "capex_usd") == figure(option, "capex_usd"));
    CHECK(figure(sized.at("cost"), "usd_per_million_tokens") == figure(option, "usd_per_million_tokens"));
  }
}

TEST_CASE("the command of an option that only run takes is a run", "[tools][compare]") {
  const ProgramRoom room;
  const std::string words = "compare llama3-8b --on H100-SXM --gpus 512 ";
  for (const std::string vary : {"fail=stated,spine:0", "slow=stated,node:20%", "placement=stated,scattered"}) {
    INFO(vary);
    const JsonValue options = json_answer(room, words + "--vary " + vary).at("options");
    CHECK(options.elements()[0].at("command").as_text().starts_with("clusterwright size "));
    const std::string command = options.elements()[1].at("command").as_text();
    REQUIRE(command.starts_with("clusterwright run "));
    const JsonValue step = json_answer(room, command.substr(std::string("clusterwright ").size()));
    CHECK(figure(step, "step_time_s") == figure(options.elements()[1].at("step"), "step_time_s"));
  }
}

TEST_CASE("a taper that a job does not feel makes it neither faster nor slower, and cheaper", "[tools][compare]") {
  const ProgramRoom room;
  const JsonValue answer =
      room.run(
              "compare llama3-8b --on H100-SXM --gpus 512 --vary taper=1,7 --set job.parallel.tensor=2 "
              "--set job.parallel.pipeline=1 --set job.sharding=zero3 --format json")
          .json();
  const JsonValue& tapered = answer.at("options").elements()[1];
  CHECK(figure(tapered.at("speed_ratio"), "value") == Approx(1).margin(5e-4));  // TP in the node, data in the leaf
  CHECK(figure(tapered, "probability_faster") == Approx(0.5).margin(0.05));
  CHECK(figure(tapered.at("speed_ratio"), "high") - figure(tapered.at("speed_ratio"), "low") < 0.05);
  CHECK(figure(tapered.at("price_ratio"), "value") < 1);
}

TEST_CASE("options that cannot be stay in the answer with their reason", "[tools][compare]") {
  const ProgramRoom room;
  const auto answer = room.run("compare llama3-8b-single-node --vary tensor=1,3,8");
  REQUIRE(answer.code == 0);
  CHECK(has(answer.out, "B (tensor=3) does not run: "));
  CHECK(has(answer.out, "Fastest: "));
  const auto alone = room.run("compare llama3-8b-single-node --vary cap=100%,10%");
  CHECK(alone.code == 0);
  CHECK(has(alone.out, "Only A (cap=100%) runs"));
  const auto none = room.run("compare llama3-8b-single-node --vary tensor=3,5");
  CHECK(none.code == 1);
  CHECK(has(none.out, "A (tensor=3) does not run: "));
}

TEST_CASE("an option that size fails is not called the best one", "[tools][compare]") {
  const ProgramRoom room;
  const std::string halls = "compare llama3-70b-h100 --on 'DGX H100' --vary hall=air,immersion";
  const auto one = room.run(halls);
  CHECK(one.code == 0);
  CHECK(has(one.out, "Of the options that run, only A (hall=air) can be built so."));
  CHECK(has(one.out, "B (hall=immersion) cannot be built so: air for the nodes (DGX H100 is sold for air only"));
  CHECK_FALSE(has(one.out, "Least energy: "));
  CHECK(has(one.out, "cluster.facility.like=air\n"));  // Next
  const JsonValue answer = room.run(halls + ",direct-to-chip --format json").json();
  CHECK(answer.at("options").elements()[0].at("failed_verdicts").elements().empty());
  const JsonValue& immersed = answer.at("options").elements()[1];
  CHECK_FALSE(immersed.at("can_be_built").as_boolean());
  CHECK_FALSE(immersed.at("failed_verdicts").elements().empty());
  CHECK(figure(immersed.at("step"), "step_time_s") > 0);
  const auto none = room.run(halls + " --set cluster.facility.power.grid_limit_kw=1000");
  CHECK(has(none.out, "None of the options that run can be built so."));
  CHECK(has(none.out, "A (hall=air) cannot be built so: "));
}

TEST_CASE("options that may not fit in memory are named", "[tools][compare]") {
  const ProgramRoom room;
  const std::string tight = room.run("compare llama3-8b --on H100-SXM --gpus 8 --vary precision=bf16,fp8").out;
  CHECK(has(tight, "Memory may not suffice, as its model errs: "));
  CHECK(has(tight, "A (precision=bf16) uses 85.4 GB (90 %: "));
  CHECK_FALSE(has(room.run("compare llama3-8b-single-node --vary cap=100%,80% --set job.micro_batch=1").out,
                  "Memory may not suffice"));
}

TEST_CASE("rent and purchase are told apart, and a server that stands in is named", "[tools][compare]") {
  const ProgramRoom room;
  const auto compared = [&](const std::string& values) {
    return room.run("compare llama3-8b --gpus 64 --vary 'node=" + values + "'").out;
  };
  const std::string mixed = compared("AWS p6-b200.48xlarge,HGX B200 8-GPU (OEM 4-10U)");
  CHECK(has(mixed, "A (node=AWS p6-b200.48xlarge) is rented at $"));
  CHECK(has(mixed, " per accelerator-hour of the price list; what is not rented is bought and used 85 % of the time."));
  CHECK(has(mixed, "warning: at A: racks are planned with HGX B200 8-GPU (OEM 4-10U): AWS p6-b200.48xlarge is "));
  const std::string rented = compared("AWS p5en.48xlarge,Azure ND96isr H200 v5");
  CHECK(has(rented, " are rented at $"));
  CHECK(has(rented, "Cheapest tokens: A (node=AWS p5en.48xlarge) and B (node=Azure ND96isr H200 v5) are equal "));
  CHECK_FALSE(has(rented, "what is not rented"));
}

TEST_CASE("a field that is set twice is refused", "[tools][compare]") {
  const std::string job = "compare llama3-70b-h100 --vary ";
  check_refused(job + "cap=100%,80% --cap 60%", "E0404",
                "\"--vary cap=100%,80%\" and \"--cap 60%\" set the same field");
  check_refused(job + "gpus=256,512 --gpus 128", "E0404", "\"--gpus 128\" set the same field");
  check_refused(job + "node=B200,H200 --on H100-SXM", "E0404", "\"--on H100-SXM\" set the same field");
  check_refused(job + "precision=bf16,fp8 --set job.precision=fp16", "E0404", "\"--set job.precision=fp16\"");
  check_refused(job + "job.micro_batch=1,2 --set job.micro_batch=4", "E0404", "\"--set job.micro_batch=4\"");
  check_refused(job + "precision=bf16,fp8 --vary job.precision=fp16", "E0404",
                "\"--vary job.precision=fp16\" and \"--vary precision=bf16,fp8\"");
  const ProgramRoom room;  // 60 % beside 80 %
  CHECK(room.run("compare llama3-8b-single-node --vary cap=stated,80% --cap 60%").code == 0);
}

TEST_CASE("what several options lack is said once", "[tools][compare]") {
  const ProgramRoom room;
  const auto answer = room.run("compare llama3-8b-h100-64 --vary job.master_weights=true,false");
  REQUIRE(answer.code == 0);
  CHECK(has(answer.out, "All options have no whole price: "));
  CHECK_FALSE(has(answer.out, " has no whole price: "));
}

TEST_CASE("a job that changes its software says so in its first lines", "[tools]") {
  const ProgramRoom room;
  const auto changed = room.run("run llama3-8b-h100-64 --set job.master_weights=false --set job.attention=cudnn");
  REQUIRE(changed.code == 0);
  CHECK(has(changed.out, "no master weights, torchtitan-2024 with cudnn attention"));
  CHECK_FALSE(has(room.run("run llama3-8b-h100-64").out, "no master weights"));
}

TEST_CASE("differences end with code 3 where they are asked for", "[tools][compare]") {
  const ProgramRoom room;
  CHECK(room.run("compare llama3-8b-single-node llama3-8b-single-node --exit-code").code == 0);
  CHECK(room.run("compare llama3-8b-single-node --vary cap=stated,60% --exit-code").code == 3);
  CHECK(room.run("compare llama3-8b-single-node --vary cap=stated,60%").code == 0);
}

TEST_CASE("scenarios name the fields that they differ in", "[tools][compare]") {
  const ProgramRoom room;
  const auto answer = room.run("compare llama3-70b-h100 llama3-8b-h100-64");
  REQUIRE(answer.code == 0);
  CHECK(has(answer.out, "Fields that differ"));
  CHECK(has(answer.out, "cluster.accelerators"));
  CHECK(has(answer.out, "GPU-seconds per million tokens"));
}

TEST_CASE("a comparison does not depend on the number of threads", "[tools][compare]") {
  const ProgramRoom room;
  const std::string three = "compare llama3-8b-single-node --vary cap=100%,80%,60% --vary micro_batch=1,2";
  CHECK(room.run(three + " --threads 1").out == room.run(three + " --threads 3").out);
}

TEST_CASE("a comparison is a page to forward, and a spreadsheet", "[tools][compare]") {
  const ProgramRoom room;
  REQUIRE(room.run(nodes + " -o compare.html -o compare.csv -o compare.md --quiet").code == 0);
  const std::string page = content(room.at("compare.html"));
  CHECK(has(page, "s-dot"));
  CHECK(has(page, "Terms that moved") != has(page, "Terms of the step that moved"));
  CHECK_FALSE(has(page, "http://"));
  CHECK(content(room.at("compare.csv")).starts_with("letter,option,gpus,plan,step_time_s,"));
  CHECK(has(content(room.at("compare.md")), "P cheaper"));
}

TEST_CASE("wrong words of a comparison are refused", "[tools][compare]") {
  check_refused("compare llama3-70b-h100", "E0404", "one option alone is no comparison");
  check_refused("compare", "E0404", "compare needs SCENARIO");
  check_refused("compare llama3-70b-h100 --vary nod=B200,H100-SXM", "E0404", "did you mean \"node\"");
  check_refused("compare llama3-70b-h100 --vary tensor", "E0404", "a field and its values are needed");
  check_refused("compare llama3-70b-h100 --vary tensor=", "E0404", "a value is empty");
  check_refused("compare llama3-70b-h100 --vary tensor=4,4", "E0404", "stands twice");
  check_refused("compare llama3-70b-h100 --vary node=B20,H100-SXM", "E0203", "unknown node or accelerator");
  check_refused("compare llama3-70b-h100 --vary job.parallel.tensr=2,4", "E0402", "unknown field \"tensr\"");
  check_refused("compare llama3-70b-h100 --vary cap=100%,180%", "E0349", "no power limit");
  check_refused("compare llama3-70b-h100 --vary gpus=8..1024x1.05", "E0404", "more than 26 options");
  check_refused("compare llama3-70b --vary node=H100-SXM,B200", "E0104", "how many accelerators");
}

TEST_CASE("a value that means nothing is an error before any option is predicted", "[tools][compare]") {
  const ProgramRoom room;
  const std::string long_work = "compare llama3-8b --on H100-SXM --gpus 64 --vary ";
  // The first of them is named, wherever it stands among values that would take their time.
  check_refused(room, "compare llama3-8b --gpus 64 --vary node=H100-SXM,WORSE,B200,BAD -o out.json", "E0203",
                "unknown node or accelerator \"WORSE\"");
  check_refused(room, long_work + "cluster.fabric.transport=ethernet,bad -o out.json", "E0203", "(got \"bad\")");
  // One that breaks another rule is a row.
  const auto answer = room.run(long_work + "precision=bf16,mxfp8");
  CHECK(answer.code == 0);
  CHECK(has(answer.out, "B (precision=mxfp8) does not run: parameters \"h100-sxm\" have no entry for GEMM in mxfp8"));
}

TEST_CASE("sensitivity agrees with run --explain, and has a page", "[tools][compare]") {
  const ProgramRoom room;
  const JsonValue answer = room.run("sensitivity llama3-8b-h100-64 --format json").json();
  const auto& resources = answer.at("resources").elements();
  REQUIRE(resources.size() > 5);
  CHECK(resources.front().at("resource").as_text() == "accelerators");
  const JsonValue step = room.run("run llama3-8b-h100-64 --format json").json();
  CHECK(figure(answer, "tokens_per_s") == figure(step, "tokens_per_s"));
  CHECK_FALSE(answer.at("prices").elements().empty());
  REQUIRE(room.run("sensitivity llama3-70b-h100 -o s.html -o s.csv --quiet").code == 0);
  CHECK(has(content(room.at("s.html")), "s-more"));
  CHECK(content(room.at("s.csv")).starts_with("resource,less,more,worth_usd"));
}

TEST_CASE("sensitivity recommends no power limit above the rating", "[tools][compare]") {
  const ProgramRoom room;
  const std::string rated = room.run("sensitivity llama3-8b-h100-64").out;
  CHECK(has(rated, "Most useful beside more accelerators: network bandwidth: 10 % more gives +"));
  CHECK(has(rated, "Most useful in another accelerator: "));
  CHECK(has(rated, "The power limit is the rating of the accelerator, and no more can be set. 10 % less saves "));
  CHECK_FALSE(has(rated, "power limit of the accelerator: 10 % more"));
  const std::string capped = room.run("sensitivity llama3-8b-h100-64 --cap 60%").out;
  CHECK(has(capped, "Most useful beside more accelerators: power limit of the accelerator: 10 % more gives +"));
  CHECK_FALSE(has(capped, "no more can be set"));
  const std::string near = room.run("sensitivity llama3-8b-h100-64 --cap 95%").out;
  CHECK(has(near, "power limit of the accelerator, up to its rating: more gives +"));
}

TEST_CASE("sensitivity under a limit agrees with run at the other limit", "[tools][compare]") {
  const ProgramRoom room;
  const auto speed = [&](const std::string& cap) {
    return figure(room.run("run llama3-8b-h100-64 --format json" + cap).json(), "tokens_per_s");
  };
  const JsonValue answer = room.run("sensitivity llama3-8b-h100-64 --format json").json();
  for (const JsonValue& one : answer.at("resources").elements())
    if (one.at("resource").as_text() == "power limit of the accelerator") {
      CHECK(one.at("more").is_null());
      CHECK(one.at("worth_usd").is_null());
      CHECK(one.at("less").as_number() == Approx(speed(" --cap 90%") / speed("") - 1).margin(2e-3));
    }
}

TEST_CASE("names that stand for another kind of file say so", "[tools][compare]") {
  check_refused("sensitivity h100-superpod", "E0401", "\"h100-superpod\" is a cluster");
  check_refused("sensitivity llama-70b-h100", "E0401", "did you mean \"llama3-70b-h100\"?");
  check_refused("collective llama3-70b", "E0401", "\"llama3-70b\" is a model");
  check_refused("run llama3-70b --on B200 --gpus 1000000", "E0312", "--set job.global_batch=125000");
  check_refused("run llama3-8b --on H20 --gpus 64", "E0203", "no node of the catalog is sold with");
  check_refused("run llama3-70b-h100 --set job.tokens=15T", "E0201", "write 15e12");
}

TEST_CASE("sensitivity of a job that does not fit is impossible", "[tools][compare]") {
  const ProgramRoom room;
  const auto answer = room.run("sensitivity llama3-8b-single-node --set job.micro_batch=32 --set job.recompute=none");
  CHECK(answer.code == 1);
  CHECK(has(answer.err, "does not fit"));
}
