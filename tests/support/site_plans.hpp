// SPDX-License-Identifier: Apache-2.0
/// Sites planned from a few words: a cluster as text or from configs/clusters, in a facility of configs/facilities.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/site/plant/site_plan.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catalog_nodes.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright::testing {

inline JsonValue json_of(const std::string& text) {
  return read_json(std::make_shared<const SourceText>("test.json", text));
}

inline Cluster cluster_of(const JsonValue& json) {
  return build_cluster(decode_record<ClusterSpec>(json), shipped_parts(), json);
}

inline Cluster cluster_of(const std::string& text) {
  return cluster_of(json_of(text));
}

/// A file of configs/clusters, without the layer that reads files for users.
inline Cluster cluster_file(const std::string& name) {
  return cluster_of(read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (name + ".json")));
}

/// `changes` over `base`, objects field by field.
inline JsonValue changed(JsonValue base, const JsonValue& changes) {
  if (!base.is(JsonKind::object) || !changes.is(JsonKind::object)) return changes;
  for (const auto& [key, change] : changes.members()) {
    const JsonValue* known = base.find(key);
    base.set(key, known ? changed(*known, change) : change);
  }
  return base;
}

inline JsonValue facility_file(const std::string& name) {
  JsonValue own = read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "facilities" / (name + ".json"));
  const JsonValue* like = own.find("like");
  return like ? changed(facility_file(like->as_text()), own) : own;
}

/// A file of configs/facilities with changes.
inline Facility facility_of(const std::string& name, const std::string& changes = "{}") {
  const JsonValue json = changed(facility_file(name), json_of(changes));
  return complete_facility(decode_record<FacilitySpec>(json), shipped_parts(), json);
}

/// Nothing but nodes, the network that trains and its managers: for counts that are published so.
inline const std::string only_training = R"("services": {"networks": [], "spare_node_share": 0})";

struct SiteLoad {
  NodePower node;  ///< zero: nodes draw nothing, which counts do not ask for
  int appliances = 0;
  bool keep_runs = false;
};

inline SitePlan planned(const Cluster& cluster, const Facility& facility, const SiteLoad& load = {}) {
  const Catalog catalog = with_own_parts(shipped_parts(), cluster.spec);
  return plan_site({cluster, catalog, facility, load.node, load.appliances, load.keep_runs});
}

/// Nodes draw `share` of what they are rated at.
inline SitePlan planned_at_load(const Cluster& cluster, const Facility& facility, double share, SiteLoad load = {}) {
  load.node.accelerators_rated = cluster.node_accelerators * cluster.accelerator.power.value;
  const Watts rated = planned(cluster, facility, {load.node, load.appliances, false}).node.rated;
  load.node.mean = share * rated;
  load.node.swing = {rated, rated, share * rated};
  load.node.accelerators_mean = std::min(load.node.mean, share * load.node.accelerators_rated);
  return planned(cluster, facility, load);
}

// --- Counts of a plan -----------------------------------------------------------------------------------------------

inline long long switches_in(const SitePlan& plan, const std::string& network, const std::string& tier = {}) {
  long long count = 0;
  for (const SwitchTotal& total : plan.switches)
    if (total.network == network && (tier.empty() || total.tier == tier)) count += total.count;
  return count;
}

inline long long links_in(const SitePlan& plan, const std::string& network, const std::string& link = {}) {
  long long count = 0;
  for (const CableTotal& total : plan.cables)
    if (total.network == network && (link.empty() || total.link == link)) count += total.links;
  return count;
}

inline int racks_of(const SitePlan& plan, RackRole role) {
  int count = 0;
  for (const PlacedRack& rack : plan.floor.racks) count += rack.role == role;
  return count;
}

inline long long billed(const SitePlan& plan, BillChapter chapter, const std::string& part = {}) {
  long long count = 0;
  for (const BillItem& item : plan.bill)
    if (item.chapter == chapter && (part.empty() || item.part == part)) count += item.count;
  return count;
}

/// The verdicts that do not hold, for messages of tests.
inline std::string failed_verdicts(const SitePlan& plan) {
  std::string out;
  for (const SiteVerdict& verdict : plan.verdicts)
    if (!verdict.holds) out += verdict.what + ": " + verdict.arithmetic + "\n";
  return out;
}

}  // namespace clusterwright::testing
