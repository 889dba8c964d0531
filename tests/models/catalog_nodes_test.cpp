// SPDX-License-Identifier: Apache-2.0
// Every node of the catalog has a place in a rack, or a reason why it has none.
#include <set>
#include <string>

#include "models/site/plant/devices.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Machines that are sold as racks; their trays are the nodes.
std::set<std::string> racks_of_trays() {
  std::set<std::string> out;
  for (const NodePart& part : shipped_parts().nodes)
    if (!part.machine.empty()) out.insert(part.machine);
  return out;
}

Cluster one_of(const NodePart& part) {
  return cluster_of(fmt::format(R"({{"name": "one", "accelerators": {}, "node": {{"part": "{}"}}}})",
                                part.accelerator_count->value, part.id));
}

const char* facility_for(const NodePart& part) {
  if (part.machine == "HPE Cray EX cabinet, EX235a") return "liquid-cabinets";
  if (!part.machine.empty()) return "rack-scale";
  return part.needs_liquid && part.needs_liquid->value ? "direct-to-chip" : "room";
}

/// Cause in the refusal of a node; empty where it is planned.
std::string refusal_of(const NodePart& part, std::vector<std::string>& remarks) {
  try {
    const Facility facility = facility_of(facility_for(part), "{" + only_training + "}");
    remarks = planned(one_of(part), facility).warnings;
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    CHECK(first.code == "E0350");
    return first.underline;
  }
  return {};
}

}  // namespace

TEST_CASE("every node of the catalog stands in a rack, or says why not", "[models][facility][catalog]") {
  const std::set<std::string> racks = racks_of_trays();
  int planned_nodes = 0, refused = 0;
  for (const NodePart& part : shipped_parts().nodes) {
    if (racks.contains(part.id)) continue;  // E0358 as a node
    INFO(part.id);
    std::vector<std::string> remarks;
    const std::string cause = refusal_of(part, remarks);
    const bool reason = !part.no_rack.empty() || part.rented;
    if (cause.empty()) {
      ++planned_nodes;
      // A part of its own is planned as itself; only instances of clouds have another in their place.
      for (const std::string& remark : remarks) CHECK((part.rented || remark.find("racks are planned with") != 0));
      CHECK(part.no_rack.empty());
    } else {
      ++refused;
      CHECK(reason);
      CHECK(cause.find("not known") == std::string::npos);
    }
  }
  CHECK(planned_nodes >= 55);
  CHECK(refused >= 10);
}

// Makers sell these accelerators in servers with cold plates too.
TEST_CASE("a server for air is refused under liquid with the name of one that is sold with it",
          "[models][facility][catalog]") {
  const RackCoolingPart& plates = *find_part(shipped_parts().rack_cooling, "direct-to-chip");
  for (const char* id : {"DGX H100", "DGX H200", "DGX B200", "DGX B300 (AC)"})
    CHECK(air_only_words(*shipped_parts().find_node(id), plates, shipped_parts()).find("\"HGX ") != std::string::npos);
  CHECK(air_only_words(*shipped_parts().find_node("DGX-2"), plates, shipped_parts())
            .ends_with("direct-to-chip: cool by air"));
}

// Rated powers of whole racks as published or derived from published ones: NVL72 132 kW (GB300-SMC) and 140, four DGX
// H100 40.8 kW (NETBOX), a Cray EX cabinet 338 kW, a cube of 64 TPU v4 17.9 kW with its hosts.
TEST_CASE("racks of catalog nodes draw what is published", "[models][facility][catalog]") {
  const auto rack_kw = [](const char* id, int nodes) {
    const NodePart& part = *shipped_parts().find_node(id);
    const NodePart& whole = part.machine.empty() ? part : *shipped_parts().find_node(part.machine);
    const int trays = part.machine.empty() ? 1 : whole.accelerator_count->value / part.accelerator_count->value;
    return whole.max_power->value.in(kilowatt) / trays * nodes;
  };
  CHECK(rack_kw("GB200 compute tray", 18) == Approx(132));
  CHECK(rack_kw("GB300 compute tray", 18) == Approx(140));
  CHECK(rack_kw("DGX H100", 4) == Approx(40.8));
  CHECK(rack_kw("Frontier EX235a node", 128) == Approx(337.9).epsilon(1e-3));
  CHECK(rack_kw("TPU v4 host of a 16x16x16 slice", 16) == Approx(17.9).epsilon(1e-2));
}

// 32 racks of four HGX servers: a unit of 4 U in each, two where one must be spare; 48 - 6 - 4 = 38 U are left, or 34.
// A unit of 250 kW carries 28 nodes of 8.7 kW in liquid.
TEST_CASE("coolant units inside racks take their units and serve their rack alone", "[models][facility]") {
  const JsonValue dgx = read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters/dgx-h100-127.json");
  const Cluster cluster = cluster_of(changed(dgx, json_of("{\"node\": {\"part\": \"HGX H100 8-GPU (OEM 4-8U)\"}}")));
  for (const auto& [redundancy, units, room] : {std::tuple("n", 1, "38 U"), std::tuple("n+1", 2, "34 U")}) {
    const std::string cooling =
        fmt::format(R"("cooling": {{"coolant_unit": "In-rack unit 250 kW", "redundancy": "{}"}})", redundancy);
    const SitePlan plan =
        planned(cluster, facility_of("direct-to-chip", fmt::format("{{{}, {}}}", cooling, only_training)));
    CHECK(plan.cooling.coolant_units == units * plan.floor.count(RackRole::compute));
    bool height = false, coolant = false;
    for (const RackLimit& limit : plan.floor.limits) {
      height = height || (limit.kind == RackLimitKind::height && limit.arithmetic.find(room) == 0);
      coolant = coolant || (limit.kind == RackLimitKind::cooling && limit.nodes == 28);
    }
    CHECK(height);
    CHECK(coolant);
  }
}
