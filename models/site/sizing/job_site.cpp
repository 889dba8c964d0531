// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/job_site.hpp"

#include <algorithm>

#include "models/job/configs_directory.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/training_run.hpp"
#include "models/site/plant/devices.hpp"
#include "models/site/plant/facility_files.hpp"
#include "models/site/plant/heat_removal.hpp"
#include "models/site/sizing/power_budgets.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

Watts accelerators_rated(const Cluster& cluster) {
  return cluster.node_accelerators * cluster.accelerator.power.value;
}

/// Node with the cooling of its hall.
struct CooledNode {
  explicit CooledNode(const SiteParts& parts) : cluster(parts.cluster) {
    const RackCoolingPart& racks = *cooling_parts(parts.facility.cooling, parts.catalog).racks;
    std::vector<std::string> unused;  // the plan gives the same warnings
    block = compute_block(cluster, parts.catalog, racks, unused);
    saved = fan_saving(*block.node, racks, parts.catalog);
  }

  /// Host power without the fans that the cooling removes.
  Watts host_power() const {
    const Watts host = cluster.spec.node.host_power.value;
    return std::max(Watts{}, host - saved * (host + accelerators_rated(cluster)));
  }

  const Cluster& cluster;
  ComputeBlock block;
  double saved = 0;
};

std::optional<StorageSizing> storage_for(const SiteParts& parts, const Scenario* scenario, const StepPrediction* step) {
  const auto& need = parts.facility.services.storage;
  if (!need) return {};
  const StoragePart& part = *find_part(parts.catalog.storage_systems, need->part);
  const std::optional<Bytes> memory = parts.cluster.spec.node.host.memory;
  return size_storage({*need, part, parts.cluster.nodes(), memory, scenario, step});
}

/// Facility of the cluster, which stands in the scenario's file or in one of its own.
Facility facility_of(const Scenario& scenario, const Catalog& catalog, std::vector<InputFile>& inputs) {
  const JsonValue& cluster = scenario.source.at("cluster");
  const bool in_line = cluster.source == scenario.source.source;
  return load_facility(scenario.cluster, catalog, cluster, in_line ? "/cluster" : "", inputs);
}

bool says_something(const JsonValue& facility) {
  const auto& members = facility.members();
  return std::any_of(members.begin(), members.end(), [](const JsonValue::Member& member) {
    const JsonValue& value = member.second;
    return !value.is_null() && !(value.is(JsonKind::text) && value.as_text().empty());
  });
}

}  // namespace

namespace {

/// All accelerators of one node at their power limits.
Watts accelerators_limited(const Cluster& cluster) {
  const AcceleratorPart& part = cluster.accelerator;
  return cluster.node_accelerators * part.limit_or_rating();
}

}  // namespace

NodePower typical_node_power(const SiteParts& parts) {
  const CooledNode node(parts);
  const NodePart& whole = node.block.machine ? *node.block.machine : *node.block.node;
  const bool stated = whole.typical_power.has_value();
  NodePower out;
  out.mean = (stated ? whole.typical_power->value : loaded_share_of_rating * whole.max_power->value) /
             node.block.nodes * (1 - node.saved);
  out.mean = std::min(out.mean, node.block.device.rated / node.block.nodes);
  out.accelerators_rated = accelerators_limited(parts.cluster);
  out.accelerators_mean = std::max(Watts{}, out.mean - node.host_power());
  out.source = stated ? whole.typical_power->source : "0.76 of the rating (H100-NODE)";
  return out;
}

NodePower replayed_node_power(const SiteParts& parts, const StepPrediction& step) {
  const PowerUse& power = step.power;
  const double nodes = parts.cluster.nodes();
  NodePower out;
  out.mean = power.nodes_mean / nodes;
  out.swing = {power.nodes_peak / nodes, power.nodes_crest / nodes, power.nodes_trough / nodes};
  out.accelerators_rated = accelerators_limited(parts.cluster);
  out.accelerators_mean = std::max(Watts{}, out.mean - power.node_host);
  out.source = "replayed step";
  return out;
}

Scenario cooled_in_hall(const Scenario& scenario, const SiteParts& parts) {
  Scenario cooled = scenario;
  cooled.cluster.spec.node.host_power.value = CooledNode(parts).host_power();
  return cooled;
}

SitePower site_power(const SitePlan& plan) {
  return {plan.mean.it, plan.crest->it, plan.peak->it, plan.mean.facility, plan.rated.facility};
}

PlannedSite plan_job_site(const SiteParts& parts, const NodePower& node, const Scenario* scenario,
                          const StepPrediction* step) {
  PlannedSite out{{}, storage_for(parts, scenario, step)};
  const int appliances = out.storage ? static_cast<int>(out.storage->appliances) : 0;
  out.plan = plan_site({parts.cluster, parts.catalog, parts.facility, node, appliances, parts.every_cable});
  return out;
}

namespace {

/// Step in no hall. Its budgets, which only a hall has, do not act.
StepPrediction without_site(const Scenario& scenario, const std::string& why, const Facility& facility) {
  StepPrediction step = predict_step(scenario);
  step.power.no_site = why;
  if (facility.power.capping != Capping::none)
    step.warnings.push_back("facility.power.capping limits nothing here: " + why);
  return step;
}

}  // namespace

JobSite::JobSite(const Scenario& scenario, std::vector<InputFile>& inputs)
    : catalog_(catalog_of(scenario)), facility_(facility_of(scenario, catalog_, inputs)) {}

void JobSite::complete(JsonValue& scenario) const {
  JsonValue* cluster = scenario.find("cluster");
  const JsonValue* own = cluster ? cluster->find("facility") : nullptr;
  if (own && says_something(*own)) cluster->set("facility", effective_facility(facility_));
}

std::vector<Origin> JobSite::origins(const Scenario& scenario) const {
  JsonValue effective = effective_scenario(scenario), written = scenario.source;
  complete(effective);
  JsonValue& cluster = *written.find("cluster");
  const JsonValue* own = cluster.find("facility");
  std::vector<InputFile> read;  // the constructor has named them
  if (own && says_something(*own))
    cluster.set("facility", facility_document(scenario.cluster, catalog_, cluster, read));
  return clusterwright::origins(effective, written);
}

StepPrediction JobSite::predict(const Scenario& scenario) const {
  if (scenario.cluster.kinds() > 1)
    return without_site(scenario, "a hall for nodes of several kinds is not planned yet", facility_);
  std::vector<InputFile> read;  // the constructor has named them
  const Facility facility = facility_of(scenario, catalog_, read);
  const SiteParts parts{scenario.cluster, catalog_, facility};
  std::optional<Scenario> cooled;
  std::string no_site;
  try {
    cooled = cooled_in_hall(scenario, parts);
  } catch (const ConfigError& error) {  // nodes that cannot be placed
    no_site = error.diagnostics().front().message;
  }
  if (!cooled) return without_site(scenario, no_site, facility);
  auto [limited, step, held_in] = predict_within_budgets(*cooled, parts);
  const SiteParts held{limited.cluster, catalog_, held_in};
  try {
    step.power.site = site_power(plan_job_site(held, replayed_node_power(held, step), &limited, &step).plan);
  } catch (const ConfigError& error) {  // networks that cannot be built
    no_site = error.diagnostics().front().message;
  }
  step.power.no_site = no_site;
  if (step.training && step.power.site) add_site_energy(*step.training, *step.power.site);
  return step;
}

SitedStep JobSite::plan(const Scenario& scenario) const {
  std::vector<InputFile> read;  // the constructor has named them
  SitedStep out{scenario, {}, {}, facility_of(scenario, catalog_, read)};
  const SiteParts parts{scenario.cluster, catalog_, out.facility};
  BudgetedStep budgeted = predict_within_budgets(cooled_in_hall(scenario, parts), parts);
  out.scenario = std::move(budgeted.scenario);
  out.step = std::move(budgeted.step);
  out.facility = std::move(budgeted.facility);
  const SiteParts held{out.scenario.cluster, catalog_, out.facility};
  out.plan = plan_job_site(held, replayed_node_power(held, out.step), &out.scenario, &out.step).plan;
  out.step.power.site = site_power(out.plan);
  return out;
}

SizedCluster JobSite::size(const Scenario& scenario, const PriceList& prices) const {
  std::vector<InputFile> read;  // the constructor has named them
  const Facility facility = facility_of(scenario, catalog_, read);
  return size_cluster({scenario.cluster, catalog_, facility, prices, &scenario});
}

DecidedPlan JobSite::decide(const Scenario& scenario, const SearchEffort& effort) const {
  std::vector<InputFile> read;  // the constructor has named them
  const Facility facility = facility_of(scenario, catalog_, read);
  return decide_plan(cooled_in_hall(scenario, {scenario.cluster, catalog_, facility}), OpenFields::best, effort);
}

SizedCluster JobSite::size(const Scenario& scenario, const PriceList& prices, const GivenPlan& given) const {
  Scenario stated = given.decided.chosen.scenario;
  stated.cluster.spec.node.host_power = scenario.cluster.spec.node.host_power;  // before cooling
  if (!given.decided.searched) return size(stated, prices);
  std::vector<InputFile> read;  // the constructor has named them
  const Facility facility = facility_of(stated, catalog_, read);
  return size_cluster({stated.cluster, catalog_, facility, prices, &stated, false, &given});
}

}  // namespace clusterwright
