// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/facility_files.hpp"

#include <algorithm>

#include "models/job/configs_directory.hpp"
#include "models/job/inherited_lists.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

namespace {

constexpr const char* folder = "facilities";
constexpr int longest_chain = 8;

/// Drops blocks that are null, as written-out defaults are: every facility has them, so its base fills them in.
void forget_null_blocks(JsonValue& facility, const JsonValue& base) {
  std::erase_if(facility.members(), [&](const JsonValue::Member& member) {
    const JsonValue* below = base.find(member.first);
    return member.second.is_null() && below && below->is(JsonKind::object);
  });
}

JsonValue filled_in(JsonValue facility, const std::string& usual, std::vector<InputFile>& inputs, int depth) {
  const JsonValue* like = facility.find("like");
  std::string name = like && like->is(JsonKind::text) ? like->as_text() : "";
  if (name.empty()) name = usual;
  if (name == "none") return facility;
  if (depth == longest_chain)
    throw ConfigError({"E0501", "facilities refer to each other in a circle", {facility.place("")}, "", ""});
  const ReferenceReader read = [&](const std::filesystem::path& file) { return read_input(file, inputs); };
  JsonValue base = read_named_file(base_file(folder, "facility", name, facility),
                                   record(static_cast<const FacilitySpec*>(nullptr)), like ? *like : facility, read);
  base = filled_in(std::move(base), "none", inputs, depth + 1);
  forget_null_blocks(facility, base);
  return laid_over(std::move(facility), std::move(base));
}

/// Least rated power of nodes that stand in a hall; others stand in a room.
constexpr Watts least_hall = 200 * kilowatt;

std::string usual_facility(const Cluster& cluster, const Catalog& catalog) {
  const NodePart* node = catalog.find_node(cluster.spec.node.part);
  if (node && !node->machine.empty()) return "rack-scale";
  if (node && node->needs_liquid && node->needs_liquid->value) return "direct-to-chip";
  const Watts rated = node && node->max_power ? node->max_power->value
                                              : cluster.spec.node.host_power.value +
                                                    cluster.node_accelerators * cluster.accelerator.power.value;
  return rated * cluster.nodes() < least_hall ? "room" : "air";
}

}  // namespace

JsonValue facility_document(const Cluster& cluster, const Catalog& catalog, const JsonValue& document,
                            std::vector<InputFile>& inputs) {
  const JsonValue* own = document.find("facility");
  JsonValue facility = own && own->is(JsonKind::object) ? *own : JsonValue::object();
  if (!facility.source && !facility.members().empty()) {  // made by a setting: it stands where its first field does
    const JsonValue& first = facility.members().front().second;
    facility.source = first.source;
    facility.length = first.length;
  }
  facility = filled_in(std::move(facility), usual_facility(cluster, catalog), inputs, 0);
  refuse_open_changes(facility);
  return facility;
}

Facility load_facility(const Cluster& cluster, const Catalog& catalog, const JsonValue& document,
                       const std::string& pointer, std::vector<InputFile>& inputs) {
  const JsonValue* own = document.find("facility");
  const JsonValue facility = facility_document(cluster, catalog, document, inputs);
  const bool inside = own && own->source == document.source;
  return complete_facility(decode_record<FacilitySpec>(facility), catalog, facility,
                           inside ? pointer + "/facility" : "");
}

JsonValue effective_facility(const Facility& facility) {
  return encode_record(FacilitySpec{"none", "", facility.power_usage_effectiveness,
                                    facility.design_power_usage_effectiveness, facility.rack, facility.hall,
                                    facility.power, facility.cooling, facility.services, facility.stabilization});
}

Facility complete_facility_file(const JsonValue& document, const Catalog& catalog) {
  std::vector<InputFile> unused;
  const JsonValue facility = filled_in(document, "air", unused, 0);
  return complete_facility(decode_record<FacilitySpec>(facility), catalog, facility);
}

}  // namespace clusterwright
