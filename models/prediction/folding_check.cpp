// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/folding_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/lowering/graph_loads.hpp"
#include "models/lowering/lowered_step.hpp"
#include "models/lowering/lowering.hpp"
#include "models/settling/replica_jitter.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/tensor_step.hpp"
#include "sim/diagnostic.hpp"
#include "sim/step_works.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

/// Structure, its layout for replays, and what happened to each op: docs/speed.md, "Unfolded".
constexpr double bytes_per_op = 200;
/// One line of Trace Event JSON, and for every second op one for its wait.
constexpr double bytes_per_bar = 150 * 1.5;
/// What ui.perfetto.dev opens in a browser.
constexpr Bytes largest_timeline = 2 * gigabyte;

[[noreturn]] void refuse(std::string what, std::string help) {
  throw ConfigError({"E0503", std::move(what), {}, "", std::move(help)});
}

}  // namespace

Bytes StepSize::memory() const {
  return unfolded_ops * bytes_per_op * byte;
}

Bytes StepSize::timeline() const {
  return bars * bytes_per_bar * byte;
}

StepSize step_size(const Scenario& scenario, const Plan& plan) {
  const LoweredStep folded(scenario, plan, Folding::folded);
  const StepStructure& s = folded.structure();
  StepSize size;
  for (const OpId op : s.op_lane.ids()) size.unfolded_ops += s.ranks[s.lanes[s.op_lane[op]].rank].multiplicity;
  for_each_work(s, [&](const StepWork& work) { size.bars += static_cast<double>(work.count); });
  return size;
}

Bytes machine_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) * byte;
}

void check_unfolded(const StepSize& size, Bytes available) {
  if (size.memory() <= 0.8 * available) return;
  refuse(
      fmt::format("every accelerator for itself is {:.0f} million ops and takes {:.0f} GB, the machine has {:.0f} GB",
                  size.unfolded_ops / 1e6, size.memory().in(gigabyte), available.in(gigabyte)),
      "leave --unfold out: the folded step has the same times; or ask for fewer accelerators or micro-batches");
}

void check_timeline(const StepSize& size) {
  if (size.timeline() <= largest_timeline) return;
  refuse(fmt::format("a timeline of this step has {:.0f} million bars and takes {:.1f} GB, a viewer opens {:.0f} GB",
                     size.bars / 1e6, size.timeline().in(gigabyte), largest_timeline.in(gigabyte)),
         "ask for fewer micro-batches, such as --set job.global_batch=...: all of them look alike");
}

namespace {

/// Each rank at the clock of its class in the folded step.
void copy_clocks(const Scenario& s, const Plan& plan, const StepTiming& folded, StepTiming& unfolded) {
  const Placement placement(plan, s.cluster.blocks);
  const RankClasses classes = rank_classes(s, placement, Folding::folded);
  const RankClasses ranks = rank_classes(s, placement, Folding::unfolded);
  for (const RankClassId rank : ranks.ids())
    unfolded.clock[rank] = folded.clock[classes.class_of(ranks.representative(rank))];
}

/// @return nothing if the ranks of a tensor group do not stay in step
std::optional<UnfoldedCheck> replay_unfolded(const Scenario& s, const Plan& plan, const StepSimulation& folded,
                                             Folding folding) {
  StepGraph graph = lower_training_step(s, plan, folding);
  copy_clocks(s, plan, folded.graph.timing, graph.timing);
  Replayer replayer(graph.structure);
  const ReplayResult result = replayer.run(graph.timing);
  const StepStructure& replayed = replayer.structure();
  if (folding == Folding::unfolded && !stays_in_step(replayed, result, plan.tensor)) return {};
  return UnfoldedCheck{static_cast<int>(replayed.ranks.size()),
                       static_cast<double>(replayed.op_count()),
                       static_cast<double>(result.events),
                       result.end,
                       folded.result.end,
                       !folds_exactly(s, plan)};
}

bool same_links(const RankClasses& ranks, Stream stream, RankClassId a, RankClassId b) {
  return std::ranges::equal(ranks.crossings(stream, a), ranks.crossings(stream, b), {}, &RankClasses::Crossing::uplink,
                            &RankClasses::Crossing::uplink);
}

}  // namespace

bool messages_differ(const Scenario& s, const Plan& plan) {
  if (!uses_graph(s.cluster) || routing_of(s.cluster.spec.fabric) != Routing::hash) return false;
  const RankClasses ranks = rank_classes(s, Placement(plan, s.cluster.blocks), Folding::unfolded);
  for (const RankClassId rank : ranks.ids()) {
    RankCoordinates first = ranks.representative(rank);
    first.tensor = 0;
    for (const Stream stream : {Stream::forward, Stream::backward})
      if (!same_links(ranks, stream, rank, ranks.class_of(first))) return true;
  }
  return false;
}

UnfoldedCheck check_folding(const Scenario& scenario, const Plan& plan) {
  const StepSimulation folded = simulate_step(scenario, plan, Folding::folded);
  std::optional<UnfoldedCheck> check;
  if (!messages_differ(scenario, plan)) check = replay_unfolded(scenario, plan, folded, Folding::unfolded);
  if (!check) check = replay_unfolded(scenario, plan, folded, Folding::apart);
  check->has_jitter = expected_loss(scenario.steps, plan) > 0;
  return *check;
}

}  // namespace clusterwright
