// SPDX-License-Identifier: Apache-2.0
// A search finds what replaying every layout would find.
#include "models/search/layout_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/plan/resolve_plan.hpp"
#include "models/search/choose_plan.hpp"
#include "models/search/replay_queue.hpp"
#include "models/settling/settle_input.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/small_scenario.hpp"

namespace clusterwright {

namespace {

constexpr std::int64_t all_layouts = 1'000'000'000;

SearchRequest thorough() {
  SearchRequest request;
  request.sweep.most_layouts = all_layouts;
  request.most_replays = 1'000'000;
  return request;
}

/// Best step of all layouts of the space by replay, and the number of layouts that fit.
struct BruteForce {
  double best = std::numeric_limits<double>::infinity();
  int fitting = 0;

  void replay(const Scenario& sized, const Layout& layout) {
    Scenario s = sized;
    s.job = with_layout(s.job, layout);
    Plan plan = resolve_plan(s).plan;
    if (memory_under(s, plan).total() > memory_capacity(s.cluster.accelerator)) return;
    ++fitting;
    best = std::min(best, to_seconds(settle_input(s, plan).end).in(second));
  }
};

/// Few layouts: one value of most fields.
LayoutLimits few(const Scenario& s) {
  LayoutLimits limits;
  limits.offload_weights.add(MemoryLevel::device);
  limits.offload_optimizer.add(MemoryLevel::device);
  limits.offload_activations.add(MemoryLevel::device);
  limits.order.add(s.stack.rank_order);
  limits.sharding.add(s.job.sharding == Sharding::hsdp ? Sharding::zero1 : *s.job.sharding);
  limits.schedule.add(PipelineSchedule::one_forward_one_backward);
  limits.recompute.add(s.job.recompute.value_or(Recompute::none));
  limits.virtual_pipeline.most = 2;
  return limits;
}

BruteForce brute_force(const Scenario& s, const LayoutLimits& limits) {
  LayoutSpace space(s, limits);
  const StackAbility ability(s.stack, limits, s.transformer.layers);
  BruteForce out;
  for (const InnerGroups& groups : space.groups())
    for (const StageCounts& stages : space.stages(groups))
      for (const ScheduleChoice& choice : space.schedules(stages.pipeline))
        for (const int size : space.micro_batches(stages)) {
          if (!space.takes(choice, stages.pipeline, s.job.global_batch / stages.data / size)) continue;
          for (const Recompute recompute : space.recomputes())
            for (const StateChoice& state : space.states(groups, stages)) {
              Layout l;
              l.tensor = groups.tensor, l.context = groups.context;
              l.expert = groups.expert, l.expert_tensor = groups.expert_tensor;
              l.pipeline = stages.pipeline, l.data = stages.data;
              l.schedule = choice.schedule, l.virtual_pipeline = choice.virtual_pipeline;
              l.micro_batch = size, l.recompute = recompute;
              l.sharding = state.sharding, l.shard_group = state.shard_group, l.offload = state.offload;
              l.order = space.orders(stages).front();
              if (ability.runs(l)) out.replay(space.scenario(groups), l);
            }
        }
  return out;
}

testing::SmallCase searched_case() {
  testing::SmallCase c;
  c.per_node = 4;
  c.tensor = 2;
  c.data = 2;
  c.layers = 4;
  c.micro_batches = 4;
  return c;
}

}  // namespace

TEST_CASE("a search finds the best of all layouts by replay", "[models]") {
  REQUIRE(rc::check("search == brute force", [] {
    testing::SmallCase c = testing::random_case();
    c.stage_layers.clear();
    const Scenario s = testing::random_scenario(c);
    RC_PRE(s.cluster.spec.accelerators <= 16 && s.job.global_batch <= 32);
    const LayoutLimits limits = few(s);
    const BruteForce all = brute_force(s, limits);
    RC_PRE(all.fitting > 0 && all.fitting < 150);
    const SearchResult found = LayoutSearch(s, limits, thorough()).run();
    testing::describe(s);
    RC_LOG() << all.fitting << " layouts, " << found.replayed << " replayed";
    RC_ASSERT(found.counts.feasible == all.fitting);
    RC_ASSERT(!found.found.empty());
    RC_ASSERT(found.found.front().value == all.best);
    RC_ASSERT(found.proven());
  }));
}

TEST_CASE("a search says when it is not proven, and why", "[models]") {
  const Scenario s = testing::small_scenario(searched_case());
  SearchRequest one = thorough();
  one.most_replays = 1;
  const SearchResult cut = LayoutSearch(s, {}, one).run();
  CHECK(cut.replayed == 1);
  CHECK(cut.proven() == (cut.least_open >= cut.found.front().value));
  SearchRequest thin = thorough();
  thin.sweep.most_layouts = 50;
  const SearchResult thinned = LayoutSearch(s, {}, thin).run();
  CHECK(thinned.space > 50);
  CHECK(thinned.left_out != LeftOut::nothing);
  CHECK_FALSE(thinned.proven());
}

TEST_CASE("the objective energy has bounds below its replays", "[models]") {
  const Scenario s = testing::small_scenario(searched_case());
  SearchRequest request = thorough();
  request.sweep.objective = SearchObjective::energy;
  request.least_replays = 40;
  const SearchResult result = LayoutSearch(s, {}, request).run();
  REQUIRE(result.found.size() >= 20);
  for (const FoundLayout& found : result.found) {
    CHECK(found.value == found.step.energy.in(joule));
    CHECK(found.candidate.bound <= found.value);
  }
  CHECK(result.proven());
}

TEST_CASE("limits hold in every layout that is found", "[models]") {
  const Scenario s = testing::small_scenario(searched_case());
  LayoutLimits limits;
  limits.tensor.most = 2;
  limits.pipeline.least = 2;
  limits.recompute.add(Recompute::full);
  SearchRequest request = thorough();
  request.least_replays = 10;
  const SearchResult result = LayoutSearch(s, limits, request).run();
  REQUIRE_FALSE(result.found.empty());
  for (const FoundLayout& found : result.found) {
    CHECK(found.candidate.layout.tensor <= 2);
    CHECK(found.candidate.layout.pipeline >= 2);
    CHECK(found.candidate.layout.recompute == Recompute::full);
  }
  limits.pipeline.most = 1;
  CHECK(limits.pipeline.is_empty());
}

TEST_CASE("the candidates that are kept have the lowest bounds", "[models]") {
  CandidateHeap heap(3);
  for (const double bound : {5.0, 1.0, 4.0, 2.0, 3.0}) heap.add({bound, 0, {}});
  CHECK(heap.lowest_dropped() == 4);  // of 4 and 5
  const std::vector<Candidate> kept = heap.take();
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].bound == 1);
  CHECK(kept[2].bound == 3);
}

TEST_CASE("a stack is not asked for what it cannot run, unless a limit names it", "[models]") {
  SoftwareStack stack;
  stack.layouts = StackLayouts{
      "test", {PipelineSchedule::one_forward_one_backward}, {Sharding::zero1}, true, {}, false, true, false};
  Layout layout;
  layout.pipeline = 4;
  CHECK(StackAbility(stack, {}, 8).runs(layout));
  layout.offload.activations = MemoryLevel::host;
  CHECK_FALSE(StackAbility(stack, {}, 8).runs(layout));
  stack.layouts->offload = {OffloadedTensors::activations};
  CHECK(StackAbility(stack, {}, 8).runs(layout));
  stack.layouts->activation_offload_alone = true;
  CHECK_FALSE(StackAbility(stack, {}, 8).runs(layout));
  layout.offload = {};
  layout.schedule = PipelineSchedule::dualpipe;
  CHECK_FALSE(StackAbility(stack, {}, 8).runs(layout));
  CHECK(StackAbility(stack, {}, 8).beyond(layout) == "schedule dualpipe");
  LayoutLimits asked;
  asked.schedule.add(PipelineSchedule::dualpipe);
  CHECK(StackAbility(stack, asked, 8).runs(layout));
  layout.schedule = PipelineSchedule::one_forward_one_backward;
  layout.virtual_pipeline = 2;
  CHECK(StackAbility(stack, {}, 8).runs(layout));
  CHECK(StackAbility(stack, {}, 6).runs(layout));         // 6 layers, embedding and head in 8 chunks
  CHECK_FALSE(StackAbility(stack, {}, 10).runs(layout));  // neither 10 nor 12 divide by 8
}

TEST_CASE("replays teach which bounds are loose", "[models]") {
  Candidate plain, offloaded;
  offloaded.layout.offload.activations = MemoryLevel::host;
  plain.bound = 10;
  offloaded.bound = 9;
  ReplayQueue queue({offloaded, plain});
  CHECK(queue.lowest() == 9);
  CHECK(queue.most_promising()->candidate.bound == 9);  // nothing is known yet
  queue.learn(offloaded, 12);
  CHECK(queue.most_promising()->candidate.bound == 10);  // 9 x 12/9 is 12
  CHECK(queue.lowest() == 9);                            // a bound stays a bound
  queue.leave_out(offloaded.layout);
  CHECK(queue.lowest() == 10);
  queue.most_promising()->taken = true;
  CHECK(queue.most_promising() == nullptr);
  CHECK(std::isinf(queue.lowest()));
}

TEST_CASE("a search is never worse than a layout that is known", "[models]") {
  testing::SmallCase c;
  c.data = 8;
  const Scenario s = testing::small_scenario(c);
  Layout layout = layout_of(resolve_plan(s).plan, s.job.offload);
  layout.pipeline = 2;
  layout.data = 4;
  SearchRequest request;
  request.most_replays = 1;
  request.known = {layout};
  const SearchResult result = LayoutSearch(s, {}, request).run();
  CHECK(std::any_of(result.found.begin(), result.found.end(),
                    [&](const FoundLayout& found) { return found.candidate.layout == layout; }));
  LayoutLimits limits;
  limits.pipeline.only = {1};
  CHECK(LayoutSearch(s, limits, request).run().found.front().candidate.layout.pipeline == 1);
}

TEST_CASE("power limits of stages fix the number of stages of a search", "[models]") {
  testing::SmallCase c;
  c.data = 8;
  Scenario s = testing::small_scenario(c);
  s.job.parallel.stage_power_limits = {400 * watt, 500 * watt};
  SearchRequest request;
  request.most_replays = 3;
  const SearchResult result = LayoutSearch(s, {}, request).run();
  REQUIRE_FALSE(result.found.empty());
  for (const FoundLayout& found : result.found) CHECK(found.candidate.layout.pipeline == 2);
}

}  // namespace clusterwright
