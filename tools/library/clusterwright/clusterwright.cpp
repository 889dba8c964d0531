// SPDX-License-Identifier: Apache-2.0
#include "tools/library/clusterwright/clusterwright.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "models/job/configs_directory.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/site/plant/facility_files.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/diagnostic.hpp"
#include "tools/cluster_session.hpp"

namespace clusterwright {

namespace {

PredictedRun plain(const TrainingRun& from) {
  return {from.steps,
          from.time.value.in(day),
          from.time.low.in(day),
          from.time.high.in(day),
          from.accelerator_hours.value,
          from.nodes_energy.value.in(1e3 * kilowatt_hour)};
}

PredictedStep plain(const StepPrediction& from) {
  PredictedStep to;
  to.accelerators = from.accelerators;
  to.fits = from.fits;
  to.verdict = from.verdict;
  to.step_time_s = from.step_time.in(second);
  to.step_time_low_s = from.low.in(second);
  to.step_time_high_s = from.high.in(second);
  to.tokens_per_s = from.tokens_per_second;
  to.mfu = from.mfu;
  to.nodes_kw = from.power.nodes_mean.in(kilowatt);
  to.energy_per_token_j = from.power.energy_per_token.in(joule);
  for (std::size_t cause = 0; cause < step_charge_count; ++cause)
    to.breakdown_s[std::string(step_charge_names[cause])] = from.breakdown[cause].in(second);
  to.bottleneck = from.bottleneck;
  if (from.training) to.training_run = plain(*from.training);
  return to;
}

SizedSite plain(const SizedCluster& from) {
  SizedSite to;
  const SitePlan& plan = from.plan;
  to.holds = plan.holds();
  to.accelerators = plan.accelerators;
  to.nodes = plan.nodes;
  to.racks = static_cast<int>(plan.floor.racks.size());
  for (const PricedItem& priced : from.cost.items)
    to.items.push_back(
        {priced.item.part, priced.item.use, priced.item.count, priced.each.value_or(Dollars{}).in(dollar)});
  to.nodes_kw = plan.mean.nodes.in(kilowatt);
  to.it_kw = plan.mean.it.in(kilowatt);
  to.site_kw = plan.mean.facility.in(kilowatt);
  to.capex_usd = from.cost.capex_total.in(dollar);
  to.usd_per_accelerator_hour = from.cost.per_hour.total().in(dollar);
  to.utilisation = from.cost.utilisation;
  to.goodput = from.cost.goodput;
  if (from.run) {
    to.run_usd = from.run->total.value.in(dollar);
    to.run_usd_low = from.run->total.low.in(dollar);
    to.run_usd_high = from.run->total.high.in(dollar);
  }
  for (const SiteVerdict& verdict : plan.verdicts)
    if (!verdict.holds) to.failed.push_back(verdict.what + ": " + verdict.arithmetic);
  return to;
}

CollectiveOp op_named(const std::string& name) {
  const auto& names = collective_op_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<CollectiveOp>(found - names.begin());
  throw ConfigError(
      {"E0203", "unknown collective \"" + name + "\"", {}, "", did_you_mean(name, {names.begin(), names.end()})});
}

PredictedCollective plain(const CollectiveAnswer& from) {
  PredictedCollective to;
  to.bytes = static_cast<std::int64_t>(from.bytes.in(byte));
  to.time_s = from.time.in(second);
  to.time_low_s = from.low.in(second);
  to.time_high_s = from.high.in(second);
  to.bus_bandwidth_gb_per_s = from.bus_bandwidth.in(gigabyte_per_second);
  to.algorithm = algorithm_names[static_cast<std::size_t>(from.algorithm)];
  to.protocol = protocol_names[static_cast<std::size_t>(from.protocol)];
  to.limit = from.limit;
  return to;
}

}  // namespace

Study::Study(const std::string& scenario_file, const std::vector<std::string>& settings,
             const std::string& parameters) {
  ScenarioOptions options;
  options.settings = settings;
  if (!parameters.empty()) options.parameters = parameters;
  scenario_ = std::make_shared<const Scenario>(load_scenario(scenario_file, options));
}

PredictedStep Study::predict() const {
  return plain(predict_step(*scenario_));
}

PredictedScale Study::scale(const std::vector<int>& accelerators, bool strong) const {
  const ScaleCurve curve = predict_scale(*scenario_, accelerators, strong, {});
  PredictedScale out;
  for (const ScalePoint& point : curve.points)
    out.points.push_back({plain(point.step), point.efficiency, point.reason});
  out.knee = curve.knee.value_or(0);
  return out;
}

SizedSite Study::size() const {
  const Scenario& scenario = *scenario_;
  const JsonValue& document = scenario.source.at("cluster");
  const std::string pointer = document.source == scenario.source.source ? "/cluster" : "";
  std::vector<InputFile> inputs;
  const Catalog catalog = catalog_of(scenario);
  const Facility facility = load_facility(scenario.cluster, catalog, document, pointer, inputs);
  const PriceList prices = load_prices(scenario.source, catalog, inputs);
  return plain(size_cluster({scenario.cluster, catalog, facility, prices, scenario_.get()}));
}

std::vector<PredictedCollective> predict_collectives(const std::string& cluster_file,
                                                     const CollectiveQuestion& question) {
  ClusterSession session = open_cluster(cluster_file, {});
  const Cluster& cluster = session.cluster;
  GroupRequest group;
  group.ranks = question.accelerators > 0 ? question.accelerators : cluster.spec.accelerators;
  CollectiveRequest request;
  request.op = op_named(question.op);
  request.groups = make_groups(group, cluster);
  const CollectiveSet parameters = load_collective_set(cluster.accelerator, "", session.inputs);
  const std::optional<RoutedNetwork> network = route_network(session, {});
  const CollectivePredictor predictor(cluster, parameters, network ? &*network : nullptr, request);
  std::vector<PredictedCollective> out;
  for (const std::int64_t bytes : question.bytes)
    out.push_back(plain(predictor.predict(static_cast<double>(bytes) * byte)));
  return out;
}

std::string shipped_file(const std::string& name) {
  return (configs_directory() / name).string();
}

bool set_data_folder(const std::string& folder) {
  set_configs_directory(std::filesystem::path(folder) / "configs");
  return true;
}

}  // namespace clusterwright
