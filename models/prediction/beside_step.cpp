// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/beside_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/job/job_blocks.hpp"
#include "models/lowering/job_pair.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/diagnostic.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

/// Steps of the longer job that count, after a first one in which both have only begun to meet.
constexpr std::size_t counted_steps = 4;
/// Starts of the other job, spread evenly over its step.
constexpr int starts = 3;
/// Some minutes of replay.
constexpr double most_events = 1e9;

[[noreturn]] void refuse(const char* code, std::string what, std::string help) {
  throw ConfigError({code, std::move(what), {}, "", std::move(help)});
}

void check_machine(const Scenario& own, const Scenario& other) {
  const Cluster& cluster = own.cluster;
  if (!cluster.has_network())
    refuse("E0339", "--beside changes nothing: the cluster has no network: it is one node or one scale-up domain",
           "leave it out");
  if (cluster.mixed()) refuse("E0335", "a machine of several kinds of nodes cannot be shared", "leave --beside out");
  const Cluster& described = other.cluster;
  if (described.accelerator.id != cluster.accelerator.id || described.node_accelerators != cluster.node_accelerators)
    refuse("E0335",
           fmt::format("the job beside is described on nodes with {} x {}, the machine has nodes with {} x {}",
                       described.node_accelerators, described.accelerator.id, cluster.node_accelerators,
                       cluster.accelerator.id),
           "describe both jobs on nodes of one kind");
}

std::vector<int> free_domains(const Cluster& cluster, int machine_domains) {
  std::vector<char> taken(static_cast<std::size_t>(machine_domains), 0);
  for (int domain = 0; domain < cluster.domains(); ++domain)
    taken[static_cast<std::size_t>(cluster.blocks.place(domain))] = 1;
  std::vector<int> out;
  for (int domain = 0; domain < machine_domains; ++domain)
    if (!taken[static_cast<std::size_t>(domain)]) out.push_back(domain);
  return out;
}

void set_machine(Scenario& scenario, PlacementSpec placement) try {
  scenario.job.placement = std::move(placement);
  scenario.cluster = cluster_of_size(scenario, scenario.cluster.spec.accelerators);
} catch (const ConfigError& error) {
  refuse("E0335", "the fabric cannot hold both jobs: " + error.diagnostics().front().message,
         "describe the cluster of a larger machine");
}

}  // namespace

void share_machine(Scenario& own, Scenario& other) {
  check_machine(own, other);
  const int accelerators = other.cluster.spec.accelerators;
  other.cluster = own.cluster;
  other.cluster.spec.accelerators = accelerators;
  other.cluster.spec.slow.clear();
  set_machine(other, {});  // in its own blocks, for its number of nodes
  PlacementSpec placement = own.job.placement.value_or(PlacementSpec{});
  const int nodes = own.cluster.nodes(), others = other.cluster.nodes();
  if (placement.machine_nodes == 0) placement.machine_nodes = nodes + others;
  if (placement.machine_nodes < nodes + others)
    refuse("E0335",
           fmt::format("jobs of {} and {} nodes do not fit the machine of {}", nodes, others, placement.machine_nodes),
           fmt::format("set job.placement.machine_nodes to at least {}", nodes + others));
  const int machine = placement.machine_nodes;
  set_machine(own, std::move(placement));
  const int per_domain = std::max(1, own.cluster.blocks.domain / own.cluster.node_accelerators);
  PlacementSpec rest;
  rest.machine_nodes = machine;
  rest.nodes = free_domains(own.cluster, machine / per_domain);
  set_machine(other, std::move(rest));
}

Seconds BesideTime::mean() const {
  const Seconds sum = std::accumulate(beside.begin(), beside.end(), Seconds{});
  return sum / static_cast<double>(beside.size());
}

namespace {

Seconds mean_of(const std::vector<Picoseconds>& rounds) {
  Seconds sum;
  for (std::size_t i = 1; i < rounds.size(); ++i) sum += to_seconds(rounds[i]);
  return sum / static_cast<double>(rounds.size() - 1);
}

void check_length(const StepSimulation& a, const StepSimulation& b) {
  const double longer = std::max(to_seconds(a.result.end), to_seconds(b.result.end)).in(second);
  double events = 0;
  for (const StepSimulation* step : {&a, &b})
    events += static_cast<double>(step->result.events) * longer / to_seconds(step->result.end).in(second);
  events *= starts * (counted_steps + 1.0);
  if (events <= most_events) return;
  refuse("E0502",
         fmt::format("steps of {:.3g} and {:.3g} s side by side take {:.1f} billion events, more than {:.0f}",
                     to_seconds(a.result.end).in(second), to_seconds(b.result.end).in(second), events / 1e9,
                     most_events / 1e9),
         "ask for jobs with fewer micro-batches, or with steps of more similar length");
}

StepSimulation settled(const LoweredStep& step) {
  return simulate_graph({step.structure(), step.timing()});
}

StepTiming at_clocks(const LoweredStep& step, const StepSimulation& settled) {
  StepTiming timing = step.timing();
  timing.clock = settled.graph.timing.clock;
  return timing;
}

std::vector<std::string> names(const std::vector<LinkId>& links, const Cluster& cluster) {
  std::vector<std::string> out;
  for (const LinkId link : links) out.push_back(cluster.network().graph.link_name(link));
  return out;
}

/// Both jobs over the links that they have in common.
BesideStep replay_pair(const Scenario& own, const Plan& plan, const Scenario& other, const Plan& other_plan) {
  const JobPair pair({own, plan}, {other, other_plan});
  const StepSimulation ours = settled(pair.first()), theirs = settled(pair.second());
  BesideStep out;
  out.machine_nodes = own.cluster.machine_nodes();
  out.nodes = own.cluster.nodes();
  out.other_nodes = other.cluster.nodes();
  out.own.alone = to_seconds(ours.result.end);
  out.other.alone = to_seconds(theirs.result.end);
  out.steps = counted_steps;
  out.meet_on = names(pair.common_links(), own.cluster);
  if (out.meet_on.empty()) {
    out.own.beside = {out.own.alone};
    out.other.beside = {out.other.alone};
    return out;
  }
  check_length(ours, theirs);
  const JoinedSteps joined = pair.joined(at_clocks(pair.first(), ours), at_clocks(pair.second(), theirs));
  Replayer replayer(joined.graph.structure);
  for (int start = 0; start < starts; ++start) {
    const Picoseconds begin{theirs.result.end.count * start / starts};
    const RoundTimes times =
        replayer.run_rounds(joined.graph.timing, {joined.ends, {Picoseconds{}, begin}, counted_steps + 1});
    out.own.beside.push_back(mean_of(times[0]));
    out.other.beside.push_back(mean_of(times[1]));
  }
  return out;
}

/// Beside another job a step keeps other links of hashed and scattered traffic, so that it differs by up to 0.2 % even
/// alone. The ratio of two such times applies to the time that is predicted without the other job.
void apply_to(Seconds step, BesideTime& time) {
  for (Seconds& beside : time.beside) beside = beside * (step / time.alone);
  time.alone = step;
}

}  // namespace

BesideStep replay_beside(const Scenario& own, const Plan& plan, const Scenario& other, const Plan& other_plan) {
  BesideStep out = replay_pair(own, plan, other, other_plan);
  apply_to(to_seconds(time_step(own, plan).end), out.own);
  apply_to(to_seconds(time_step(other, other_plan).end), out.other);
  return out;
}

}  // namespace clusterwright
