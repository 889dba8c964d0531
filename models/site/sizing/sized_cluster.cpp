// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/sized_cluster.hpp"

#include <algorithm>

#include "models/job/scenario.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/plant/devices.hpp"
#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "models/site/sizing/sized_cluster_laws.hpp"
#include "models/site/sizing/storage_sizing.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

Watts accelerators_rated(const Cluster& cluster) {
  return cluster.node_accelerators * cluster.accelerator.power.value;
}

/// Node with the cooling of its hall.
struct CooledNode {
  CooledNode(const Cluster& its_cluster, const Catalog& catalog, const CoolingSpec& spec) : cluster(its_cluster) {
    const RackCoolingPart& racks = *cooling_parts(spec, catalog).racks;
    std::vector<std::string> unused;  // the plan gives the same warnings
    block = compute_block(cluster, catalog, racks, unused);
    saved = fan_saving(*block.node, racks, catalog);
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

class Sizer {
 public:
  explicit Sizer(const SizingRequest& request)
      : request_(request), node_(request.cluster, request.catalog, request.facility.cooling) {}

  SizedCluster size() {
    out_.name = request_.cluster.spec.name;
    out_.accelerator = request_.cluster.accelerator.id;
    const NodePower node = request_.scenario
                               ? replayed_power()
                               : typical_node_power(request_.cluster, request_.catalog, request_.facility.cooling);
    size_file_system();
    const int appliances = out_.storage ? static_cast<int>(out_.storage->appliances) : 0;
    out_.plan = plan_site({request_.cluster, request_.catalog, request_.facility, node, appliances, false});
    warn();
    out_.cost = price();
    if (runs() && out_.step->training)
      out_.run = run_cost(*out_.step->training, out_.cost, out_.plan.accelerators, out_.plan.mean);
    for (const std::string& missing : out_.plan.uncounted) out_.cost.unpriced.push_back(missing);
    return std::move(out_);
  }

 private:
  NodePower replayed_power() {
    Scenario scenario = *request_.scenario;
    scenario.cluster.spec.node.host_power.value = node_.host_power();
    out_.step = predict_step(scenario);
    const PowerUse& power = out_.step->power;
    const double nodes = request_.cluster.nodes();
    NodePower out;
    out.mean = power.it_mean / nodes;
    out.peak = power.it_crest / nodes;
    out.trough = power.it_trough / nodes;
    out.accelerators_rated = accelerators_rated(request_.cluster);
    out.accelerators_mean = std::max(Watts{}, out.mean - power.node_host);
    out.source = "replayed step";
    return out;
  }

  void size_file_system() {
    const auto& need = request_.facility.services.storage;
    if (!need) return;
    const StoragePart& part = *find_part(request_.catalog.storage_systems, need->part);
    const std::optional<Bytes> memory = request_.cluster.spec.node.host.memory;
    out_.storage = size_storage(
        {*need, part, request_.cluster.nodes(), memory, request_.scenario, out_.step ? &*out_.step : nullptr});
  }

  void warn() {
    if (request_.cluster.mixed())
      out_.plan.warnings.push_back(
          "the cluster has nodes of several kinds; all nodes are planned as nodes of the first kind");
    if (!out_.step) {
      const auto& remarks = request_.cluster.remarks;
      out_.plan.warnings.insert(out_.plan.warnings.end(), remarks.begin(), remarks.end());
      const std::string idle = idle_text(request_.cluster.blocks, request_.cluster.node_accelerators);
      if (!idle.empty()) out_.plan.warnings.push_back(idle + "; node power assumes that all work");
      return;
    }
    auto& warnings = out_.plan.warnings;
    warnings.insert(warnings.end(), out_.step->warnings.begin(), out_.step->warnings.end());
    auto& verdicts = out_.plan.verdicts;
    verdicts.insert(out_.step->fits ? verdicts.end() : verdicts.begin(),
                    {"memory for the job", out_.step->fits, out_.step->verdict, "job"});
    if (!out_.step->fits)
      out_.plan.warnings.push_back("the job " + out_.step->verdict + "; power figures assume that it runs");
  }

  /// Whether there is a job that makes tokens to price.
  bool runs() const { return out_.step && out_.step->fits; }

  CostReport price() const {
    const SitePlan& plan = out_.plan;
    CostRequest cost{plan.bill,
                     request_.catalog,
                     request_.prices,
                     plan.accelerators,
                     plan.nodes + plan.spare_nodes,
                     plan.rated.it,
                     static_cast<int>(plan.floor.racks.size()),
                     plan.mean.it,
                     plan.mean.facility,
                     plan.cooling.wue_l_per_kwh,
                     std::nullopt};
    if (runs()) {
      cost.tokens_per_second = out_.step->tokens_per_second;
      cost.progress = out_.step->tokens_per_second_with_checkpoints() / out_.step->tokens_per_second;
    }
    return price_cluster(cost);
  }

  const SizingRequest& request_;
  CooledNode node_;
  SizedCluster out_;
};

}  // namespace

NodePower typical_node_power(const Cluster& cluster, const Catalog& catalog, const CoolingSpec& cooling) {
  const CooledNode node(cluster, catalog, cooling);
  const NodePart& whole = node.block.machine ? *node.block.machine : *node.block.node;
  const bool stated = whole.typical_power.has_value();
  const Watts each = (stated ? whole.typical_power->value : loaded_share_of_rating * whole.max_power->value) /
                     node.block.nodes * (1 - node.saved);
  NodePower out;
  out.mean = out.peak = out.trough = each;
  out.accelerators_rated = accelerators_rated(cluster);
  out.accelerators_mean = std::max(Watts{}, each - node.host_power());
  out.source = stated ? whole.typical_power->source : "0.76 of the rating (H100-NODE)";
  return out;
}

SizedCluster size_cluster(const SizingRequest& request) {
  SizedCluster sized = Sizer(request).size();
  check_laws(sized);
  return sized;
}

}  // namespace clusterwright
