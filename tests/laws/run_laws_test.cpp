// SPDX-License-Identifier: Apache-2.0
// Working off runs of ops together changes no time: a rank with a lane to copy on has none.
#include <rapidcheck.h>

#include <numeric>

#include "models/settling/step_simulation.hpp"
#include "support/catch.hpp"
#include "support/flat_graph.hpp"
#include "support/random_step.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

void take_runs_away(StepGraph& graph) {
  for (std::size_t rank = 0; rank < graph.structure.ranks.size(); ++rank)
    graph.structure.lanes.push_back({RankClassId(rank), LaneKind::copy, "copy"});
}

/// @return whether there were any runs
bool replays_alike(StepGraph graph) {
  const ReplayResult with = replay(graph.structure, graph.timing);
  const Breakdown charged = charge_time(graph.structure, graph.timing, with);
  take_runs_away(graph);
  const ReplayResult without = replay(graph.structure, graph.timing);
  RC_ASSERT(with.end == without.end);
  for (std::size_t i = 0; i < with.ops.size(); ++i) {
    const OpTrace &a = with.ops[OpId(i)], &b = without.ops[OpId(i)];
    RC_ASSERT(a.start == b.start && a.active == b.active && a.end == b.end && a.unshared == b.unshared);
  }
  RC_ASSERT(with.sharing_losses.size() == without.sharing_losses.size());
  for (std::size_t i = 0; i < with.sharing_losses.size(); ++i) {
    RC_ASSERT(with.sharing_losses[i].charge == without.sharing_losses[i].charge);
    RC_ASSERT(with.sharing_losses[i].lost == without.sharing_losses[i].lost);
  }
  RC_ASSERT(charged.by_rank == charge_time(graph.structure, graph.timing, without).by_rank);
  return with.events < without.events;
}

SmallCase random_run() {
  SmallCase c;
  c.tensor = *rc::gen::element(1, 2, 4, 8);
  c.pipeline = *rc::gen::inRange(1, 4);
  c.virtual_pipeline = c.pipeline > 1 ? *rc::gen::inRange(1, 3) : 1;
  c.data = 8 / std::gcd(8, c.tensor * c.pipeline) * *rc::gen::inRange(1, 3);
  c.micro_batches = c.pipeline + *rc::gen::inRange(0, 2 * c.pipeline + 1);
  c.layers = c.pipeline * c.virtual_pipeline + *rc::gen::inRange(0, 3);
  c.nic_gbit_per_s = *rc::gen::element(2.0, 50.0, 400.0);
  c.hidden = *rc::gen::element(256, 1024, 4096);
  c.sequence_parallel = *rc::gen::arbitrary<bool>();
  c.sharding = *rc::gen::element(Sharding::none, Sharding::zero1, Sharding::zero2);
  c.recompute = *rc::gen::element(Recompute::none, Recompute::full);
  c.stack = *rc::gen::element<std::string>("megatron-2022", "megatron-2024", "llama3-report");
  return c;
}

}  // namespace

TEST_CASE("runs change nothing in random programs", "[laws]") {
  REQUIRE(rc::check("times, losses and charges are the same to the picosecond", [] {
    RandomProgram program = random_program();
    const bool memory_is_free = *rc::gen::arbitrary<bool>();
    for (RandomInstruction& instruction : program.instructions) {
      if (memory_is_free) instruction.work.memory_percent = 0;
      if (instruction.action == Action::compute) instruction.work.reserved_sms = 0;
    }
    RC_CLASSIFY(replays_alike(SymmetricMachine(program, true).build()), "with runs");
  }));
}

TEST_CASE("runs change nothing in training steps", "[laws]") {
  REQUIRE(rc::check("times, losses and charges are the same to the picosecond", [] {
    Scenario s = small_scenario(random_run());
    if (*rc::gen::arbitrary<bool>()) s.stack.kernel_launch.value = {};
    StepGraph graph = flat(lower_training_step(s, plan_of(s), Folding::folded));
    for (double& clock : graph.timing.clock) clock = *rc::gen::element(1.0, 0.9, 0.75);
    RC_CLASSIFY(replays_alike(std::move(graph)), "with runs");
  }));
}
