#include <algorithm>

#include "models/money/price_cluster.hpp"
#include "models/scenario.hpp"
#include "models/sizing/sized_cluster.hpp"
#include "models/sizing/storage_sizing.hpp"
#include "topology/facility/devices.hpp"
#include "topology/facility/heat_removal.hpp"
#include "topology/facility/plan_site.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

class Sizer {
 public:
  explicit Sizer(const SizingRequest& request)
      : request_(request),
        cooling_(cooling_parts(request.facility.cooling, request.catalog)),
        block_(compute_block(request.cluster, request.catalog, *cooling_.racks, unused_)) {}

  SizedCluster size() {
    out_.name = request_.cluster.spec.name;
    out_.accelerator = request_.cluster.accelerator.id;
    const NodePower node = request_.scenario ? replayed_power() : typical_power();
    size_file_system();
    const int appliances = out_.storage ? static_cast<int>(out_.storage->appliances) : 0;
    out_.plan = plan_site({request_.cluster, request_.catalog, request_.facility, node, appliances, false});
    warn();
    out_.cost = price();
    return std::move(out_);
  }

 private:
  const NodePart& node_part() const { return *block_.node; }
  Watts accelerators_rated() const {
    return request_.cluster.node_accelerators * request_.cluster.accelerator.power.value;
  }
  double saved() const { return fan_saving(node_part(), *cooling_.racks, request_.catalog); }

  /// Liquid spares fans, which belong to the host's share of a node's power.
  Watts spared_host(Watts host) const { return std::max(Watts{}, host - saved() * (host + accelerators_rated())); }

  NodePower replayed_power() {
    Scenario scenario = *request_.scenario;
    Watts& host = scenario.cluster.spec.node.host_power.value;
    host = spared_host(host);
    out_.step = predict_step(scenario);
    const PowerUse& power = out_.step->power;
    const double nodes = request_.cluster.nodes();
    NodePower out;
    out.mean = power.it_mean / nodes;
    out.peak = power.it_crest / nodes;
    out.trough = power.it_trough / nodes;
    out.accelerators_rated = accelerators_rated();
    out.accelerators_mean = std::max(Watts{}, out.mean - host);
    out.source = "replayed step";
    return out;
  }

  /// The catalog's typical power, else the measured share of the rating.
  NodePower typical_power() const {
    const NodePart& whole = block_.machine ? *block_.machine : node_part();
    const bool stated = whole.typical_power.has_value();
    const Watts each = (stated ? whole.typical_power->value : loaded_share_of_rating * whole.max_power->value) /
                       block_.nodes * (1 - saved());
    const Watts host = spared_host(request_.cluster.spec.node.host_power.value);
    NodePower out{{}, each, each, each, accelerators_rated(), std::max(Watts{}, each - host), {}};
    out.source = stated ? whole.typical_power->source : "0.76 of the rating (H100-NODE)";
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
      out_.plan.warnings.push_back("the cluster has nodes of several kinds: all are planned as those of the first");
    if (out_.step && !out_.step->fits)
      out_.plan.warnings.push_back("the job does not fit: " + out_.step->verdict +
                                   "; watts are those that it would draw");
  }

  CostReport price() const {
    const SitePlan& plan = out_.plan;
    CostRequest cost{
        plan.bill,     request_.catalog,    request_.prices, plan.accelerators,  plan.nodes + plan.spare_nodes,
        plan.rated.it, plan.rated.facility, plan.mean.it,    plan.mean.facility, plan.cooling.wue_l_per_kwh,
        std::nullopt};
    if (out_.step) cost.tokens_per_second = out_.step->tokens_per_second;
    return price_cluster(cost);
  }

  const SizingRequest& request_;
  std::vector<std::string> unused_;  ///< the plan warns itself
  CoolingParts cooling_;
  ComputeBlock block_;
  SizedCluster out_;
};

}  // namespace

SizedCluster size_cluster(const SizingRequest& request) {
  return Sizer(request).size();
}

}  // namespace clusterwright
