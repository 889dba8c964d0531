// SPDX-License-Identifier: Apache-2.0
// Heat of the links of a step in each format, as the program writes it.
#include <map>
#include <set>
#include <sstream>

#include "support/catch.hpp"
#include "support/program_room.hpp"
#include "tools/output/link_heat.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string four_racks = "llama3-8b-h100-64";

std::string heat_of(const ProgramRoom& room, const std::string& scenario, const std::string& file) {
  const Outcome outcome = room.run("run " + scenario + " --quiet --heat " + file);
  REQUIRE(outcome.code == 0);
  return content(room.at(file));
}

/// Rows of a CSV text without quoted fields, by column.
std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  std::vector<std::string> keys;
  std::vector<std::map<std::string, std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    if (keys.empty()) {
      keys = fields;
      continue;
    }
    REQUIRE(fields.size() == keys.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = fields[i];
  }
  return rows;
}

}  // namespace

TEST_CASE("the CSV of link heat has every direction of every cable, and streams that add up", "[tools][heat]") {
  const ProgramRoom room;
  const auto rows = csv_rows(heat_of(room, four_racks, "heat.csv"));
  // 8 nodes of 8 NICs on one rail-optimised tier: 64 cables below leaves, and those to the spines, each both ways.
  CHECK(rows.size() >= 128);
  CHECK(rows.size() % 2 == 0);
  double out = 0, in = 0;
  for (const auto& row : rows) {
    double streams = 0;
    for (const auto& [key, cell] : row)
      if (key.starts_with("bytes_")) streams += std::stod(cell);
    const double bytes = std::stod(row.at("bytes"));
    CHECK(streams == Approx(bytes));
    CHECK(std::stod(row.at("utilisation")) <= 1);
    if (row.at("from").starts_with("node")) out += bytes;
    if (row.at("to").starts_with("node")) in += bytes;
  }
  CHECK(out > 0);
  CHECK(out == Approx(in));
}

TEST_CASE("the page of link heat has a picture, a legend and tables that say the same", "[tools][heat]") {
  const ProgramRoom room;
  const std::string page = heat_of(room, four_racks, "heat.html");
  for (const std::string part : {"Heat of the links", "Busiest links", "Spread of utilisation", "Utilisation by tier",
                                 "node to leaf", "leaf to node", "class=\"legend\"", "data 100 %"})
    CHECK(has(page, part));
  CHECK_FALSE(has(page, "<script"));
}

TEST_CASE("Graphviz lines carry the utilisation of their cables", "[tools][heat]") {
  const ProgramRoom room;
  const std::string dot = heat_of(room, four_racks, "heat.dot");
  CHECK(dot.starts_with("graph "));
  CHECK(has(dot, "up "));
  CHECK(has(dot, "color=\"#"));
  CHECK(has(dot, "penwidth="));
}

TEST_CASE("a timeline has counters of the busiest links and messages with both ends", "[tools][heat]") {
  const ProgramRoom room;
  const std::string small = "llama3-70b-h100 --set job.global_batch=256 --quiet --timeline step.json";
  REQUIRE(room.run("run " + small).code == 0);
  const JsonValue trace = read_json_file(room.at("step.json"));
  std::set<std::string> counters, messages;
  std::size_t points = 0;
  for (const JsonValue& event : trace.at("traceEvents").elements()) {
    const std::string name(event.at("name").as_text());
    if (event.at("ph").as_text() == "X" && name.starts_with("pipeline forward: stage 0")) messages.insert(name);
    if (event.at("ph").as_text() != "C" || !event.at("args").find("%")) continue;  // watts and clocks have other units
    counters.insert(name);
    ++points;
    const double percent = event.at("args").at("%").as_number();
    CHECK(percent >= 0);
    CHECK(percent <= 100.1);
  }
  CHECK(counters.size() >= 4);
  CHECK(counters.size() <= 12);
  CHECK(points <= 12 * 2000);
  REQUIRE(messages.size() == 1);
  CHECK(messages.begin()->starts_with("pipeline forward: stage 0 to stage 1, "));
  CHECK(messages.begin()->ends_with("MB"));
}

TEST_CASE("link heat refuses what it cannot show", "[tools][heat]") {
  const ProgramRoom room;
  check_refused(room, "run llama3-8b-single-node --heat heat.html", "E0339", "no network");
  check_refused(room, "run " + four_racks + " --heat heat.png", "E0404", "--heat");
  check_refused(room, "run " + four_racks + " --heat heat.csv --timeline heat.csv", "E0405", "two outputs");
}

TEST_CASE("classes of utilisation cover everything from idle to full", "[tools][heat]") {
  CHECK(heat_class(0) == 0);
  CHECK(heat_class(0.009) == 1);
  CHECK(heat_class(0.01) == 2);
  CHECK(heat_class(0.39) == 6);
  CHECK(heat_class(1) == heat_class_count - 1);
  CHECK(heat_class_name(0) == "idle");
  CHECK(heat_class_name(1) == "below 1 %");
  CHECK(heat_class_name(2) == "1 to 2 %");
  CHECK(heat_class_name(heat_class_count - 1) == "from 70 %");
}
