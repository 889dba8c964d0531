// SPDX-License-Identifier: Apache-2.0
// `clusterwright audit` on the shipped blueprints, and on wrong ones.
#include <fmt/format.h>

#include "sim/json_writer.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string folder = CLUSTERWRIGHT_CONFIGS "/blueprints/";
const std::string published = "'" + folder + "dense-500b-1200-h100.json'";
const std::string corrected = "'" + folder + "dense-500b-1200-h100-corrected.json'";

JsonValue audited(const std::string& arguments, int code) {
  const ProgramRoom room;
  const Outcome outcome = room.run("audit " + arguments + " --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code == code);
  return outcome.json();
}

JsonValue claim(const JsonValue& result, const std::string& kind) {
  for (const JsonValue& one : result.at("claims").elements())
    if (one.at("claim").as_text() == kind) return one;
  FAIL("no claim " << kind);
  return {};
}

bool says(const JsonValue& one, const std::string& words) {
  INFO(one.at("arithmetic").as_text());
  return has(one.at("arithmetic").as_text(), words);
}

/// The published blueprint with one text replaced, beside the files that it refers to.
std::string blueprint_with(const std::string& from, const std::string& to) {
  std::string text = content(folder + "dense-500b-1200-h100.json");
  for (std::size_t at; (at = text.find("\"../")) != std::string::npos;) text.replace(at, 3, "\"" CLUSTERWRIGHT_CONFIGS);
  REQUIRE(has(text, from));
  return text.replace(text.find(from), from.size(), to);
}

void check_refused_blueprint(const std::string& from, const std::string& to, const std::string& code,
                             const std::string& words) {
  const ProgramRoom room;
  room.write("bad.json", blueprint_with(from, to));
  check_refused(room, "audit bad.json -o out.json", code, words);
}

}  // namespace

TEST_CASE("the published blueprint: which claims hold", "[cli][audit]") {
  const JsonValue result = audited(published, 1);
  const auto verdicts = {std::pair("accelerators", "yes"),
                         {"training_days", "no"},
                         {"scale_up", "no"},
                         {"nic_gbit_per_s", "partly"},
                         {"layout", "no"},
                         {"weights_gb_per_accelerator", "no"},
                         {"rack_kw", "no"},
                         {"cooling", "no"},
                         {"site_mw", "no"},
                         {"communication_share", "no"},
                         {"utilisation", "no"}};
  for (const auto& [kind, holds] : verdicts) {
    INFO(kind);
    CHECK(claim(result, kind).at("holds").as_text() == holds);
  }
  for (const char* missing : {"fits", "failures"}) {
    CHECK(claim(result, missing).at("holds").is_null());
    CHECK(claim(result, missing).at("stated").is_null());
  }
  CHECK(result.at("counts").at("yes").as_integer() == 1);
  CHECK(result.at("counts").at("partly").as_integer() == 1);
  CHECK(result.at("counts").at("no").as_integer() == 9);
  CHECK(result.at("counts").at("missing").as_integer() == 2);
}

TEST_CASE("the published blueprint: by how much", "[cli][audit]") {
  const JsonValue result = audited(published, 1);
  const auto computed = [&](const char* kind) { return claim(result, kind).at("computed").as_number(); };
  CHECK(computed("accelerators") == 1200);
  CHECK(computed("weights_gb_per_accelerator") == Approx(31.25).epsilon(0.01));
  CHECK(computed("rack_kw") == Approx(51));
  CHECK(computed("site_mw") == Approx(1.94).epsilon(0.03));
  CHECK(computed("failures") == Approx(42).epsilon(0.01));
  // 731 days at 40 % of peak: what is predicted goes with the predicted share, on 1,184 of 1,200 and with attention.
  const double at_40_percent = computed("training_days") * computed("utilisation") / 0.4;
  CHECK(at_40_percent == Approx(731).epsilon(0.1));
  CHECK(claim(result, "site_mw").at("error").as_number() == Approx(1.94 / 3.6 - 1).epsilon(0.03));
}

TEST_CASE("the published blueprint: the arithmetic names the numbers", "[cli][audit]") {
  const JsonValue result = audited(published, 1);
  CHECK(says(claim(result, "layout"), "37 used, 16 accelerators idle; TP 8 x PP 5 = 40: 30 replicas"));
  const JsonValue network = claim(result, "nic_gbit_per_s");
  for (const char* words : {"two tiers join at most 800", "60 + 60 + 30 = 150", "64 + 32 = 96", "40 + 32 = 72"})
    CHECK(says(network, words));
  CHECK(says(claim(result, "scale_up"), "18 links, 450 GB/s"));
  CHECK(says(claim(result, "scale_up"), "NVLink 3, 12 links, 300 GB/s"));
  CHECK(says(claim(result, "weights_gb_per_accelerator"), "12 B x 500.1e9 / 1200"));
  CHECK(says(claim(result, "weights_gb_per_accelerator"), "a model of 80e9 parameters, or one copy over 200"));
  CHECK(says(claim(result, "rack_kw"), "51.0 kW rated (DGX H100 of the catalog)"));
  CHECK(says(claim(result, "cooling"), "contained air removes up to 41 kW"));
  CHECK(says(claim(result, "cooling"), "DGX H100 is sold for air only; the racks have direct-to-chip"));
  CHECK(says(claim(result, "site_mw"),
             "150 nodes x 10.20 kW + 0.16 MW of network, storage and services = 1.69 MW of IT"));
  CHECK(says(claim(result, "utilisation"), "80.3 %"));
  CHECK(says(claim(result, "failures"), "a checkpoint of 7.0 TB takes 117 s"));
  CHECK(result.at("changes").elements().size() == 2);
  CHECK(has(result.at("next").as_text(), "tokens in 30 days"));
}

TEST_CASE("the corrected blueprint: every claim holds", "[cli][audit]") {
  const JsonValue result = audited(corrected, 0);
  CHECK(result.at("claims").elements().size() == 13);
  for (const JsonValue& one : result.at("claims").elements()) {
    INFO(one.at("claim").as_text() << ": " << one.at("arithmetic").as_text());
    CHECK(one.at("holds").as_text() == "yes");
  }
  CHECK(result.at("changes").elements().empty());
}

TEST_CASE("the audit's time and memory are those of run", "[cli][audit]") {
  const ProgramRoom room;
  const JsonValue audit = audited(corrected, 0);
  const JsonValue& scenario = audit.at("scenario");
  room.write("same.json", write_json(scenario));
  const Outcome outcome = room.run("run same.json --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.json().at("mfu").as_number() == claim(audit, "utilisation").at("computed").as_number());
  CHECK(outcome.json().at("memory_gb").at("weights").as_number() ==
        claim(audit, "weights_gb_per_accelerator").at("computed").as_number());
}

namespace {

/// Number before some words.
double figure_before(const std::string& text, const std::string& words) {
  REQUIRE(has(text, words));
  const std::string before = text.substr(0, text.find(words));
  return std::stod(before.substr(before.rfind(' ') + 1));
}

}  // namespace

TEST_CASE("the audit's power in use and its cooling are those of size", "[cli][audit]") {
  const ProgramRoom room;
  for (const std::string node : {"HGX H100 8-GPU (OEM 4-8U)", "DGX H100"}) {
    INFO(node);
    const bool sold_with_liquid = node.starts_with("HGX");
    const JsonValue audit = audited(corrected + " --set 'cluster.node.part=" + node + "'", sold_with_liquid ? 0 : 1);
    room.write("same.json", write_json(audit.at("scenario")));
    const JsonValue sized = room.run("size same.json --format json").json();
    const double rack_kw = 5 * sized.at("nodes_kw").as_number() / 150;  // without the fans that liquid spares
    const std::string rack = claim(audit, "rack_kw").at("arithmetic").as_text();
    CHECK(figure_before(rack, " kW in the predicted step") == Approx(rack_kw).margin(0.06));
    const JsonValue cooling = claim(audit, "cooling");
    CHECK(cooling.at("holds").as_text() == (sold_with_liquid ? "yes" : "no"));
    bool refused = false;
    for (const JsonValue& verdict : sized.at("verdicts").elements())
      refused = refused || (verdict.at("what").as_text() == "air for the nodes" && !verdict.at("holds").as_boolean());
    CHECK(refused == !sold_with_liquid);
  }
}

TEST_CASE("the cap of an audit makes the step as much longer as run says", "[cli][audit]") {
  const ProgramRoom room;
  const JsonValue audit = audited(corrected + " --set claims.7.stated=25", 1);
  const std::string rack = claim(audit, "rack_kw").at("arithmetic").as_text();
  INFO(rack);
  REQUIRE(has(rack, "GEMMs take "));
  const std::string step = rack.substr(rack.rfind("the step ") + 9);
  const double longer = std::stod(step);  // "41 %"
  room.write("same.json", write_json(audit.at("scenario")));
  const auto time = [&](const std::string& cap) {
    return room.run("run same.json --format json" + cap).json().at("step_time_s").as_number();
  };
  const double watts = figure_before(rack, " W, under which");
  CHECK(longer == Approx(100 * (time(fmt::format(" --cap {:.0f}W", watts)) / time("") - 1)).margin(1.5));
  CHECK(longer > 15);  // so that one less its inverse is beyond the margin
  CHECK(figure_before(rack, " % longer and") > longer);
}

TEST_CASE("tolerances, assumptions and settings change verdicts", "[cli][audit]") {
  CHECK(claim(audited(published + " --set tolerance.holds=0.5 --set tolerance.partly=0.8", 1), "site_mw")
            .at("holds")
            .as_text() == "yes");
  const JsonValue often = audited(published + " --set assume.failures_per_1000_node_days=6.5", 1);
  CHECK(claim(often, "failures").at("computed").as_number() == Approx(24.6).epsilon(0.01));  // 1000 x 24 / (6.5 x 150)
  const JsonValue short_run = audited(published + " --set training_tokens=0.2e12", 1);
  CHECK(claim(short_run, "training_days").at("holds").as_text() == "yes");
}

TEST_CASE("an audit reads well, and goes to every format", "[cli][audit]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("audit " + published);
  CHECK(outcome.code == 1);
  CHECK(outcome.err.empty());
  CHECK(has(outcome.out, "\n1 claim holds, 1 in part, 9 do not; 2 are missing\n"));
  CHECK(has(outcome.out, "\nNext: "));
  CHECK(has(outcome.out, "The job states no software stack: megatron-2024 is assumed"));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 123);  // 120 columns; a dash has three bytes
  CHECK(room.run("audit " + published + " -o a.json -o a.csv -o a.md -o a.html -o a.txt").code == 1);
  CHECK(has(content(room.at("a.csv")), "claim,stated,computed,unit,error,holds,arithmetic,words,low,high"));
  CHECK(has(content(room.at("a.csv")), "rack_kw,30,51,kW,"));
  CHECK(has(content(room.at("a.md")), "| Claim | Stated | Computed |"));
  CHECK(has(content(room.at("a.html")), "<!DOCTYPE html>"));
}

TEST_CASE("an audit shows what its step assumes and warns of, as run does", "[cli][audit]") {
  const ProgramRoom room;
  const JsonValue audit = audited(corrected, 0);
  room.write("same.json", write_json(audit.at("scenario")));
  const std::string of_run = write_json(room.run("run same.json --format json").json().at("warnings"));
  for (const JsonValue& warning : audit.at("warnings").elements()) CHECK(has(of_run, write_json(warning)));
  bool stack = false;
  for (const JsonValue& one : audit.at("assumptions").elements())
    stack = stack || (one.at("value").as_text() == "megatron-2024" && one.at("origin").as_text() == "default");
  CHECK(stack);
  const JsonValue mfu = claim(audit, "utilisation");
  CHECK(mfu.at("low").as_number() < mfu.at("computed").as_number());
  CHECK(mfu.at("high").as_number() > mfu.at("computed").as_number());
  CHECK(claim(audit, "rack_kw").at("low").is_null());
  const std::string sharding = "\"sharding\": \"zero1\",";
  room.write("stated.json", blueprint_with(sharding, sharding + " \"stack\": \"megatron-2024\","));
  const Outcome stated = room.run("audit stated.json");
  CHECK(stated.code == 1);
  CHECK_FALSE(has(stated.out, "is assumed"));
  // `run` tells of every placement.
  const Outcome scattered = room.run("audit " + corrected + " --set job.placement.order=scattered");
  CHECK(has(scattered.out, "\nwarning: placement: 150 of 150 nodes"));
}

TEST_CASE("other commands know blueprints too", "[cli][audit]") {
  const ProgramRoom room;
  CHECK(has(room.run("check " + published).out, "ok (blueprint)"));
  CHECK(has(room.run("explain blueprint.claims.stated").out, "as published"));
  CHECK(has(room.run("explain E0361").out, "twice"));
  CHECK(has(room.run("schema blueprint").out, "\"communication_share\""));
  CHECK(room.run("show " + published + " --topology").code == 0);
  // Without "$schema" its claims tell it from a scenario.
  room.write("plain.json",
             blueprint_with("\"$schema\": \"" CLUSTERWRIGHT_CONFIGS "/schema/blueprint.schema.json\",", ""));
  CHECK(has(room.run("check plain.json").out, "ok (blueprint)"));
}

TEST_CASE("wrong blueprints end with code 2 and an error that points at the place", "[cli][audit]") {
  check_refused_blueprint("\"DGX H100\"", "\"DGX H1000\"", "E0203", "did you mean \"DGX H100\"?");
  check_refused_blueprint("\"claim\": \"utilisation\"", "\"claim\": \"utilization\"", "E0203",
                          "did you mean \"utilisation\"?");
  check_refused_blueprint("\"stated\": 3.6", "\"stated\": -3.6", "E0202", "/claims/8/stated");
  check_refused_blueprint("\"cluster\": {", "\"clusters\": {", "E0104", "missing key \"cluster\"");
  check_refused_blueprint("\"stated\": 3.6", "\"stated\": \"3.6 MW\"", "E0360", "/claims/8/stated");
  check_refused_blueprint("\"stated\": \"NVLink 3.0\"", "\"stated\": 3", "E0360", "in words");
  check_refused_blueprint("\"stated\": 0.78", "\"stated\": 78", "E0360", "write 78 % as 0.78");
  check_refused_blueprint("\"stated\": \"direct-to-chip\"", "\"stated\": \"direct-to-chips\"", "E0203",
                          "did you mean \"direct-to-chip\"?");
  check_refused_blueprint("\"claim\": \"site_mw\"", "\"claim\": \"rack_kw\"", "E0361", "claims rack_kw twice");
  check_refused_blueprint("\"accelerators\": 1200", "\"accelerators\": 24", "E0362", "needs more than the 24");
  check_refused_blueprint("TP8 x PP4", "TP8 x PP8", "E0363", "the claim gives PP 8, the job gives 4");
  const std::string place = "/claims/4/stated";
  check_refused_blueprint("TP8 x PP4", "as usual", "E0360", place);
  check_refused_blueprint("TP8 x PP4", "8 x 4", "E0360", "write each degree once");
  check_refused_blueprint("TP8 x PP4", "8-way tensor, 8-way pipeline", "E0363",
                          "the claim gives PP 8, the job gives 4");
  check_refused("audit", "E0404", "audit needs BLUEPRINT");
}

// What an offer without a job can be held to, and what not.
TEST_CASE("a blueprint without a job claims nothing about one", "[cli][audit]") {
  const std::string text = content(CLUSTERWRIGHT_CONFIGS "/designs/superpod-h100-1su.json");
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    const ProgramRoom room;
    std::string changed = text;
    REQUIRE(has(changed, from));
    room.write("bad.json", changed.replace(changed.find(from), from.size(), to));
    check_refused(room, "audit bad.json -o out.json", "E0366", words);
  };
  const std::string claims = "\"claims\": [";
  refused(claims, claims + R"({"claim": "training_days", "stated": 30},)", "training_days");
  refused(claims, claims + R"({"claim": "fits", "stated": "yes"},)", "fits");
  refused(claims, "\"training_tokens\": 1e12, " + claims, "training_tokens has no effect");
  refused(claims, "\"parameters\": \"generic\", " + claims, "parameters has no effect");
  refused(claims, R"("job": {"task": "pretrain", "sequence": 8192, "global_batch": 8}, )" + claims, "a transformer");
}

// 31 nodes x 8 cables + 8 leaves x 32 + 4 of the fabric managers = 508, as published; a claim of 507 does not hold.
TEST_CASE("an offer is held to its counts", "[cli][audit]") {
  const ProgramRoom room;
  const std::string design = "'" CLUSTERWRIGHT_CONFIGS "/designs/superpod-h100-1su.json'";
  const JsonValue whole = room.run("audit " + design + " --format json").json();
  CHECK(claim(whole, "cables").at("computed").as_number() == 508);
  CHECK(says(claim(whole, "cables"), "256 leaf-spine + 4 manager-leaf + 248 node-leaf"));
  CHECK(whole.at("counts").at("no").as_integer() == 0);
  std::string text = content(CLUSTERWRIGHT_CONFIGS "/designs/superpod-h100-1su.json");
  text.replace(text.find("\"stated\": 508"), 13, "\"stated\": 600");
  room.write("offer.json", text);
  const Outcome wrong = room.run("audit offer.json --format json");
  CHECK(wrong.code == 1);
  CHECK(claim(wrong.json(), "cables").at("holds").as_text() == "no");
}
