// SPDX-License-Identifier: Apache-2.0
// `clusterwright validate --designs`: published machines beside what is planned for them.
#include <filesystem>
#include <sstream>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// "8 leaf + 4 spine" with its terms in order: words may name them in another.
bool same_terms(const std::string& arithmetic, const std::string& words) {
  std::istringstream terms(words);
  const std::string listed = arithmetic.substr(arithmetic.find(": ") + 2);
  std::size_t length = 0;
  for (std::string count, name, plus; terms >> count >> name; terms >> plus) {
    if (!has(" " + listed + " ", " " + count + " " + name + " ")) return false;
    length += count.size() + name.size() + 4;
  }
  return length == listed.size() + 3;
}

}  // namespace

// Counts exact, watts and dollars within the deviation that each file states; the words of a count are its tiers.
TEST_CASE("published designs are planned as published", "[cli][validate]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("validate --designs --format json");
  REQUIRE(outcome.code == 0);
  const JsonValue answer = outcome.json();
  CHECK(answer.at("disagreements").as_integer() == 0);
  CHECK(answer.at("designs").elements().size() >= 20);
  int counts = 0, watts = 0, dollars = 0;
  for (const JsonValue& design : answer.at("designs").elements())
    for (const JsonValue& claim : design.at("claims").elements()) {
      const std::string kind = claim.at("claim").as_text();
      INFO(design.at("name").as_text() << ": " << kind << ", " << claim.at("arithmetic").as_text());
      CHECK(claim.at("agrees").as_boolean());
      const bool count = kind == "switches" || kind == "cables" || kind == "racks";
      if (count) CHECK(claim.at("within").as_number() == 0);
      if (kind == "switches" || kind == "cables")
        CHECK(same_terms(claim.at("arithmetic").as_text(), claim.at("words").as_text()));
      counts += count;
      watts += has(kind, "_mw") || has(kind, "_kw");
      dollars += has(kind, "_usd");
    }
  CHECK(counts >= 35);
  CHECK(watts >= 10);
  CHECK(dollars >= 5);
}

TEST_CASE("a design that is planned otherwise than published ends with code 3", "[cli][validate]") {
  const ProgramRoom room;
  const auto configs = room.at("configs");
  std::filesystem::copy(CLUSTERWRIGHT_CONFIGS, configs, std::filesystem::copy_options::recursive);
  const auto file = configs / "designs" / "superpod-b200-2su.json";
  std::string text = content(file);
  text.replace(text.find("\"stated\": 24"), 12, "\"stated\": 25");
  room.write("configs/designs/superpod-b200-2su.json", text);
  const Outcome outcome = room.run("validate --designs", configs);
  CHECK(outcome.code == 3);
  CHECK(has(outcome.out, "45 of 46 counts agree"));
}

TEST_CASE("designs take no options of measurements", "[cli][validate]") {
  const ProgramRoom room;
  CHECK(room.run("validate --designs --cross").code == 2);
}
