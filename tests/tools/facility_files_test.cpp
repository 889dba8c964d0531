// SPDX-License-Identifier: Apache-2.0
// What surrounds a cluster, through files, "like" and --set.
#include <filesystem>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
namespace fs = std::filesystem;

namespace {

const std::string dgx_superpod = "'" CLUSTERWRIGHT_CONFIGS "/clusters/dgx-h100-127.json' ";

JsonValue sized(const ProgramRoom& room, const std::string& arguments) {
  const Outcome outcome = room.run("size " + arguments + " --format json");
  INFO("clusterwright size " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.json();
}
JsonValue sized(const std::string& arguments) {
  return sized(ProgramRoom(), arguments);
}

long long compute_racks(const JsonValue& result) {
  return result.at("racks").at("compute").as_integer();
}
std::string cooling(const JsonValue& result) {
  return result.at("cooling").at("kind").as_text();
}
std::string frame(const JsonValue& result) {
  return result.at("floor").at("frame").as_text();
}

/// 16 DGX H100 on one leaf, with this facility.
std::string cluster_in(const std::string& facility, const std::string& node = R"({"part": "DGX H100"})",
                       const std::string& parts = "{}") {
  return R"({"name": "Sixteen nodes", "source": "a test", "accelerators": 128, "node": )" + node + R"(,
  "fabric": {"transport": "infiniband", "tiers": [
    {"name": "leaf", "accelerators": 256, "switch": "QM9700/QM9790"}, {"name": "spine", "switch": "QM9700/QM9790"}]},
  "parts": )" +
         parts + (facility.empty() ? "" : ",\n  \"facility\": " + facility) + "}";
}

/// A room with a cluster, its facility given in line.
class ClusterRoom : public ProgramRoom {
 public:
  explicit ClusterRoom(const std::string& facility) { write("cluster.json", cluster_in(facility)); }
  JsonValue size(const std::string& settings = "") const { return sized(*this, "cluster.json " + settings); }
  void check_refused(const std::string& code, const std::string& words) const {
    testing::check_refused(*this, "size cluster.json -o out.json", code, words);
  }
};

}  // namespace

TEST_CASE("nodes decide which facility is the usual one", "[tools][facility]") {
  const ProgramRoom room;
  CHECK(cooling(sized(dgx_superpod)) == "contained air");
  const JsonValue nvl72 = sized("'" CLUSTERWRIGHT_CONFIGS "/clusters/gb200-nvl72.json'");
  CHECK(cooling(nvl72) == "direct-to-chip");
  CHECK(frame(nvl72) == "OCP ORV3 / MGX");  // of rack-scale alone
  room.write("wet.json", cluster_in("", R"({"part": "Wet"})", R"({"nodes": [{"id": "Wet",
    "accelerator_id": "H100-SXM", "accelerator_count": 8, "nic_id": "ConnectX-7 NDR", "nic_count": 8, "height_u": 4,
    "mass_kg": 100, "max_power_kw": 11, "needs_liquid": true, "host_power_w": 2000}]})"));
  const JsonValue wet = sized(room, "wet.json");
  CHECK(cooling(wet) == "direct-to-chip");
  CHECK(frame(wet) == "48U 800x1200");
}

TEST_CASE("a setting changes one thing of the usual facility", "[tools][facility]") {
  const JsonValue usual = sized(dgx_superpod), limited = sized(dgx_superpod + "--set facility.rack.power_limit_kw=30");
  CHECK(usual.at("floor").at("nodes_per_rack").as_integer() == 4);    // 41 kW / 10.2 kW
  CHECK(limited.at("floor").at("nodes_per_rack").as_integer() == 2);  // 30 kW / 10.2 kW
  CHECK(compute_racks(usual) == 32);
  CHECK(compute_racks(limited) == 64);
  CHECK(limited.at("racks").at("total").as_integer() > usual.at("racks").at("total").as_integer());
  CHECK(frame(limited) == frame(usual));
  CHECK(cooling(limited) == cooling(usual));
}

TEST_CASE("settings reach the facility of a scenario's cluster", "[tools][facility]") {
  const std::string job = "'" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-8b-h100-64.json' ";
  CHECK(compute_racks(sized(job)) == 2);
  CHECK(compute_racks(sized(job + "--set cluster.facility.rack.power_limit_kw=30")) == 4);
}

TEST_CASE("a facility is like another by name, and says what differs", "[tools][facility]") {
  const std::string hgx = "--set 'node.part=HGX H100 8-GPU (OEM 4-8U)' ";  // sold with cold plates too
  const JsonValue plain = ClusterRoom(R"({"like": "direct-to-chip"})").size(hgx);
  CHECK(cooling(plain) == "direct-to-chip");
  CHECK(frame(plain) == "48U 800x1200");  // from air, which direct-to-chip is like
  const JsonValue own = ClusterRoom(R"({"like": "direct-to-chip", "rack": {"frame": "42U 600x1200"}})").size(hgx);
  CHECK(cooling(own) == "direct-to-chip");
  CHECK(frame(own) == "42U 600x1200");
  const JsonValue set = ClusterRoom(R"({"like": "direct-to-chip"})").size(hgx + "--set facility.like=immersion");
  CHECK(cooling(set) == "single-phase immersion");
  for (const char* name : {"air", "direct-to-chip", "rack-scale", "immersion"})
    CHECK(sized(dgx_superpod + hgx + "--set facility.like=" + name).at("holds").as_boolean());
}

TEST_CASE("a facility is like a file beside the one that names it", "[tools][facility]") {
  const ProgramRoom room;
  fs::create_directories(room.at("halls"));
  fs::create_directories(room.at("clusters"));
  room.write("halls/base.json", R"({"like": "air", "rack": {"frame": "42U 600x1200", "nodes": 3}})");
  room.write("halls/mine.json", R"({"like": "base.json", "rack": {"nodes": 2}})");
  room.write("clusters/cluster.json", cluster_in(R"({"like": "../halls/mine.json"})"));
  const JsonValue result = sized(room, "clusters/cluster.json");
  CHECK(frame(result) == "42U 600x1200");
  CHECK(result.at("floor").at("nodes_per_rack").as_integer() == 2);
  CHECK(compute_racks(result) == 8);
  const ProgramRoom elsewhere;
  CHECK(frame(sized(elsewhere, "'" + room.at("clusters/cluster.json").string() + "'")) == "42U 600x1200");
  std::size_t halls = 0;  // every file that was read is an input
  for (const JsonValue& input : result.at("inputs").elements())
    halls += has(input.at("path").as_text(), "halls/base.json") || has(input.at("path").as_text(), "mine.json") ||
             has(input.at("path").as_text(), "facilities/air.json");
  CHECK(halls == 3);
}

TEST_CASE("a facility may be a file of its own, by its path", "[tools][facility]") {
  const ProgramRoom room;
  room.write(
      "hall.json",
      R"({"rack": {"unit_racks": 4}, "cooling": {"racks": "rear-door exchanger", "coolant_unit": "Row unit 600 kW"}})");
  room.write("cluster.json", cluster_in("\"hall.json\""));
  const JsonValue result = sized(room, "cluster.json");
  CHECK(cooling(result) == "rear-door exchanger");
  CHECK(frame(result) == "48U 800x1200");  // all else is the usual facility
  const JsonValue set = sized(room, "cluster.json --set facility.rack.nodes=1");
  CHECK(cooling(set) == "rear-door exchanger");
  CHECK(compute_racks(set) == 16);
  CHECK(has(room.run("check cluster.json hall.json").out, "hall.json: ok (facility)"));
}

TEST_CASE("lists of a facility are replaced, not joined", "[tools][facility]") {
  const JsonValue result = ClusterRoom(R"({"power": {"stages": [{"part": "PDU 500 kVA with transformer"}]}})").size();
  const auto& stages = result.at("power").at("stages").elements();
  REQUIRE(stages.size() == 2);  // and the circuits of the racks
  CHECK(stages[0].at("part").as_text() == "PDU 500 kVA with transformer");
}

TEST_CASE("a setting changes one element of a list that the base file gives", "[tools][facility]") {
  const auto redundancy = [](const JsonValue& result) {
    std::string words;
    for (const JsonValue& stage : result.at("power").at("stages").elements())
      words += stage.at("redundancy").as_text() + " ";
    return words;
  };
  const std::string two_paths = "--set facility.power.stages.1.redundancy=2n ";
  // air: transformers, UPS and busways in catcher arrangements, then circuits n+1
  CHECK(redundancy(sized(dgx_superpod)) == "catcher catcher catcher n+1 ");
  CHECK(redundancy(sized(dgx_superpod + two_paths)) == "catcher 2n catcher n+1 ");
  CHECK(redundancy(sized(dgx_superpod + two_paths +
                         "--set facility.power.stages.0.redundancy=n+1 "
                         "--set facility.power.stages.1.carries=machines")) == "n+1 2n catcher n+1 ");
  const std::string job = "'" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-8b-h100-64.json' ";  // room: n, n+1, catcher
  CHECK(redundancy(sized(job + "--set cluster.facility.power.stages.1.redundancy=2n")) == "n 2n catcher n+1 ");
}

TEST_CASE("the base of a changed list may be named after the change, or by a file", "[tools][facility]") {
  const auto part = [](const JsonValue& result, std::size_t stage) {
    return result.at("power").at("stages").elements().at(stage).at("part").as_text();
  };
  const JsonValue later = sized(dgx_superpod + "--set facility.power.stages.1.redundancy=2n --set facility.like=room");
  CHECK(part(later, 1) == "UPS 100 kVA, double conversion");
  const ProgramRoom room;
  room.write("hall.json", R"({"like": "air", "power": {"stages": [{"part": "PDU 500 kVA with transformer"}]}})");
  room.write("cluster.json", cluster_in(R"({"like": "hall.json"})"));
  CHECK(part(sized(room, "cluster.json --set facility.power.stages.0.redundancy=n+1"), 0) ==
        "PDU 500 kVA with transformer");
  check_refused(room, "size cluster.json --set facility.power.stages.1.redundancy=2n", "E0402",
                "elements are numbered from 0 to 0");
}

TEST_CASE("an element that neither file nor base has is refused with the length of the list", "[tools][facility]") {
  check_refused("size " + dgx_superpod + "--set facility.power.stages.3.redundancy=2n", "E0402",
                "elements are numbered from 0 to 2");
  check_refused("size " + dgx_superpod + "--set facility.services.networks.2.taper=2", "E0402",
                "elements are numbered from 0 to 1");
  check_refused("size " + dgx_superpod + "--set facility.power.stages.last.redundancy=2n", "E0402",
                "the list has no element \"last\"");
  check_refused("size " + dgx_superpod + "--set facility.like=bare --set facility.services.networks.0.taper=2", "E0402",
                "it is empty");
  check_refused("run '" CLUSTERWRIGHT_CONFIGS
                "/scenarios/llama3-8b-h100-64.json' "
                "--set cluster.facility.power.stages.9.redundancy=2n",
                "E0402", "elements are numbered from 0 to 2");
}

TEST_CASE("a bare facility has the network that trains and nothing else", "[tools][facility]") {
  const JsonValue bare = sized(dgx_superpod + "--set facility.like=bare");
  for (const JsonValue& total : bare.at("switches").elements()) CHECK(total.at("network").as_text() == "training");
  CHECK(bare.at("racks").at("service").as_integer() == 0);
  CHECK(bare.at("racks").at("storage").as_integer() == 0);
  CHECK(compute_racks(bare) == compute_racks(sized(dgx_superpod)));
}

TEST_CASE("an unknown facility is named with the nearest one", "[tools][facility]") {
  ClusterRoom("{\n  \"like\": \"direct-to-chop\"}").check_refused("E0203", "did you mean \"direct-to-chip\"?");
  ClusterRoom("{\n  \"like\": \"direct-to-chop\"}").check_refused("E0203", "cluster.json:6:11");
  ClusterRoom(R"({"like": "x"})")
      .check_refused("E0203", "there are: air, bare, direct-to-chip, immersion, liquid-cabinets");
  ClusterRoom(R"({"like": "hall.json"})").check_refused("E0401", "hall.json");
}

TEST_CASE("facilities that refer to each other in a circle are refused", "[tools][facility]") {
  const ClusterRoom room(R"({"like": "a.json"})");
  room.write("a.json", R"({"like": "b.json"})");
  room.write("b.json", R"({"like": "a.json"})");
  room.check_refused("E0501", "in a circle");
}

TEST_CASE("a facility like none must be complete", "[tools][facility]") {
  ClusterRoom(R"({"like": "none", "rack": {"frame": "48U 800x1200"}})").check_refused("E0351", "\"hall\"");
  const ClusterRoom room(R"({"like": "none"})");
  const Outcome outcome = room.run("size cluster.json");
  for (const char* block : {"rack", "hall", "power", "cooling", "services"})
    CHECK(has(outcome.err, std::string("the facility does not give \"") + block + "\""));
  CHECK(has(outcome.err, "cluster.json:5:15"));
  check_refused("size " + dgx_superpod + "--set facility.like=none", "E0351", "--set facility.like:1:1");
  const std::string complete = content(fs::path(CLUSTERWRIGHT_CONFIGS) / "facilities" / "air.json");
  const std::string none = "{\"like\": \"none\"," + complete.substr(complete.find('{') + 1);
  CHECK(cooling(ClusterRoom(none).size()) == "contained air");
}

TEST_CASE("an error of a facility points into the file that says it", "[tools][facility]") {
  const ClusterRoom room(R"({"like": "hall.json"})");
  room.write("hall.json", "{\"like\": \"air\", \"rack\": {\n  \"frame\": \"48U 800x1201\"}}");
  room.check_refused("E0203", "hall.json:2:12");
  room.write("hall.json", "{\"like\": \"air\", \"rack\": {\n  \"reserved_u\": -1}}");
  room.check_refused("E0202", "hall.json:2:17");
  ClusterRoom(R"({"power": {"circuit": "Circuit 415 V 61 A"}})").check_refused("E0203", "(/facility/power/circuit)");
}
