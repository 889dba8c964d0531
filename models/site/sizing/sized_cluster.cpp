// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/sized_cluster.hpp"
#include "models/plan/mixed_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/training_run.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/sizing/power_budgets.hpp"
#include "models/site/sizing/sized_cluster_laws.hpp"
#include "sim/plain_number.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

/// Whether the cluster is made of instances of a cloud.
bool rented(const SizingRequest& request) {
  const NodePart* part = request.catalog.find_node(request.cluster.spec.node.part);
  return part && part->rented;
}

class Sizer {
 public:
  /// @param step  prediction of the request's scenario, which has the hosts of the hall; null without a job
  Sizer(const SizingRequest& request, const StepPrediction* step)
      : request_(request), parts_{request.cluster, request.catalog, request.facility, request.every_cable} {
    if (step) out_.step = *step;
  }

  SizedCluster size() {
    out_.name = request_.cluster.spec.name;
    out_.accelerator = request_.cluster.accelerator.id;
    const NodePower node = out_.step ? replayed_node_power(parts_, *out_.step) : typical_node_power(parts_);
    PlannedSite site = plan_job_site(parts_, node, request_.scenario, out_.step ? &*out_.step : nullptr);
    out_.plan = std::move(site.plan);
    out_.storage = std::move(site.storage);
    if (out_.step) {
      out_.step->power.site = site_power(out_.plan);
      if (out_.step->training) add_site_energy(*out_.step->training, *out_.step->power.site);
    }
    warn();
    out_.cost = price_plan(request_, out_.plan, runs() ? &*out_.step : nullptr);
    if (runs() && out_.step->training)
      out_.run = run_cost(*out_.step->training, out_.cost, out_.plan.accelerators, out_.plan.mean);
    return std::move(out_);
  }

 private:
  void warn() {
    if (rented(request_))
      out_.plan.warnings.push_back(
          "the nodes are instances of a cloud and billed as rented: racks, power and cooling are what the provider "
          "would need for them");
    if (request_.cluster.mixed())
      out_.plan.warnings.push_back(
          "the cluster has nodes of several kinds; all nodes are planned as nodes of the first kind");
    if (const auto& limit = request_.cluster.accelerator.power_limit)
      out_.plan.warnings.push_back(
          fmt::format("racks, feeds, cooling and grid are planned for accelerators that hold their limit of {:.0f} W: "
                      "nodes that run "
                      "without it draw {} instead of {} kW",
                      limit->in(watt), plain_number(out_.plan.node.nameplate.in(kilowatt)),
                      plain_number(out_.plan.node.rated.in(kilowatt))));
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

  const SizingRequest& request_;
  SiteParts parts_;
  SizedCluster out_;
};

/// The job is predicted first: budgets of its hall may limit the accelerators that the hall is planned for.
SizedCluster sized_with_job(const SizingRequest& request) {
  if (!request.scenario) return Sizer(request, nullptr).size();
  refuse_several_kinds(*request.scenario, "sizing around a step");
  const SiteParts parts{request.cluster, request.catalog, request.facility};
  const BudgetedStep budgeted = predict_within_budgets(cooled_in_hall(*request.scenario, parts), parts, request.given);
  SizingRequest held{budgeted.scenario.cluster, request.catalog,    budgeted.facility, request.prices,
                     request.scenario,          request.every_cable};
  return Sizer(held, &budgeted.step).size();
}

}  // namespace

CostReport price_plan(const SizingRequest& request, const SitePlan& plan, const StepPrediction* step) {
  CostRequest cost{plan.bill,
                   request.catalog,
                   request.prices,
                   plan.accelerators,
                   plan.nodes + plan.spare_nodes,
                   plan.rated.it,
                   static_cast<int>(plan.floor.racks.size()),
                   plan.mean.it,
                   plan.mean.facility,
                   plan.cooling.wue_l_per_kwh,
                   std::nullopt,
                   1,
                   request.cluster.accelerator.id,
                   rented(request),
                   plan.rated.facility};
  if (step) {
    cost.tokens_per_second = step->tokens_per_second;
    cost.progress = step->tokens_per_second_with_checkpoints() / step->tokens_per_second;
  }
  CostReport report = price_cluster(cost);
  if (!report.rented) report.unpriced.insert(report.unpriced.end(), plan.uncounted.begin(), plan.uncounted.end());
  return report;
}

SizedCluster size_cluster(const SizingRequest& request) {
  SizedCluster sized = sized_with_job(request);
  check_laws(sized);
  return sized;
}

}  // namespace clusterwright
