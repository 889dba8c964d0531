// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/audit_case.hpp"
#include "models/plan/mixed_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "models/job/job_blocks.hpp"
#include "models/job/scenario_source.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/sizing/sized_cluster.hpp"

namespace clusterwright {

namespace {

StatedLayout stated_layout(const Blueprint& blueprint) {
  const Claim* claim = blueprint.find(ClaimKind::layout);
  return claim ? read_layout(std::get<std::string>(claim->stated)).value_or(StatedLayout{}) : StatedLayout{};
}

/// Data-parallel ranks of the job; none where the planner decides them.
std::optional<int> data_degree(const Job& job, const LayoutUse& use) {
  if (job.parallel.data || !job.parallel.pipeline) return job.parallel.data;
  return use.replicas;
}

/// Expert group of the job; none where the planner decides it.
std::optional<int> expert_degree(const Scenario& scenario) {
  return scenario.transformer.experts ? scenario.job.parallel.expert : 1;
}

void check_degrees(Contradictions& errors, const LayoutUse& use, const Scenario& scenario, const StatedLayout& stated) {
  const auto check = [&](const char* name, std::optional<int> claimed, std::optional<int> given, const char* field) {
    if (!claimed || claimed == given) return;
    const std::string job = given ? fmt::format("gives {}", *given) : "leaves it open";
    errors.report("E0363", fmt::format("the claim gives {} {}, the job {}", name, *claimed, job),
                  {fmt::format("/job/parallel/{}", field)}, "give the job the layout that the blueprint claims");
  };
  check("TP", stated.tensor, use.tensor, "tensor");
  check("PP", stated.pipeline, use.pipeline, "pipeline");
  check("CP", stated.context, use.context, "context");
  if (use.replicas > 0) check("DP", stated.data, data_degree(scenario.job, use), "data");
  check("EP", stated.expert, expert_degree(scenario), "expert");
}

/// Largest number of replicas that fills whole nodes.
int whole_replicas(int room, int replica, int node) {
  const int step = node / std::gcd(replica, node);
  return room / step * step;
}

int rounded_up(int number, int divisor) {
  return (number + divisor - 1) / divisor;
}

void add_words(std::string& words, long long count, const std::string& what) {
  words += fmt::format("{}{} {}", words.empty() ? "" : " + ", count, what);
}

/// Switches and links of the network for training.
void add_network(const SitePlan& plan, SiteFigures& site) {
  std::map<std::string, long long> links;
  for (const SwitchTotal& total : plan.switches) {
    if (total.network != "training") continue;
    site.switches += total.count;
    add_words(site.switches_words, total.count, total.tier);
  }
  for (const CableTotal& total : plan.cables)
    if (total.network == "training") links[total.link] += total.links;
  for (const auto& [link, count] : links) {
    site.links += count;
    add_words(site.links_words, count, link);
  }
}

}  // namespace

JobCase::JobCase(const Blueprint& blueprint, Scenario its_scenario)
    : scenario(std::move(its_scenario)),
      layout(layout_use(scenario, stated_layout(blueprint))),
      used(used_part(scenario, layout)),
      step(predict_step(used.scenario, OpenFields::best, Remedy::left_out)),  // claims name remedies of their own
      parameters(clusterwright::total_parameters(scenario.transformer)) {}

AuditCase::AuditCase(const AuditInput& input)
    : blueprint(input.blueprint), cluster(input.cluster), catalog(input.catalog), facility(input.facility) {
  if (input.scenario) {
    refuse_several_kinds(*input.scenario, "an audit of a job");
    job.emplace(blueprint, cooled_in_hall(*input.scenario, {cluster, catalog, facility}));
  }
  site = site_figures(input, job ? &job->step : nullptr);
}

LayoutUse layout_use(const Scenario& scenario, const StatedLayout& stated) {
  const ParallelSpec& parallel = scenario.job.parallel;
  const int all = scenario.cluster.spec.accelerators;
  LayoutUse use;
  use.tensor = parallel.tensor.value_or(usual_tensor(scenario));
  use.pipeline = parallel.pipeline.value_or(1);
  use.context = parallel.context.value_or(1);
  use.accelerators = all;
  const int room = std::min(all / use.replica(), parallel.data.value_or(all));
  use.replicas = whole_replicas(room, use.replica(), scenario.cluster.node_accelerators);
  Contradictions errors(scenario.source);
  check_degrees(errors, use, scenario, stated);
  if (use.replicas == 0)
    errors.report("E0362",
                  fmt::format("one replica of tensor {} x pipeline {} x context {} needs more than the {} accelerators",
                              use.tensor, use.pipeline, use.context, all),
                  {"/job/parallel", "/cluster/accelerators"}, "describe a smaller layout or a larger cluster");
  errors.finish();
  return use;
}

std::vector<int> whole_pipelines(const LayoutUse& use, std::int64_t layers) {
  std::vector<int> out;
  const int without = use.tensor * use.context;
  for (int stages = 1; stages <= layers && stages * without <= use.accelerators; ++stages)
    if (use.accelerators % (stages * without) == 0 && splits_evenly(layers, stages)) out.push_back(stages);
  const auto distance = [&](int stages) { return std::abs(stages - use.pipeline); };
  std::stable_sort(out.begin(), out.end(), [&](int one, int other) {
    return distance(one) != distance(other) ? distance(one) < distance(other) : one > other;
  });
  return out;
}

UsedScenario used_part(const Scenario& scenario, const LayoutUse& use) {
  UsedScenario out{scenario, {}};
  Job& job = out.scenario.job;
  if (use.idle() > 0) {
    out.scenario.cluster = cluster_of_size(scenario, use.used());
    job.parallel.data = use.replicas;
    out.changes.push_back(fmt::format("{} replicas on {} of {} accelerators, {} idle", use.replicas, use.used(),
                                      use.accelerators, use.idle()));
  }
  if (!job.parallel.pipeline) return out;  // the planner chooses it, and with it the replicas
  const int stride = job.micro_batch.value_or(1) * use.replicas;
  const int micro_batches = std::max(1, static_cast<int>(std::lround(1.0 * job.global_batch / stride)));
  if (micro_batches * stride != job.global_batch)
    out.changes.push_back(fmt::format("a batch of {} sequences instead of {}, because {} replicas must divide it",
                                      micro_batches * stride, job.global_batch, use.replicas));
  job.global_batch = micro_batches * stride;
  return out;
}

namespace {

/// Power of a node in the predicted step, which ran on the accelerators that the layout uses; typical without one.
NodePower power_in_use(const SiteParts& parts, const StepPrediction* step) {
  NodePower node = typical_node_power(parts);
  if (!step) return node;
  node.mean = step->power.nodes_mean / step->nodes;
  node.accelerators_mean = node.mean - step->power.node_host;
  return node;
}

}  // namespace

SiteFigures site_figures(const AuditInput& input, const StepPrediction* step) {
  const Blueprint& blueprint = input.blueprint;
  const SiteParts parts{input.cluster, input.catalog, input.facility};
  const NodePower node = power_in_use(parts, step);
  const PlannedSite planned = plan_job_site(parts, node, nullptr, nullptr);
  const SitePlan& plan = planned.plan;
  SiteFigures site;
  site.nodes = input.cluster.nodes();
  site.node_other = node.mean - node.accelerators_mean;
  if (planned.storage) site.storage_write = planned.storage->write_given;
  add_network(plan, site);
  const int per_rack = blueprint.racks ? rounded_up(site.nodes, *blueprint.racks) : plan.floor.nodes_per_rack;
  site.nodes_per_rack = input.facility.rack.nodes.value_or(per_rack);
  site.racks = blueprint.racks.value_or(rounded_up(site.nodes, site.nodes_per_rack));
  site.all_racks = static_cast<int>(plan.floor.racks.size());
  site.node_rated = plan.node.rated;
  site.node_mean = plan.node.mean;
  site.node_part = plan.node_part;
  site.it_rated = plan.rated.it;
  site.it_mean = plan.mean.it;
  site.pue = plan.mean.pue;
  site.site_rated = site.it_rated * site.pue;
  site.site_hottest = plan.rated.facility;
  site.site_mean = plan.mean.facility;
  site.cost = price_plan({input.cluster, input.catalog, input.facility, input.prices}, plan, nullptr);
  return site;
}

namespace {

/// Distance of a computed from a stated number, as a share of it; 0 on the good side.
double miss(double stated, double computed, ClaimSense sense) {
  const double beyond = computed / stated - 1;
  switch (sense) {
    case ClaimSense::at_most:
      return std::max(0.0, beyond);
    case ClaimSense::at_least:
      return std::max(0.0, -beyond);
    default:
      return std::abs(beyond);
  }
}

/// Whether a miss is within the tolerance, with room for rounding: 105 is within 5 % of 100.
bool within(double off, double tolerance) {
  constexpr double rounding = 1e-9;
  return off <= tolerance + rounding;
}

}  // namespace

Holds judge(double stated, double computed, ClaimSense sense, const AuditTolerance& tolerance, bool conditional) {
  const double off = miss(stated, computed, sense);
  return judge(within(off, tolerance.holds), conditional || within(off, tolerance.partly));
}

AuditTolerance tolerance_of(const Blueprint& blueprint, ClaimKind kind) {
  const Claim* claim = blueprint.find(kind);
  if (!claim || !claim->within) return blueprint.tolerance;
  return {*claim->within, std::max(*claim->within, blueprint.tolerance.partly)};
}

bool near_stated(const Blueprint& blueprint, ClaimKind kind, double computed, ClaimSense sense) {
  const std::optional<double> stated = blueprint.stated_number(kind);
  return stated && within(miss(*stated, computed, sense), tolerance_of(blueprint, kind).holds);
}

ClaimFinding finding_of(const Blueprint& blueprint, ClaimKind kind) {
  ClaimFinding finding;
  finding.claim = kind;
  if (const Claim* claim = blueprint.find(kind)) {
    finding.words = claim->words;
    finding.stated = claim->stated;
  }
  return finding;
}

void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense, bool conditional) {
  finding.computed = computed;
  if (!finding.stated) return;
  const double stated = std::get<double>(*finding.stated);
  finding.error = computed / stated - 1;
  finding.holds = judge(stated, computed, sense, tolerance_of(blueprint, finding.claim), conditional);
}

void conclude(ClaimFinding& finding, const Blueprint& blueprint, double computed, ClaimSense sense,
              const ClaimRange& range, bool conditional) {
  finding.low = range.low;
  finding.high = range.high;
  const auto* stated = finding.stated ? std::get_if<double>(&*finding.stated) : nullptr;
  const bool inside = stated && *stated >= range.low && *stated <= range.high;
  conclude(finding, blueprint, computed, sense, conditional || inside);
}

void conclude(ClaimFinding& finding, std::string computed, bool right, bool conditional) {
  finding.computed = std::move(computed);
  if (finding.stated) finding.holds = judge(right, conditional);
}

}  // namespace clusterwright
