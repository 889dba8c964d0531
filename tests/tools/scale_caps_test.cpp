// SPDX-License-Identifier: Apache-2.0
// Power limits of accelerators at one power of the site, and sites that are planned for limits.
#include <fmt/format.h>

#include <cmath>

#include "support/catch.hpp"
#include "support/program_room.hpp"

namespace clusterwright {

namespace {

const std::string filled = "scale llama3-8b-h100-64 --power 300kW --format json";

double member_number(const JsonValue& object, const char* key) {
  return object.at(key).as_number();
}

}  // namespace

TEST_CASE("a power is filled with the most replicas that its grid feeds, and size confirms them", "[tools]") {
  const testing::ProgramRoom room;
  const auto compared = room.run(filled + " --caps 100,60");
  REQUIRE(compared.code == 0);
  const JsonValue answer = compared.json();
  const auto& options = answer.at("options").elements();
  REQUIRE(options.size() == 2);
  CHECK(member_number(options[1], "gpus") > member_number(options[0], "gpus"));
  for (const JsonValue& option : options) {
    CHECK(member_number(option, "facility_kw_rated") <= 300);
    const double cap = 100 * member_number(option, "cap");
    const auto sized = [&](double gpus) {
      return room.run(
          fmt::format("size llama3-8b-h100-64 --format json --cap {}% --set cluster.accelerators={} --set "
                      "job.global_batch={}",
                      cap, gpus, member_number(option, "global_batch") * gpus / member_number(option, "gpus")));
    };
    const auto own = sized(member_number(option, "gpus"));
    REQUIRE(own.json().find("facility_kw_rated"));
    CHECK(member_number(own.json(), "facility_kw_rated") == member_number(option, "facility_kw_rated"));
    CHECK(member_number(sized(member_number(option, "gpus") + 8).json(), "facility_kw_rated") > 300);
  }
}

TEST_CASE("a power is filled with whole groups of experts", "[tools]") {
  const testing::ProgramRoom room;
  const auto filled = room.run("scale mixtral-8x7b-h100 --power 1MW --caps 100 --format json");
  REQUIRE(filled.code == 0);
  const JsonValue answer = filled.json();
  CHECK(std::fmod(member_number(answer.at("options").elements()[0], "gpus"), 4 * 8) == 0);  // stages x experts
}

TEST_CASE("racks, feeds and grid are planned for limited accelerators", "[tools]") {
  const testing::ProgramRoom room;
  const JsonValue full = room.run("size h100-superpod --format json").json(),
                  limited = room.run("size h100-superpod --cap 400W --format json").json();
  const JsonValue& node = limited.at("node_power");
  CHECK(member_number(node, "nameplate_kw") == member_number(full.at("node_power"), "rated_kw"));
  CHECK(member_number(node, "rated_kw") == Approx(member_number(node, "nameplate_kw") - 8 * 0.3));
  CHECK(member_number(limited, "facility_kw_rated") < 0.85 * member_number(full, "facility_kw_rated"));
}

TEST_CASE("a cap for one kind of nodes is not taken for one of all", "[tools]") {
  const testing::ProgramRoom room;
  const auto sized = room.run("size mixed-h100-a100 --cap 80%");
  CHECK(sized.code == 2);
  CHECK(sized.err.find("E0349") != std::string::npos);
}

TEST_CASE("a cap that an idle accelerator reaches is refused, whatever its data sheet says of limits", "[tools]") {
  const testing::ProgramRoom room;
  const auto capped = room.run("run deepseek-v3-h800 --cap 15%");  // 105 W; it idles at more
  CHECK(capped.code == 2);
  CHECK(capped.err.find("draws when idle") != std::string::npos);
}

TEST_CASE("halls are compared at one power, and the command that confirms the best names its hall", "[tools]") {
  const testing::ProgramRoom room;
  const auto compared = room.run("scale llama3-405b-h100 --power 20MW --caps 100,80 --halls air,direct-to-chip");
  REQUIRE(compared.code == 0);
  CHECK(testing::has(compared.out, "direct-to-chip"));
  CHECK(testing::has(compared.out, "Next: clusterwright size llama3-405b-h100 --gpus"));
  const JsonValue answer = room.run(
                                   "scale llama3-405b-h100 --power 20MW --caps 100 --halls air,direct-to-chip "
                                   "--format json")
                               .json();
  const auto& options = answer.at("options").elements();
  REQUIRE(options.size() == 2);
  CHECK(options[1].at("hall").as_text() == "direct-to-chip");
  CHECK(member_number(options[1], "gpus") > member_number(options[0], "gpus"));  // pumps draw less than fans
}

TEST_CASE("a power without caps compares the usual ones, and impossible ones have a reason", "[tools]") {
  const testing::ProgramRoom room;
  const auto low = room.run(filled + " --caps 100,10");
  REQUIRE(low.code == 0);
  CHECK(low.json().at("options").elements()[1].at("reason").as_text().find("least") != std::string::npos);
  const auto tiny = room.run("scale llama3-8b-h100-64 --power 5kW --caps 100");
  CHECK(tiny.code == 1);
  CHECK(tiny.out.find("feed no replica") != std::string::npos);
}

TEST_CASE("more power never feeds fewer accelerators, in racks of 72 too", "[tools]") {
  const testing::ProgramRoom room;
  const auto fed = [&](const char* words, double megawatts) {
    const auto outcome = room.run(fmt::format("scale {} --power {}MW --caps 100 --format json", words, megawatts));
    return outcome.code == 0 ? member_number(outcome.json().at("options").elements()[0], "gpus") : 0;
  };
  const char* racks = "llama3-8b-h100-64 --on GB200-GPU";
  double before = 1;
  for (double megawatts = 0.25; megawatts < 1; megawatts += 0.06) {
    INFO(megawatts << " MW");
    const double gpus = fed(racks, megawatts);
    CHECK(gpus >= before);
    before = gpus;
  }
  CHECK(before > 216);
}

TEST_CASE("a power beyond what the stated fabric joins fills the fabric, and says so", "[tools]") {
  const testing::ProgramRoom room;
  const auto outcome = room.run("scale llama3-8b-h100-64 --power 4MW --caps 100");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("cannot be joined") != std::string::npos);
}

TEST_CASE("wrong words of a comparison of caps are refused", "[tools]") {
  const testing::ProgramRoom room;
  for (const char* words : {"--caps 80", "--power 1MW --caps 0", "--power 1MW --caps 80,x", "--power 1MW --caps 120",
                            "--power 1MW --gpus 8", "--power 1MW --mode strong", "--power 1MW --mode other",
                            "--power 1MW --cap 80%", "--power 1furlong", "--halls air", "--power 1MW --halls aire"}) {
    INFO(words);
    CHECK(room.run(std::string("scale llama3-8b-h100-64 ") + words).code == 2);
  }
}

}  // namespace clusterwright
