// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/blast_radius.hpp"
#include "models/plan/mixed_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "models/prediction/failing_parts.hpp"
#include "models/prediction/struck_ranks.hpp"
#include "sim/parallel_points.hpp"
#include "topology/routing/cut_off_nodes.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

/// Whether a failure costs more than another one of its kind, beyond rounding; of two that stop the job, whether more
/// ranks are lost.
bool costs_more(const FailureCost& a, const FailureCost& b, const StepPrediction& before) {
  constexpr double rounding = 1e-6;
  if (a.stops && b.stops) return a.accelerators > b.accelerators;
  return a.loss(before) > b.loss(before) + rounding;
}

std::string counted(int count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Nodes of dead devices. @param ranks  gets the number of ranks on dead devices
std::set<NodeId> nodes_of_devices(const Cluster& cluster, const std::vector<std::string>& devices, int& ranks) {
  std::set<NodeId> nodes;
  for (const std::string& text : devices) {
    const LostDevice device = *parse_lost_device(text);
    ranks += lost_ranks(device, cluster);
    nodes.insert(node_of(device, cluster));
  }
  return nodes;
}

void require_network(const Cluster& cluster, const PartFailure& failure) {
  if (failure.faults.empty() || cluster.has_network()) return;
  throw ConfigError(
      {Diagnostic{"E0339",
                  "--fail changes nothing: the cluster has no network: it is one node or one scale-up domain",
                  {option_place("--fail", failure.faults.front())},
                  "",
                  "only node:0 and gpu:0 can fail there"}});
}

/// Sets what stops the job, and how it goes on.
void stop(const LostNodes& lost, int dead, int cut, FailureCost& out) {
  out.stops = true;
  if (dead > 0) out.consequence = counted(dead, "GPU is dead", "GPUs are dead");
  if (dead > 0 && cut > 0) out.consequence += ", ";
  if (cut > 0) out.consequence += counted(cut, "node is cut off", "nodes are cut off");
  out.consequence += ": the job stops";
  out.ways = {on_spares(lost), with_fewer_replicas(lost)};
}

/// Sets what a failure costs that the job survives.
void slow_down(const Scenario& scenario, const Plan& plan, Cluster struck, FailureCost& out) {
  const StruckRanks ranks = struck_ranks(scenario.cluster, struck, out.failure.faults);
  out.accelerators = ranks.count;
  out.consequence = ranks.consequence;
  Scenario after = scenario;
  after.cluster = std::move(struck);
  out.step_time = settled_time(after, plan);
}

FailureCost cost_of(const Scenario& scenario, const StepPrediction& before, const PartFailure& failure) {
  require_network(scenario.cluster, failure);
  FailureCost out;
  out.failure = failure;
  LostNodes lost{scenario, before.plan, before.step_time, {}, failure.faults};
  int dead = 0, cut = 0;
  lost.nodes = nodes_of_devices(scenario.cluster, failure.devices, dead);
  out.accelerators = dead;
  Cluster struck = failure.faults.empty() ? scenario.cluster : with_faults(scenario, failure.faults);
  if (!failure.faults.empty())
    for (const NodeId node : cut_off_nodes(struck.network())) {
      const int ranks = ranks_of_node(scenario.cluster, node);
      if (!lost.nodes.insert(node).second || ranks == 0) continue;
      ++cut;
      out.accelerators += ranks;
    }
  if (dead > 0 || cut > 0)
    stop(lost, dead, cut, out);
  else
    slow_down(scenario, before.plan, std::move(struck), out);
  if (!failure.faults.empty()) out.consequence += group_remark(scenario.cluster.network().graph, failure.faults);
  return out;
}

}  // namespace

std::string PartFailure::name() const {
  std::vector<std::string> all = faults;
  all.insert(all.end(), devices.begin(), devices.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

PartFailure failure_of(const std::vector<std::string>& names, std::string kind) {
  PartFailure failure;
  failure.kind = std::move(kind);
  for (const std::string& name : names) (parse_lost_device(name) ? failure.devices : failure.faults).push_back(name);
  return failure;
}

double tokens_per_second(Seconds step_time, int global_batch, int sequence) {
  return static_cast<double>(global_batch) * sequence / step_time.in(second);
}

double FailureCost::loss(const StepPrediction& before) const {
  return step_time ? 1 - before.step_time / *step_time : 1;
}

double loss(const WayOn& way, const StepPrediction& before) {
  if (!way.step_time) return 1;
  return 1 - before.step_time / *way.step_time * way.global_batch / before.plan.global_batch;
}

FailureCost failure_cost(const Scenario& scenario, const StepPrediction& before, const PartFailure& failure) {
  refuse_several_kinds(scenario, "a failure that stops the job");
  return cost_of(laid_out(scenario, before.plan), before, failure);
}

std::vector<FailureCost> blast_radius(const Scenario& scenario, const StepPrediction& before) {
  refuse_several_kinds(scenario, "the blast radius");
  const Scenario decided = laid_out(scenario, before.plan);
  std::vector<PartFailure> failures;
  for (const FailingPart& part : failing_parts(decided, before.plan))
    for (const std::string& name : part.names) failures.push_back(failure_of({name}, part.kind));
  std::vector<FailureCost> costs(failures.size());
  std::vector<std::size_t> order(failures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for_each_point(order, [&](std::size_t i) { costs[i] = cost_of(decided, before, failures[i]); });
  std::vector<FailureCost> worst;
  for (FailureCost& cost : costs)
    if (worst.empty() || worst.back().failure.kind != cost.failure.kind)
      worst.push_back(std::move(cost));
    else if (costs_more(cost, worst.back(), before))
      worst.back() = std::move(cost);
  return worst;
}

}  // namespace clusterwright
