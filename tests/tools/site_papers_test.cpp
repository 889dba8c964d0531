// SPDX-License-Identifier: Apache-2.0
// Papers of `size` for those who build the site: devices by rack unit, and both ends of every cable.
#include <algorithm>
#include <set>
#include <sstream>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string paper_cluster = "'" CLUSTERWRIGHT_CONFIGS "/clusters/dgx-h100-127.json' ";

/// Lines of a CSV file without its heading.
std::vector<std::string> rows_of(const ProgramRoom& room, const std::string& file) {
  std::istringstream text(content(room.at(file)));
  std::vector<std::string> rows;
  for (std::string line; std::getline(text, line);) rows.push_back(line.substr(0, line.find('\r')));
  REQUIRE(!rows.empty());
  rows.erase(rows.begin());
  return rows;
}

long long count(const std::vector<std::string>& rows, const std::string& words) {
  return std::count_if(rows.begin(), rows.end(), [&](const std::string& row) { return has(row, words); });
}

}  // namespace

TEST_CASE("the patch list has a row for each cable, with both ends and the routed length", "[tools][papers]") {
  const ProgramRoom room;
  REQUIRE(room.run("size " + paper_cluster + "--patch-list cables.csv -o size.json").code == 0);
  const auto rows = rows_of(room, "cables.csv");
  CHECK(count(rows, ",training,node-leaf,") == 127 * 8);
  CHECK(count(rows, ",training,leaf-spine,") == 32 * 32);
  CHECK(count(rows, ",training,manager-leaf,") == 4);
  // Node in units 1 to 8 of C1, middle 0.1 + 4 x 0.04445 = 0.2778 m; leaf in unit 1 of N1, middle 0.122225 m; tray
  // 0.4 m above a frame of 2.27 m; 4 racks of 0.8 m: 2.3922 + 3.2 + 2.547775 + 2.5 m of slack = 10.639975 m.
  const std::string& first = rows.front();
  CHECK(first.starts_with("000001,training,node-leaf,C1,1,node,C1-U1,training 1,N1,1,training leaf,N1-U1,1,fibre,"));
  CHECK(first.ends_with(",10.639975,15"));
}

TEST_CASE("elevations name every device of every rack at its unit", "[tools][papers]") {
  const ProgramRoom room;
  REQUIRE(room.run("size " + paper_cluster + "--elevations racks.csv -o size.html").code == 0);
  const auto rows = rows_of(room, "racks.csv");
  CHECK(rows.front() == "C1,1,1,1,8,node,DGX H100,C1-U1");
  CHECK(rows[1] == "C1,1,1,9,8,node,DGX H100,C1-U9");  // stands on the first: units 1 to 8
  CHECK(count(rows, ",node,DGX H100,") == 127);
  CHECK(count(rows, ",training leaf,") == 32);
  const std::set<std::string> different(rows.begin(), rows.end());
  CHECK(different.size() == rows.size());  // names are unique
  const std::string page = content(room.at("size.html"));
  CHECK(has(page, "Rack elevations"));
  CHECK(has(page, "C1-U9: node, DGX H100, 8 U from unit 9"));
}

TEST_CASE("papers do not replace results, and other formats do not change with them", "[tools][papers]") {
  const ProgramRoom room;
  check_refused(room, "size " + paper_cluster + "--patch-list a.csv -o a.csv", "E0405", "two outputs");
  REQUIRE(room.run("size " + paper_cluster + "-o plain.csv").code == 0);
  REQUIRE(room.run("size " + paper_cluster + "-o with.csv --elevations e.csv --patch-list p.csv").code == 0);
  CHECK(content(room.at("plain.csv")) == content(room.at("with.csv")));
}

TEST_CASE("a margin of reach refuses parts that would only just do", "[tools][papers]") {
  const ProgramRoom room;
  const auto short_optics_of_30_m = [&](const std::string& settings) {
    REQUIRE(
        room.run("size " + paper_cluster + "--set facility.hall.slack_m=15 --patch-list c.csv -o c.json " + settings)
            .code == 0);
    const auto rows = rows_of(room, "c.csv");
    return std::count_if(rows.begin(), rows.end(),
                         [](const std::string& row) { return has(row, "SR8") && row.ends_with(",30"); });
  };
  CHECK(short_optics_of_30_m("") > 0);                                         // SR8 reaches 50 m
  CHECK(short_optics_of_30_m("--set facility.services.reach_margin=1") == 0);  // 30 m with a margin of 100 %: 60 m
}

TEST_CASE("spare parts are bought where the facility asks for them", "[tools][papers]") {
  const ProgramRoom room;
  REQUIRE(room.run("size " + paper_cluster + "-o plain.csv").code == 0);
  REQUIRE(room.run("size " + paper_cluster + "-o spares.csv --set facility.services.spares.lead_time_weeks=8").code ==
          0);
  CHECK(count(rows_of(room, "plain.csv"), ",spare,") == 0);
  // 48 QM9700 x 2 % x 8 weeks: m = 0.147, e^-m = 0.863, e^-m (1 + m) = 0.990: one covers 95 %
  CHECK(count(rows_of(room, "spares.csv"), "network,QM9700/QM9790,spare,1,") == 1);
  // 127 x 6 supplies x 3.5 % x 8 weeks: m = 4.089; 7 cover 94.3 %, 8 cover 97.6 %
  CHECK(count(rows_of(room, "spares.csv"), "compute,Power supply 3.3 kW,spare of DGX H100,8,") == 1);
  REQUIRE(room.run("size " + paper_cluster +
                   "-o other.json --set facility.services.spares.lead_time_weeks=8 --set 'node={\"part\": \"HGX H100 "
                   "8-GPU (OEM 4-8U)\"}'")
              .code == 0);
  CHECK(has(content(room.at("other.json")), "spare power supplies of HGX H100 8-GPU (OEM 4-8U)"));
}

TEST_CASE("top switches in one row of several are named as one failure domain", "[tools][papers]") {
  const ProgramRoom room;
  const auto remark = [&](const std::string& settings) {
    return has(room.run("size " + paper_cluster + settings).out, "whatever stops that row stops the network");
  };
  CHECK(remark(""));                                        // 16 spines in K1, 5 rows or so
  CHECK(!remark("--set facility.hall.racks_per_row=100"));  // a single row has no other
}
